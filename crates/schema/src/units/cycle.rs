//! Cycles of discontinuous reception: a time, or a fraction of milliseconds.

use airpath_base::Duration;
use airpath_base::rrc::Cycle;

use super::{Fault, Quantity};

/// The mend of a fraction that is none of the standard's.
const FRACTIONS: &str = "fractions are those of TS 38.331, drx-NonIntegerLongCycleStartOffset, in milliseconds: \
    1001/240, 25/6, 25/3, 1001/120, 100/9, 25/2, 40/3, 125/9, 50/3, 1001/60, 125/6, 200/9, 250/9, 100/3, 1001/30, 75/2, \
    125/3, 1001/24, 200/3, 1001/15, 250/3, 1001/12, 400/3";

impl Quantity for Cycle {
    const WHAT: &'static str = "a time or a fraction of milliseconds";
    const UNITS: &'static [&'static str] = Duration::UNITS;
    const EXAMPLE: &'static str = "50/3 ms";
    const FRACTION: bool = true;

    fn parse(text: &str) -> Result<Cycle, Fault> {
        let Some((millis, rest)) = text.split_once('/') else {
            return Duration::parse(text).map(Cycle::every);
        };
        let over = rest.trim_end().strip_suffix("ms").map(str::trim);
        let number = |text: &str| text.trim().parse().ok();
        let fraction = number(millis).zip(over.and_then(number));
        let cycle = fraction.and_then(|(millis, over)| Cycle::fraction(millis, over));
        cycle.ok_or(Fault::Form(FRACTIONS))
    }

    fn show(&self) -> String {
        match self.as_fraction() {
            Some((millis, over)) => format!("{millis}/{over} ms"),
            None => self.times(1).show(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_and_times_are_read_and_written() {
        for (text, shown) in
            [("50/3 ms", "50/3 ms"), ("1001/60ms", "1001/60 ms"), ("20 ms", "20 ms")]
        {
            assert_eq!(Cycle::parse(text).map(|cycle| cycle.show()), Ok(shown.to_owned()));
        }
        for text in ["50/4 ms", "50/3", "50/3 s", "0/0 ms", "-50/3 ms", "16.7/1 ms"] {
            assert_eq!(Cycle::parse(text), Err(Fault::Form(FRACTIONS)), "{text}");
        }
        assert!(super::super::pattern::<Cycle>().contains("(/[0-9]+)?"));
    }
}
