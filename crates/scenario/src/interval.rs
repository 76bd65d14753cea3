//! The transmission time interval: a time, or a slot or mini-slot of NR. Times in intervals.

use airpath_base::Duration;
use airpath_ran::Tti;
use airpath_schema::units::{Fault, Quantity, decode_quantity, pattern, show, split};
use airpath_schema::{Decoder, Field, Json, Node, Value, json};

/// A transmission time interval as the file has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    /// So long.
    Time(Duration),
    /// A slot of NR or a part of one.
    Nr {
        /// Numerology, 0 to 4 (TS 38.211, table 4.2-1).
        mu: u8,
        /// Symbols: 2, 4, 7 or all 14.
        symbols: u8,
    },
}

/// A time in transmission time intervals or as such.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Span {
    /// So many thousandths of a transmission time interval.
    MilliTti(u64),
    /// So long.
    Time(Duration),
}

/// The shortest interval of a file.
const SHORTEST: Duration = Duration::from_micros(1);
/// The longest, a radio frame (TS 36.211, 4).
const LONGEST: Duration = Duration::from_millis(10);
/// Lengths of mini-slots by their words; those of PDSCH mapping type B (TS 38.214, table
/// 5.1.2.1-1, normal cyclic prefix).
const LENGTHS: [(&str, u8); 4] = [("slot", 14), ("7sym", 7), ("4sym", 4), ("2sym", 2)];
const ALLOWED: &str = "it must be a time from 1 us to 10 ms with its unit in quotes, as \
                       \"0.5 ms\", or a slot of NR, \"mu0\" to \"mu4\", or a mini-slot, \
                       \"mu1/7sym\", \"mu1/4sym\" or \"mu1/2sym\"";

impl Interval {
    /// LTE's.
    pub const LTE: Interval = Interval::Time(Duration::from_millis(1));

    /// Interval of the radio access network.
    pub fn tti(self) -> Tti {
        let tti = match self {
            Interval::Time(time) => Tti::new(time),
            Interval::Nr { mu, symbols } => Tti::nr(mu, symbols),
        };
        tti.unwrap_or(Tti::LTE)
    }

    /// The slot that it is, or a part of.
    pub fn slot(self) -> Tti {
        match self {
            Interval::Nr { mu, .. } => Interval::Nr { mu, symbols: 14 }.tti(),
            Interval::Time(_) => self.tti(),
        }
    }

    /// Symbols of a mini-slot; none if it is no mini-slot.
    pub fn mini_slot(self) -> Option<u8> {
        match self {
            Interval::Nr { symbols, .. } if symbols < 14 => Some(symbols),
            _ => None,
        }
    }

    /// Interval behind `mu`.
    fn numerology(text: &str) -> Option<Interval> {
        let (mu, length) = text.split_once('/').unwrap_or((text, "slot"));
        let mu = (0..=4).find(|known: &u8| known.to_string() == mu)?;
        let (_, symbols) = *LENGTHS.iter().find(|(word, _)| *word == length)?;
        Some(Interval::Nr { mu, symbols })
    }

    /// Text in the file.
    pub fn show(self) -> String {
        match self {
            Interval::Time(time) => Quantity::show(&time),
            Interval::Nr { mu, symbols: 14 } => format!("mu{mu}"),
            Interval::Nr { mu, symbols } => format!("mu{mu}/{symbols}sym"),
        }
    }
}

impl Field for Interval {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        if let Value::String(text) = &node.value
            && let Some(nr) = text.trim().strip_prefix("mu")
        {
            let found = Interval::numerology(nr);
            return match found {
                Some(interval) => Some(interval),
                None => cx.fail(&node.place, &format!("cannot be \"{text}\""), ALLOWED.to_owned()),
            };
        }
        let time: Duration = decode_quantity(node, cx, Some("mu1/2sym"))?;
        if (SHORTEST..=LONGEST).contains(&time) {
            return Some(Interval::Time(time));
        }
        cx.fail(&node.place, &format!("cannot be {}", time.show()), ALLOWED.to_owned())
    }

    fn encode(&self) -> Json {
        self.show().into()
    }

    fn schema() -> Json {
        let nr = "^mu[0-4](/(slot|7sym|4sym|2sym))?$";
        json!({
            "type": "string",
            "anyOf": [{"pattern": pattern::<Duration>()}, {"pattern": nr}],
            "examples": ["0.5 ms", "mu1/2sym"],
        })
    }
}

