//! Times of processing beside the slots of the radio, by their distributions.

use core::fmt;
use core::str::FromStr;

use airpath_base::math;

use crate::ParseError;
use crate::parse::{number, unit};

/// Distribution of a time of processing, in ms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Processing {
    /// Always the same.
    Fixed(f64),
    /// Evenly distributed between two bounds.
    Uniform(f64, f64),
    /// Exponentially distributed with this mean.
    Exponential(f64),
    /// Lognormally distributed: median, and standard deviation of the natural logarithm.
    Lognormal(f64, f64),
}

/// Largest time of which all but a millionth are, in ms. A distribution is a table of steps, which takes long to convolve
/// beyond that.
const LONGEST: f64 = 250.0;

impl Processing {
    /// Time in ms that all but a millionth of times do not exceed.
    fn tail(self) -> f64 {
        match self {
            Processing::Fixed(time) => time,
            Processing::Uniform(_, max) => max,
            // ln(10^6), and the quantile of the normal distribution.
            Processing::Exponential(mean) => 13.8155 * mean,
            Processing::Lognormal(median, sigma) => median * math::exp(4.7534 * sigma),
        }
    }

    /// Share of times that are `ms` at most.
    pub fn at_most(self, ms: f64) -> f64 {
        match self {
            Processing::Fixed(time) => f64::from(u8::from(ms >= time)),
            Processing::Uniform(min, max) if max > min => {
                ((ms - min) / (max - min)).clamp(0.0, 1.0)
            }
            Processing::Uniform(time, _) => f64::from(u8::from(ms >= time)),
            _ if ms <= 0.0 => 0.0,
            Processing::Exponential(mean) if mean > 0.0 => 1.0 - math::exp(-ms / mean),
            Processing::Lognormal(median, sigma) if median > 0.0 && sigma > 0.0 => {
                let deviations = math::ln(ms / median) / sigma;
                0.5 * (1.0 + math::erf(deviations / core::f64::consts::SQRT_2))
            }
            Processing::Lognormal(median, _) => f64::from(u8::from(ms >= median)),
            Processing::Exponential(_) => 1.0,
        }
    }

    /// Mean in ms.
    pub fn mean(self) -> f64 {
        match self {
            Processing::Fixed(time) | Processing::Exponential(time) => time,
            Processing::Uniform(min, max) => 0.5 * (min + max),
            Processing::Lognormal(median, sigma) => median * math::exp(0.5 * sigma * sigma),
        }
    }

    /// True if the time is always the same.
    pub(crate) fn fixed(self) -> Option<f64> {
        match self {
            Processing::Fixed(time) => Some(time),
            Processing::Uniform(min, max) if max <= min => Some(min),
            Processing::Exponential(mean) if mean <= 0.0 => Some(0.0),
            Processing::Lognormal(median, sigma) if sigma <= 0.0 || median <= 0.0 => Some(median),
            _ => None,
        }
    }
}

/// A time in ms with its unit.
fn millis(text: &str) -> Option<f64> {
    let (value, name) = number(text)?;
    Some((value * unit(name)?).as_f64() / 1e6)
}

impl FromStr for Processing {
    type Err = ParseError;

    /// `0.3ms`, `uniform:0.1ms:0.5ms`, `exponential:0.2ms`, `lognormal:0.3ms:0.5`.
    fn from_str(text: &str) -> Result<Processing, ParseError> {
        let fault = "is no time of processing: a time, as \"0.3ms\", or uniform:0.1ms:0.5ms, \
                     exponential:0.2ms, lognormal:0.3ms:0.5 with median and deviation of the logarithm";
        let words: Vec<&str> = text.trim().split(':').collect();
        let found = match words[..] {
            [time] => millis(time).map(Processing::Fixed),
            ["uniform", min, max] => millis(min)
                .zip(millis(max))
                .filter(|(min, max)| min <= max)
                .map(|(min, max)| Processing::Uniform(min, max)),
            ["exponential", mean] => millis(mean).map(Processing::Exponential),
            ["lognormal", median, sigma] => {
                let sigma = number(sigma).filter(|(_, unit)| unit.is_empty());
                let sigma = sigma.map(|(value, _)| value.as_f64()).filter(|sigma| *sigma <= 3.0);
                millis(median)
                    .zip(sigma)
                    .map(|(median, sigma)| Processing::Lognormal(median, sigma))
            }
            _ => None,
        };
        let found = found.ok_or_else(|| ParseError::new(fault))?;
        match found.tail() <= LONGEST {
            true => Ok(found),
            false => Err(ParseError::new(
                "is too long: all but a millionth of the times have to be 250 ms at most",
            )),
        }
    }
}

impl fmt::Display for Processing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Processing::Fixed(time) => format!("{time} ms"),
            Processing::Uniform(min, max) => format!("uniform {min} to {max} ms"),
            Processing::Exponential(mean) => format!("exponential with a mean of {mean} ms"),
            Processing::Lognormal(median, sigma) => {
                format!("lognormal, median {median} ms, sigma {sigma}")
            }
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_distribution() {
        // Quartiles of the normal distribution lie 0.67449 deviations from the median.
        let cases = [
            ("2ms", 2.0, 1.0),
            ("2ms", 1.999, 0.0),
            ("uniform:1ms:3ms", 1.5, 0.25),
            ("exponential:1ms", core::f64::consts::LN_2, 0.5),
            ("lognormal:1ms:0.5", 1.401_1, 0.75),
            ("lognormal:500us:0.5", 0.5, 0.5),
        ];
        for (text, ms, share) in cases {
            let found = text.parse::<Processing>().expect(text).at_most(ms);
            assert!((found - share).abs() < 1e-4, "{text}: {found}");
        }
    }

    #[test]
    fn long_tails_are_refused() {
        // exp(-13.8155) is a millionth: 18 ms have it at 248.7 ms, 19 ms at 262.5 ms.
        assert!("exponential:18ms".parse::<Processing>().is_ok());
        for text in ["20s", "uniform:1ms:251ms", "exponential:19ms", "lognormal:0.3ms:1.5"] {
            let error = text.parse::<Processing>().expect_err(text).to_string();
            assert!(error.contains("250 ms at most"), "{error}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_what_is() {
        for text in
            ["", "2", "-1ms", "uniform:3ms:1ms", "normal:1ms:1ms", "lognormal:1ms:4", "exponential"]
        {
            let error = text.parse::<Processing>().expect_err(text).to_string();
            assert!(error.contains("lognormal:0.3ms:0.5"), "{error}");
        }
    }
}
