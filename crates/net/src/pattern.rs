//! Patterns of packets: at random, or one of each so many.

use airpath_schema::{Check, Decoder, Field, Json, Node, Value, at_least, between, json, record};

/// Pattern of the packets that are hit, of those that pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pattern {
    /// None.
    #[default]
    Never,
    /// Each with this probability, 0 to 1, whatever became of those before.
    Random(f64),
    /// The last of each so many: with 3 the third, the sixth and so on. Zero is never.
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
            Pattern::Never => json!(0.0),
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
