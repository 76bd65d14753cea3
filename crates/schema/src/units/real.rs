//! Quantities that are real numbers: levels, lengths, powers and energies.

use airpath_base::{Db, Dbm};

use super::{Fault, Quantity, split};

/// A length in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Metres(pub f64);

/// A power in milliwatts.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Milliwatts(pub f64);

/// An energy for each bit in nanojoules: milliwatts for each Mbit/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct NanojoulesPerBit(pub f64);

/// A position along an axis in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Position(pub f64);

/// A speed in metres a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Speed(pub f64);

/// An angle in degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Degrees(pub f64);

macro_rules! real {
    ($kind:ident, $what:literal, $example:literal, $signed:literal,
     most $most:literal = $most_text:literal,
     { $($unit:literal = $factor:literal),* }) => {
        impl Quantity for $kind {
            const WHAT: &'static str = $what;
            const UNITS: &'static [&'static str] = &[$($unit),*];
            const EXAMPLE: &'static str = $example;
            const SIGNED: bool = $signed;

            fn parse(text: &str) -> Result<Self, Fault> {
                let (number, unit) = split(text)?;
                let factor = match unit {
                    $($unit => $factor,)*
                    _ => return Err(Fault::Unit(unit.to_owned())),
                };
                let value = number.as_f64() * factor;
                match value {
                    _ if value < 0.0 && !$signed => Err(Fault::Negative),
                    _ if value.abs() > $most => Err(Fault::TooLarge($most_text)),
                    _ => Ok($kind(value)),
                }
            }

            fn show(&self) -> String {
                format!("{} {}", self.0, Self::UNITS[0])
            }
        }
    };
}

/// Mean number of events in a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct PerSecond(pub f64);

real! {
    PerSecond, "a rate of events", "2 /s", false,
    most 1_000_000.0 = "1000000 /s",
    { "/s" = 1.0, "/min" = 0.016_666_666_666_666_666, "/h" = 0.000_277_777_777_777_777_8 }
}

real! {
    Db, "a ratio", "10 dB", true,
    most 1_000.0 = "1000 dB",
    { "dB" = 1.0, "dBi" = 1.0 }
}

real! {
    Dbm, "a power", "46 dBm", true,
    most 1_000.0 = "1000 dBm",
    { "dBm" = 1.0 }
}

real! {
    Metres, "a length", "500 m", false,
    most 1_000_000.0 = "1000 km",
    { "m" = 1.0, "km" = 1_000.0 }
}

real! {
    Speed, "a speed", "30 km/h", false,
    most 1_000.0 = "3600 km/h",
    { "m/s" = 1.0, "km/h" = 0.277_777_777_777_777_8 }
}

real! {
    Position, "a place along an axis", "-250 m", true,
    most 1_000_000.0 = "1000 km",
    { "m" = 1.0, "km" = 1_000.0 }
}

real! {
    Degrees, "an angle", "12 deg", true,
    most 360.0 = "360 deg",
    { "deg" = 1.0 }
}

real! {
    Milliwatts, "a power", "1060 mW", false,
    most 1_000_000.0 = "1000 W",
    { "mW" = 1.0, "W" = 1_000.0 }
}

real! {
    NanojoulesPerBit, "an energy for each bit", "52 nJ/bit", false,
    most 1_000_000.0 = "1000 uJ/bit",
    { "nJ/bit" = 1.0, "uJ/bit" = 1_000.0 }
}
