//! A quantity or a word instead of it, and quantities of two kinds.

use airpath_base::rrc::Cycle;
use airpath_base::{BitRate, Bytes, Duration};

use super::{Fault, Quantity, decode_quantity, split};
use crate::{Bounds, Check, Decoder, Field, Json, Node, Value, json};

/// Declares an enum of a quantity and a word instead of it.
macro_rules! worded {
    ($(
        $(#[doc = $doc:literal])*
        pub enum $name:ident {
            $(#[doc = $some_doc:literal])* $some:ident($kind:ty),
            $(#[doc = $none_doc:literal])* $none:ident = $word:literal,
        }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = $some_doc])* $some($kind),
            $(#[doc = $none_doc])* $none,
        }

        impl $name {
            /// The quantity, unless the word replaces it.
            pub fn quantity(self) -> Option<$kind> {
                match self {
                    $name::$some(quantity) => Some(quantity),
                    $name::$none => None,
                }
            }
        }

        impl Field for $name {
            fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
                match &node.value {
                    Value::String(text) if text == $word => Some($name::$none),
                    _ => decode_quantity(node, cx, Some($word)).map($name::$some),
                }
            }
            fn encode(&self) -> Json {
                self.quantity().map_or_else(|| $word.into(), |quantity| quantity.encode())
            }
            fn schema() -> Json {
                json!({"anyOf": [<$kind>::schema(), {"const": $word}]})
            }
        }

        impl Check<$name> for Bounds<$kind> {
            fn broken(&self, value: &$name) -> Option<String> {
                value.quantity().and_then(|quantity| self.broken(&quantity))
            }
            fn allowed(&self) -> String {
                format!("{}; or \"{}\"", Check::<$kind>::allowed(self), $word)
            }
            fn annotate(&self, _: &mut Json) {}
        }

        impl Check<Option<$name>> for Bounds<$kind> {
            fn broken(&self, value: &Option<$name>) -> Option<String> {
                value.as_ref().and_then(|value| self.broken(value))
            }
            fn allowed(&self) -> String {
                Check::<$name>::allowed(self)
            }
            fn annotate(&self, _: &mut Json) {}
        }
    )*};
}

worded! {
    /// A bit rate, or none at all.
    pub enum Rate {
        /// So many bits a second.
        Limited(BitRate),
        /// No limit.
        Unlimited = "unlimited",
    }

    /// A time after which something happens, or never.
    pub enum Timer {
        /// After this time.
        After(Duration),
        /// Never; the timer does not run.
        Infinity = "infinity",
    }

    /// Amount that a flow sends.
    pub enum Size {
        /// So many bytes.
        Bytes(Bytes),
        /// No end: all that TCP lets it send.
        Greedy = "greedy",
    }

    /// A size, or no limit.
    pub enum Buffer {
        /// So many bytes.
        Bytes(Bytes),
        /// Without limit.
        Unlimited = "unlimited",
    }

    /// A time into a cycle, or one drawn for each.
    pub enum Phase {
        /// This time.
        At(Duration),
        /// Drawn evenly over the cycle.
        Random = "random",
    }

    /// Cycle of something that is done again and again, or nothing.
    pub enum EveryCycle {
        /// Once each cycle.
        Interval(Cycle),
        /// Not at all.
        Off = "off",
    }

    /// Interval of something that is done again and again, or nothing.
    pub enum Every {
        /// Once each so long.
        Interval(Duration),
        /// Not at all.
        Off = "off",
    }
}

impl Buffer {
    /// Number of bytes; the largest where there is no limit.
    #[inline]
    pub fn bytes(self) -> u64 {
        self.quantity().map_or(u64::MAX, |size| size.0)
    }
}

/// Limit of a queue; `None` is no limit. An option has one of the two at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// Packets.
    pub packets: Option<u32>,
    /// Bytes on the wire.
    pub bytes: Option<u64>,
}

/// Length of a queue: in packets or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So many packets.
    Packets(u32),
    /// So many bytes.
    Bytes(Bytes),
}

/// Length of a queue: in time, packets or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// Time that a packet has waited.
    Delay(Duration),
    /// Packets that wait.
    Packets(u32),
    /// Bytes on the wire that wait.
    Bytes(u64),
}

impl Limit {
    /// No limit.
    pub const NONE: Limit = Limit { packets: None, bytes: None };

    /// At most this many packets.
    pub const fn packets(packets: u32) -> Limit {
        Limit { packets: Some(packets), bytes: None }
    }

