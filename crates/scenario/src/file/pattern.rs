//! Which packets something happens to: a probability or a period.

use airpath_schema::{Check, Decoder, Field, Json, Node, Value, at_least, between, json, record};

/// Which packets are hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pattern {
    /// Each with this probability.
    Random(f64),
    /// The last of each so many.
    Every(u64),
}

record! {
    /// A period in packets.
    pub struct Period {
        /// The last of each so many packets is hit: 1 for all of them.
        every: u64 => at_least(1);
    }
}

impl Pattern {
    const ALLOWED: &'static str =
        "a probability from 0 to 1, as 0.01, or a period in packets, as { every = 1000 }";

    /// The pattern of a link.
    pub fn pattern(self) -> airpath_path::Pattern {
        match self {
            Pattern::Random(probability) => airpath_path::Pattern::Random(probability),
            Pattern::Every(packets) => airpath_path::Pattern::Every(packets),
        }
    }
}

impl Field for Pattern {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let probability = match node.value {
            Value::Table(_) => {
                return Period::decode(node, cx).map(|period| Pattern::Every(period.every));
            }
            Value::Float(number) if number.is_finite() => number,
            Value::Integer(number) => number as f64,
            _ => return cx.wrong_kind(node, Pattern::ALLOWED),
        };
        match between(0.0, 1.0).broken(&probability) {
            None => Some(Pattern::Random(probability)),
            Some(is_wrong) => {
                cx.fail(&node.place, &is_wrong, format!("it must be {}", Pattern::ALLOWED))
            }
        }
    }

    fn encode(&self) -> Json {
        match *self {
            Pattern::Random(probability) => json!(probability),
            Pattern::Every(every) => Period { every }.encode(),
        }
    }

    fn schema() -> Json {
        let mut probability = f64::schema();
        Check::<f64>::annotate(&between(0.0, 1.0), &mut probability);
        json!({"anyOf": [probability, Period::schema()]})
    }
}
