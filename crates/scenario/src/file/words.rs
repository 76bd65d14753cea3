//! Values of their own kinds: ports, addresses, code points, selections.

use airpath_schema::{Decoder, Field, Json, Node, Value, json};

/// Type of service: the octet with DSCP and ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tos(pub u8);

/// Ports from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// The first.
    pub first: u16,
    /// The last.
    pub last: u16,
}

/// Names of groups; resolved, at least one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

/// Highest code rate, above 0 and at most 1; none for no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodeRate(pub Option<f64>);

/// Numbers from 0, as ranges in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indices(Vec<(u32, u32)>);

impl Ports {
    /// True if it has this port.
    pub fn contains(self, port: u16) -> bool {
        (self.first..=self.last).contains(&port)
    }
}

impl Indices {
    /// The numbers of the flags that are set; `None` if none is.
    pub(crate) fn from_flags(flags: &[bool]) -> Option<Indices> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for (n, _) in flags.iter().enumerate().filter(|(_, set)| **set) {
            let n = u32::try_from(n).ok()?;
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == n => *last = n,
                _ => ranges.push((n, n)),
            }
        }
        (!ranges.is_empty()).then_some(Indices(ranges))
    }

    /// True if it has this number.
    pub fn contains(&self, index: u32) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&index))
    }

    /// The largest number.
    pub fn last(&self) -> u32 {
        self.0.iter().map(|(_, last)| *last).max().unwrap_or(0)
    }
}

/// The number in text, decimal or hexadecimal.
fn octet(text: &str) -> Option<u8> {
    match text.strip_prefix("0x") {
        Some(digits) => u8::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A pair `a-b`, or one number twice.
fn range<T: core::str::FromStr + Copy + PartialOrd>(text: &str) -> Option<(T, T)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last).then_some((first, last))
}

impl Field for Tos {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "an octet, 0 to 255 or \"0x00\" to \"0xff\"";
        let valid = |n: i64| u8::try_from(n).ok().map(Tos);
        cx.number_or_text(node, allowed, valid, |text| octet(text).map(Tos))
    }
    fn encode(&self) -> Json {
        json!(format!("{:#04x}", self.0))
    }
    fn schema() -> Json {
        json!({"anyOf": [
            {"type": "integer", "minimum": 0, "maximum": 255},
            {"type": "string", "pattern": "^(0x[0-9a-fA-F]{1,2}|[0-9]{1,3})$"},
        ]})
    }
}

impl Field for Ports {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "a port, 5000, or a range in ascending order, \"5000-5010\"";
        let single = |n: i64| u16::try_from(n).ok().map(|port| Ports { first: port, last: port });
        let several = |text: &str| range(text).map(|(first, last)| Ports { first, last });
        cx.number_or_text(node, allowed, single, several)
    }
    fn encode(&self) -> Json {
        match self.first == self.last {
            true => json!(self.first),
            false => json!(format!("{}-{}", self.first, self.last)),
        }
    }
    fn schema() -> Json {
        json!({"anyOf": [
            {"type": "integer", "minimum": 0, "maximum": 65_535},
            {"type": "string", "pattern": "^[0-9]{1,5}( *- *[0-9]{1,5})?$"},
        ]})
    }
}

impl Field for Names {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        match &node.value {
            Value::Array(_) => Vec::decode(node, cx).map(Names),
            Value::String(name) => Some(Names(vec![name.clone()])),
            _ => cx.wrong_kind(node, "a name, or a list of names"),
        }
    }
    fn encode(&self) -> Json {
        self.0.encode()
    }
    fn schema() -> Json {
        json!({"anyOf": [String::schema(), <Vec<String>>::schema()]})
    }
    fn absent() -> Option<Self> {
        Some(Names::default())
    }
}

impl Field for Indices {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "numbers from 0 and ranges of them, as \"0-4, 7\"";
        let read = |text: &str| {
            let ranges: Option<Vec<_>> = text.split(',').map(|part| range(part.trim())).collect();
            ranges.map(Indices)
        };
        let single = |n: i64| u32::try_from(n).ok().map(|n| Indices(vec![(n, n)]));
        cx.number_or_text(node, allowed, single, read)
    }
    fn encode(&self) -> Json {
        let shown = self.0.iter().map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        });
        json!(shown.collect::<Vec<_>>().join(", "))
    }
    fn schema() -> Json {
        json!({"anyOf": [
            {"type": "integer", "minimum": 0},
            {"type": "string", "pattern": "^ *[0-9]+( *- *[0-9]+)?( *, *[0-9]+( *- *[0-9]+)?)* *$"},
        ]})
    }
}

impl Field for CodeRate {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "more than 0, at most 1, or \"none\"";
        match &node.value {
            Value::String(word) if word == "none" => Some(CodeRate(None)),
            Value::Float(rate) if *rate > 0.0 && *rate <= 1.0 => Some(CodeRate(Some(*rate))),
            Value::Integer(1) => Some(CodeRate(Some(1.0))),
            Value::Float(_) | Value::Integer(_) => {
                cx.fail(&node.place, "is no code rate", format!("it must be {allowed}"))
            }
            _ => cx.wrong_kind(node, allowed),
        }
    }
    fn encode(&self) -> Json {
        self.0.map_or_else(|| json!("none"), |rate| json!(rate))
    }
    fn schema() -> Json {
        json!({"anyOf": [
            {"type": "number", "exclusiveMinimum": 0, "maximum": 1}, {"const": "none"},
        ]})
    }
}
