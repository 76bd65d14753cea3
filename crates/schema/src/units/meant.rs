//! Guess of the unit that was meant by one that airpath does not know.

use crate::nearest::{advise, nearest, suggest};

/// Units as people write them elsewhere, without regard to case, and how the file has them.
const ELSEWHERE: &[(&str, &str)] = &[
    ("bps", "bit/s"),
    ("b/s", "bit/s"),
    ("bits/s", "bit/s"),
    ("bit/sec", "bit/s"),
    ("kbps", "kbit/s"),
    ("kb/s", "kbit/s"),
    ("kbits/s", "kbit/s"),
    ("mbps", "Mbit/s"),
    ("mb/s", "Mbit/s"),
    ("mbits/s", "Mbit/s"),
    ("gbps", "Gbit/s"),
    ("gb/s", "Gbit/s"),
    ("gbits/s", "Gbit/s"),
    ("nsec", "ns"),
    ("nanosecond", "ns"),
    ("nanoseconds", "ns"),
    ("usec", "us"),
    ("microsecond", "us"),
    ("microseconds", "us"),
    ("\u{3bc}s", "us"), // the Greek letter; the file knows the micro sign
    ("msec", "ms"),
    ("millisecond", "ms"),
    ("milliseconds", "ms"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("m", "min"),
    ("mins", "min"),
    ("minute", "min"),
    ("minutes", "min"),
    ("hr", "h"),
    ("hrs", "h"),
    ("hour", "h"),
    ("hours", "h"),
    ("k", "kB"),
    ("g", "GB"),
    ("byte", "B"),
    ("bytes", "B"),
    ("octet", "B"),
    ("octets", "B"),
    ("kbyte", "kB"),
    ("kbytes", "kB"),
    ("mbyte", "MB"),
    ("mbytes", "MB"),
    ("gbyte", "GB"),
    ("gbytes", "GB"),
    ("kibyte", "KiB"),
    ("mibyte", "MiB"),
    ("p", "packets"),
    ("pkt", "packets"),
    ("pkts", "packets"),
    ("metre", "m"),
    ("metres", "m"),
    ("meter", "m"),
    ("meters", "m"),
    ("kilometres", "km"),
    ("kilometers", "km"),
    ("subframe", "tti"),
    ("subframes", "tti"),
    ("watt", "W"),
    ("watts", "W"),
    ("db", "dB"),
];

/// Rates in bytes, where the file has bits.
const BYTES_A_SECOND: &[(&str, &str)] = &[
    ("B/s", "write bits: 1 B/s is 8 bit/s."),
    ("kB/s", "write bits: 1 kB/s is 8 kbit/s."),
    ("MB/s", "write bits: 1 MB/s is 8 Mbit/s."),
    ("MBps", "write bits: 1 MB/s is 8 Mbit/s."),
    ("GB/s", "write bits: 1 GB/s is 8 Gbit/s."),
];

/// Units that have a meaning of their own, so that a likeness to another is chance.
const KNOWN: &[&str] = &[
    "ns", "us", "µs", "ms", "s", "min", "h", "B", "kB", "MB", "GB", "KiB", "MiB", "GiB", "bit/s",
    "kbit/s", "Mbit/s", "Gbit/s", "Hz", "kHz", "MHz", "GHz", "dB", "dBi", "dBm", "m", "km", "mW",
    "W", "nJ/bit", "uJ/bit", "packet", "packets", "tti",
];

/// A help text for a unit that is none of `units`: what was meant, if anything is near, and what
/// is allowed.
pub(super) fn help(unit: &str, units: &[&'static str], allowed: &str) -> String {
    let bytes = BYTES_A_SECOND.iter().find(|(bytes, _)| *bytes == unit);
    match bytes.filter(|_| units.contains(&"bit/s")) {
        Some((_, advice)) => advise(advice, allowed),
        None => suggest(meant(unit, units), allowed),
    }
}

fn meant(unit: &str, units: &[&'static str]) -> Option<&'static str> {
    if let ("d" | "day" | "days", true) = (unit, units.contains(&"h")) {
        return Some("h");
    }
    let written = unit.to_lowercase();
    let elsewhere = ELSEWHERE.iter().filter(|(spelling, _)| *spelling == written);
    let elsewhere = elsewhere.map(|(_, ours)| *ours).find(|ours| units.contains(ours));
    let other_case = || units.iter().copied().find(|ours| ours.to_lowercase() == written);
    let known = KNOWN.contains(&unit) || BYTES_A_SECOND.iter().any(|(bytes, _)| *bytes == unit);
    let alike = || match known || unit.chars().count() < 3 {
        true => None,
        false => nearest(unit, units.iter().copied()),
    };
    elsewhere.or_else(other_case).or_else(alike)
}

#[cfg(test)]
mod tests {
    use airpath_base::{BitRate, Bytes, Duration};

    use super::*;
    use crate::units::{Limit, Quantity};

    #[test]
    fn usual_spellings_are_understood() {
        for (unit, ours) in [("Mbps", "Mbit/s"), ("Mb/s", "Mbit/s"), ("mbit", "Mbit/s")] {
            assert_eq!(meant(unit, BitRate::UNITS), Some(ours));
        }
        for (unit, ours) in [("sec", "s"), ("hours", "h"), ("H", "h"), ("msec", "ms"), ("m", "min")]
        {
            assert_eq!(meant(unit, Duration::UNITS), Some(ours));
        }
        for (unit, ours) in [("KB", "kB"), ("kib", "KiB"), ("bytes", "B")] {
            assert_eq!(meant(unit, Bytes::UNITS), Some(ours));
        }
        assert_eq!(meant("pkts", Limit::UNITS), Some("packets"));
    }

    #[test]
    fn a_unit_of_something_else_is_no_misspelling() {
        assert_eq!(meant("ms", Limit::UNITS), None);
        assert_eq!(meant("Mbit/s", Duration::UNITS), None);
        assert_eq!(meant("xyz", BitRate::UNITS), None);
        let help = |units| help("MB/s", units, "it must be a rate");
        let advice = "write bits: 1 MB/s is 8 Mbit/s. It must be a rate";
        assert_eq!(
            (&*help(BitRate::UNITS), &*help(Duration::UNITS)),
            (advice, "it must be a rate")
        );
    }
}
