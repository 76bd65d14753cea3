//! Quantities that are counted in whole numbers of a smallest unit.

use airpath_base::{BitRate, Bytes, Duration};

use super::number::show;
use super::{Fault, Quantity, split};

/// A frequency in hertz.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hertz(pub u64);

/// Units with their factors, and those among them that are written.
struct Scale {
    units: &'static [(&'static str, u64)],
    /// In ascending order, powers of ten.
    written: &'static [(&'static str, u64)],
    smallest: &'static str,
    /// The unit of nothing.
    zero: &'static str,
    most: (u64, &'static str),
}

impl Scale {
    fn parse(&self, text: &str) -> Result<u64, Fault> {
        let (number, unit) = split(text)?;
        let known = self.units.iter().find(|(name, _)| *name == unit);
        let (_, factor) = known.ok_or_else(|| Fault::Unit(unit.to_owned()))?;
        let too_large = Fault::TooLarge(self.most.1);
        let count = number.times(*factor, too_large.clone())?;
        let count = count.ok_or(Fault::TooFine(self.smallest))?;
        match count {
            count if number.negative && count > 0 => Err(Fault::Negative),
            count if count > self.most.0 => Err(too_large),
            count => Ok(count),
        }
    }

    fn show(&self, count: u64) -> String {
        if count == 0 {
            return format!("0 {}", self.zero);
        }
        let fits = self.written.iter().rev().find(|(_, factor)| *factor <= count);
        let (unit, factor) = fits.unwrap_or(&self.written[0]);
        format!("{} {unit}", show(count, *factor))
    }
}

macro_rules! quantity {
    (
        $kind:ty, $what:literal, $example:literal, finest $smallest:literal, zero $zero:literal,
        most $most:literal = $most_text:literal,
        read { $($unit:literal = $factor:literal),* $(,)? }
        write { $($written:literal = $written_factor:literal),* $(,)? }
        $from:expr, $to:expr
    ) => {
        impl Quantity for $kind {
            const WHAT: &'static str = $what;
            const UNITS: &'static [&'static str] = &[$($unit),*];
            const EXAMPLE: &'static str = $example;

            fn parse(text: &str) -> Result<Self, Fault> {
                <$kind as Scaled>::SCALE.parse(text).map($from)
            }
            fn show(&self) -> String {
                <$kind as Scaled>::SCALE.show($to(*self))
            }
        }

        impl Scaled for $kind {
            const SCALE: Scale = Scale {
                units: &[$(($unit, $factor)),*],
                written: &[$(($written, $written_factor)),*],
                smallest: $smallest,
                zero: $zero,
                most: ($most, $most_text),
            };
        }
    };
}

trait Scaled {
    const SCALE: Scale;
}

quantity! {
    Duration, "a time", "25 ms", finest "1 ns", zero "s",
    most 1_000_000_000_000_000 = "1000000 s",
    read {
        "ns" = 1, "us" = 1_000, "µs" = 1_000, "ms" = 1_000_000, "s" = 1_000_000_000,
        "min" = 60_000_000_000, "h" = 3_600_000_000_000,
    }
    write { "ns" = 1, "us" = 1_000, "ms" = 1_000_000, "s" = 1_000_000_000 }
    Duration::from_nanos, Duration::as_nanos
}

quantity! {
    Bytes, "a size", "10 KiB", finest "1 B", zero "B",
    most 1_000_000_000_000_000 = "1000000 GB",
    read {
        "B" = 1, "kB" = 1_000, "MB" = 1_000_000, "GB" = 1_000_000_000,
        "KiB" = 1_024, "MiB" = 1_048_576, "GiB" = 1_073_741_824,
    }
    write { "B" = 1 }
    Bytes, |size: Bytes| size.0
}

quantity! {
    BitRate, "a rate", "5 Mbit/s", finest "1 bit/s", zero "bit/s",
    most 1_000_000_000_000_000 = "1000000 Gbit/s",
    read {
        "bit/s" = 1, "kbit/s" = 1_000, "Mbit/s" = 1_000_000, "Gbit/s" = 1_000_000_000,
    }
    write { "bit/s" = 1, "kbit/s" = 1_000, "Mbit/s" = 1_000_000, "Gbit/s" = 1_000_000_000 }
    BitRate::from_bps, BitRate::as_bps
}

quantity! {
    Hertz, "a frequency", "2.1 GHz", finest "1 Hz", zero "Hz",
    most 1_000_000_000_000 = "1000 GHz",
    read { "Hz" = 1, "kHz" = 1_000, "MHz" = 1_000_000, "GHz" = 1_000_000_000 }
    write { "Hz" = 1, "kHz" = 1_000, "MHz" = 1_000_000, "GHz" = 1_000_000_000 }
    Hertz, |frequency: Hertz| frequency.0
}