    /// At most this many bytes on the wire.
    pub const fn bytes(bytes: u64) -> Limit {
        Limit { packets: None, bytes: Some(bytes) }
    }

    /// True if one packet of `size` bytes fits beside what is there.
    #[inline]
    pub fn admits(self, packets: u32, bytes: u64, size: u32) -> bool {
        self.packets.is_none_or(|most| packets < most)
            && self.bytes.is_none_or(|most| bytes + u64::from(size) <= most)
    }
}

impl Length {
    /// Packets or bytes.
    #[inline]
    pub fn count(self) -> f64 {
        match self {
            Length::Packets(packets) => f64::from(packets),
            Length::Bytes(size) => size.0 as f64,
        }
    }
}

/// A number of packets.
struct Packets(u32);

impl Quantity for Packets {
    const WHAT: &'static str = "a number of packets";
    const UNITS: &'static [&'static str] = &["packets", "packet"];
    const EXAMPLE: &'static str = "100 packets";

    fn parse(text: &str) -> Result<Self, Fault> {
        const TOO_LARGE: Fault = Fault::TooLarge("4294967295 packets");
        let (number, unit) = split(text)?;
        if !Self::UNITS.contains(&unit) {
            return Err(Fault::Unit(unit.to_owned()));
        }
        let count = number.times(1, TOO_LARGE)?;
        let count = count.ok_or(Fault::TooFine("1 packet"))?;
        if number.negative && count > 0 {
            return Err(Fault::Negative);
        }
        u32::try_from(count).map(Packets).map_err(|_| TOO_LARGE)
    }

    fn show(&self) -> String {
        format!("{} packets", self.0)
    }
}

impl Quantity for Limit {
    const WHAT: &'static str = "a number of packets or a size";
    const UNITS: &'static [&'static str] =
        &["packets", "packet", "B", "kB", "MB", "GB", "KiB", "MiB", "GiB"];
    const EXAMPLE: &'static str = "100 packets";
    const WORD: Option<&'static str> = Some("unlimited");

    fn parse(text: &str) -> Result<Self, Fault> {
        if Self::WORD == Some(text) {
            return Ok(Limit::NONE);
        }
        match split(text)?.1 {
            unit if Packets::UNITS.contains(&unit) => {
                Packets::parse(text).map(|packets| Limit::packets(packets.0))
            }
            _ => Bytes::parse(text).map(|size| Limit::bytes(size.0)),
        }
    }

    fn show(&self) -> String {
        match (self.packets, self.bytes) {
            (Some(packets), _) => Packets(packets).show(),
            (None, Some(size)) => Bytes(size).show(),
            (None, None) => "unlimited".to_owned(),
        }
    }
}

impl Quantity for Length {
    const WHAT: &'static str = "a number of packets or a size";
    const UNITS: &'static [&'static str] = Limit::UNITS;
    const EXAMPLE: &'static str = "15 packets";

    fn parse(text: &str) -> Result<Self, Fault> {
        match split(text)?.1 {
            unit if Packets::UNITS.contains(&unit) => {
                Packets::parse(text).map(|packets| Length::Packets(packets.0))
            }
            _ => Bytes::parse(text).map(Length::Bytes),
        }
    }

    fn show(&self) -> String {
        match *self {
            Length::Packets(packets) => Packets(packets).show(),
            Length::Bytes(size) => size.show(),
        }
    }
}

impl Quantity for Threshold {
    const WHAT: &'static str = "a time, a number of packets or a size";
    const UNITS: &'static [&'static str] = &[
        "ns", "us", "µs", "ms", "s", "min", "h", "packets", "packet", "B", "kB", "MB", "GB", "KiB",
        "MiB", "GiB",
    ];
    const EXAMPLE: &'static str = "1 ms";

    fn parse(text: &str) -> Result<Self, Fault> {
        match split(text)?.1 {
            unit if Duration::UNITS.contains(&unit) => Duration::parse(text).map(Threshold::Delay),
            unit if Packets::UNITS.contains(&unit) => {
                Packets::parse(text).map(|packets| Threshold::Packets(packets.0))
            }
            unit if Bytes::UNITS.contains(&unit) => {
                Bytes::parse(text).map(|size| Threshold::Bytes(size.0))
            }
            unit => Err(Fault::Unit(unit.to_owned())),
        }
    }

    fn show(&self) -> String {
        match *self {
            Threshold::Delay(time) => time.show(),
            Threshold::Packets(packets) => Packets(packets).show(),
            Threshold::Bytes(size) => Bytes(size).show(),
        }
    }
}
