//! Fields of plain kinds: numbers, truth, text, lists, and what may be absent.

use core::net::Ipv4Addr;

use airpath_base::Direction;

use crate::{Decoder, Field, Json, Node, Value, choice, json, large_integer};

macro_rules! integers {
    ($($kind:ty),*) => {$(
        impl Field for $kind {
            fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
                let Some(number) = integer(&node.value) else {
                    return cx.wrong_kind(node, "a whole number without a unit");
                };
                match <$kind>::try_from(number) {
                    Ok(number) => Some(number),
                    Err(_) if number < 0 => cx.fail(
                        &node.place, "is negative", "it must be 0 or more".to_owned(),
                    ),
                    Err(_) => cx.fail(
                        &node.place, "is too large", format!("it must be at most {}", <$kind>::MAX),
                    ),
                }
            }
            fn encode(&self) -> Json {
                (*self).into()
            }
            fn schema() -> Json {
                json!({"type": "integer", "minimum": 0})
            }
        }
    )*};
}

integers!(u8, u16, u32, u64);

/// A whole number. One beyond TOML's 64 bits with a sign is text there: a resolved scenario has
/// its seed so.
fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Integer(number) => Some(*number),
        Value::String(text) => large_integer(text).filter(|n| i64::try_from(*n).is_err()),
        _ => None,
    }
}

impl Field for f64 {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        match node.value {
            Value::Float(number) if number.is_finite() => Some(number),
            Value::Integer(number) => Some(number as f64),
            Value::Float(number) => {
                cx.fail(&node.place, &format!("is {number}"), "it must be finite".to_owned())
            }
            _ => cx.wrong_kind(node, "a number without a unit"),
        }
    }
    fn encode(&self) -> Json {
        (*self).into()
    }
    fn schema() -> Json {
        json!({"type": "number"})
    }
}

impl Field for bool {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        match node.value {
            Value::Boolean(truth) => Some(truth),
            _ => cx.wrong_kind(node, "true or false"),
        }
    }
    fn encode(&self) -> Json {
        (*self).into()
    }
    fn schema() -> Json {
        json!({"type": "boolean"})
    }
}

impl Field for String {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        cx.text(node, "a string").map(str::to_owned)
    }
    fn encode(&self) -> Json {
        self.into()
    }
    fn schema() -> Json {
        json!({"type": "string"})
    }
}

choice! {
    for Direction {
        /// To the UE.
        Downlink = "down",
        /// From the UE.
        Uplink = "up",
    }
}

impl Field for Ipv4Addr {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "an IPv4 address, as \"198.51.100.1\"";
        cx.number_or_text(node, allowed, |_| None, |text| text.parse().ok())
    }
    fn encode(&self) -> Json {
        self.to_string().into()
    }
    fn schema() -> Json {
        json!({"type": "string", "format": "ipv4"})
    }
}

impl Decoder {
    /// Reads a whole number or text; `None` from either means that the value is not allowed.
    pub fn number_or_text<T>(
        &mut self,
        node: &Node,
        allowed: &str,
        number: impl FnOnce(i64) -> Option<T>,
        text: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let (read, shown) = match &node.value {
            Value::Integer(n) => (i64::try_from(*n).ok().and_then(number), n.to_string()),
            Value::String(t) => (text(t), format!("\"{t}\"")),
            _ => return self.wrong_kind(node, allowed),
        };
        match read {
            Some(value) => Some(value),
            None => {
                let is_wrong = format!("cannot be {shown}");
                self.fail(&node.place, &is_wrong, format!("it must be {allowed}"))
            }
        }
    }
}

impl<T: Field> Field for Option<T> {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        T::decode(node, cx).map(Some)
    }
    fn encode(&self) -> Json {
        self.as_ref().map_or(Json::Null, Field::encode)
    }
    fn schema() -> Json {
        T::schema()
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Field> Field for Vec<T> {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let items = match &node.value {
            Value::Array(items) => items,
            Value::Table(_) => {
                let help = format!("write [[{0}]] for each, not [{0}]", cx.key());
                return cx.fail(&node.place, "is a single table", help);
            }
            _ => return cx.wrong_kind(node, "a list"),
        };
        let step = |(n, item): (usize, &Node)| {
            let step = item.name().map_or_else(|| n.to_string(), str::to_owned);
            cx.within(&step, |cx| T::decode(item, cx))
        };
        // All items are read before the first failure counts, so that all report.
        let read: Vec<Option<T>> = items.iter().enumerate().map(step).collect();
        read.into_iter().collect()
    }
    fn encode(&self) -> Json {
        self.iter().map(Field::encode).collect()
    }
    fn schema() -> Json {
        json!({"type": "array", "items": T::schema()})
    }
    fn absent() -> Option<Self> {
        Some(Vec::new())
    }
}