impl Span {
    /// So many intervals.
    pub const fn ttis(count: u64) -> Span {
        Span::MilliTti(count * 1_000)
    }

    /// The time, rounded down to a nanosecond.
    pub fn with_tti(self, tti: Tti) -> Duration {
        match self {
            Span::Time(time) => time,
            Span::MilliTti(thousandths) => tti.thousandths(thousandths),
        }
    }

    /// The number of intervals, if it is a whole one.
    pub fn whole_ttis(self, tti: Tti) -> Option<u64> {
        match self {
            Span::Time(time) => tti.count(time),
            Span::MilliTti(thousandths) => {
                (thousandths % 1_000 == 0).then_some(thousandths / 1_000)
            }
        }
    }
}

impl Quantity for Span {
    const WHAT: &'static str = "a time, or a number of transmission time intervals,";
    const UNITS: &'static [&'static str] = &["tti", "ns", "us", "µs", "ms", "s", "min", "h"];
    const EXAMPLE: &'static str = "2 tti";

    fn parse(text: &str) -> Result<Self, Fault> {
        const TOO_LARGE: Fault = Fault::TooLarge("1000000 tti");
        let (number, unit) = split(text)?;
        if unit != "tti" {
            return Duration::parse(text).map(Span::Time);
        }
        let count = number.times(1_000, TOO_LARGE)?;
        match count.ok_or(Fault::TooFine("0.001 tti"))? {
            count if number.negative && count > 0 => Err(Fault::Negative),
            count if count > 1_000_000_000 => Err(TOO_LARGE),
            count => Ok(Span::MilliTti(count)),
        }
    }

    fn show(&self) -> String {
        match *self {
            Span::MilliTti(thousandths) => format!("{} tti", show(thousandths, 1_000)),
            Span::Time(time) => time.show(),
        }
    }
}

#[cfg(test)]
mod tests {
    use airpath_schema::{Place, SourceId};

    use super::*;

    fn read(text: &str) -> Option<Interval> {
        let place = Place::new(SourceId(0), 0..0);
        let node = Node { value: Value::String(text.to_owned()), place };
        Interval::decode(&node, &mut Decoder::default())
    }

    #[test]
    fn times_slots_and_mini_slots() {
        for (text, nanos, shown) in [
            ("1 ms", 1_000_000, "1 ms"),
            ("100 us", 100_000, "100 us"),
            ("mu0", 1_000_000, "mu0"),
            ("mu4/slot", 62_500, "mu4"),
            ("mu1/7sym", 250_000, "mu1/7sym"),
            ("mu0/4sym", 285_714, "mu0/4sym"),
            ("mu3/2sym", 17_857, "mu3/2sym"),
        ] {
            let interval = read(text).expect(text);
            assert_eq!(interval.tti().length(), Duration::from_nanos(nanos), "{text}");
            assert_eq!(interval.show(), shown);
            assert_eq!(read(shown), Some(interval));
        }
    }

    #[test]
    fn what_is_no_interval() {
        for text in ["", "0 ms", "999 ns", "11 ms", "mu5", "mu01", "mu1/3sym", "mu", "1 tti"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn intervals_count_in_ttis() {
        let time = Duration::from_millis(1);
        let half = Tti::new(Duration::from_micros(500)).expect("above zero");
        assert_eq!(Span::MilliTti(2_500).with_tti(Tti::LTE), Duration::from_micros(2_500));
        assert_eq!(Span::MilliTti(2_500).with_tti(half), Duration::from_micros(1_250));
        assert_eq!(Span::Time(time).with_tti(half), time);
        let counts = [Span::ttis(3), Span::MilliTti(2_500), Span::Time(time)];
        assert_eq!(counts.map(|span| span.whole_ttis(half)), [Some(3), None, Some(2)]);
    }

    #[test]
    fn spans_read_back() {
        assert_eq!(Span::parse("2.5 tti"), Ok(Span::MilliTti(2_500)));
        for span in [Span::MilliTti(0), Span::MilliTti(1), Span::MilliTti(999_999_999)] {
            assert_eq!(Span::parse(&span.show()), Ok(span));
        }
        assert!(pattern::<Span>().contains(&Span::UNITS.join("|")));
        assert!(Span::UNITS.iter().all(|unit| Span::parse(&format!("1 {unit}")).is_ok()));
    }
}
