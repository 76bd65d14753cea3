//! Quantities with their units, as text: `"5 Mbit/s"`, `"25 ms"`, `"10 KiB"`.
//!
//! A number, perhaps with a fraction, and a unit, perhaps with a space between.
//! Quantities that are counted (time, bytes, rates, frequencies) are read without
//! rounding: what is finer than their smallest unit is refused. Each is written in
//! the largest unit that is not above it, and reads back as itself.

mod cycle;
mod meant;
mod number;
mod quantity;
mod real;
mod values;

use airpath_base::{BitRate, Bytes, Duration};

use crate::{Decoder, Field, Json, Node, Value, json};

pub use number::{Decimal, Fault, show, split};
pub use quantity::Hertz;
pub use real::{Degrees, Metres, Milliwatts, NanojoulesPerBit, PerSecond, Position, Speed};
pub use values::{Buffer, Every, EveryCycle, Length, Limit, Phase, Rate, Size, Threshold, Timer};

/// A kind of quantity.
pub trait Quantity: Sized {
    /// Name of the quantity, with its article.
    const WHAT: &'static str;
    /// Its units as the file may have them, the best known first.
    const UNITS: &'static [&'static str];
    /// An example.
    const EXAMPLE: &'static str;
    /// A word that is allowed instead of a number and a unit.
    const WORD: Option<&'static str> = None;
    /// True if it may be negative.
    const SIGNED: bool = false;
    /// True if it may be a fraction of whole numbers, as 50/3.
    const FRACTION: bool = false;

    /// Reads text; the error says what is wrong with it.
    fn parse(text: &str) -> Result<Self, Fault>;

    /// Writes it so that [`Quantity::parse`] gives the same.
    fn show(&self) -> String;
}

impl<T: Quantity> Field for T {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        decode_quantity(node, cx, T::WORD)
    }

    fn encode(&self) -> Json {
        self.show().into()
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": pattern::<T>(), "examples": [T::EXAMPLE]})
    }
}

/// Reads a quantity; `word` is what the field accepts beside it.
pub fn decode_quantity<T: Quantity>(
    node: &Node,
    cx: &mut Decoder,
    word: Option<&str>,
) -> Option<T> {
    let mut allowed = format!(
        "{} with its unit ({}) in quotes, as \"{}\"",
        T::WHAT,
        T::UNITS.join(", "),
        T::EXAMPLE
    );
    if let Some(word) = word {
        allowed = format!("{allowed}; or \"{word}\"");
    }
    let text = match &node.value {
        Value::String(text) => text,
        Value::Integer(_) | Value::Float(_) => {
            return cx.fail(&node.place, "has no unit", format!("it must be {allowed}"));
        }
        _ => return cx.wrong_kind(node, &allowed),
    };
    match T::parse(text) {
        Ok(quantity) => Some(quantity),
        Err(fault) => {
            let allowed = format!("it must be {allowed}");
            let help = match &fault {
                Fault::Unit(unit) => meant::help(unit, T::UNITS, &allowed),
                Fault::Form(advice) => format!("{advice}; {allowed}"),
                _ => allowed,
            };
            cx.fail(&node.place, &fault.describe(T::WHAT), help)
        }
    }
}

/// Reads a time with its unit, as "25 ms", outside a scenario file.
///
/// # Errors
///
/// What is wrong with it, and what is allowed.
pub fn duration(text: &str) -> Result<Duration, String> {
    quantity(text)
}

/// Reads a rate with its unit, as "5 Mbit/s", outside a scenario file.
///
/// # Errors
///
/// As [`duration`].
pub fn bit_rate(text: &str) -> Result<BitRate, String> {
    quantity(text)
}

/// Reads a size with its unit, as "10 KiB", outside a scenario file.
///
/// # Errors
///
/// As [`duration`].
pub fn bytes(text: &str) -> Result<Bytes, String> {
    quantity(text)
}

fn quantity<T: Quantity>(text: &str) -> Result<T, String> {
    let allowed = format!("it must be {} with its unit, as \"{}\"", T::WHAT, T::EXAMPLE);
    let wrong = |fault: Fault| format!("{}; {allowed}", fault.describe(T::WHAT));
    T::parse(text).map_err(wrong)
}

/// A regular expression for the texts of a quantity.
pub fn pattern<T: Quantity>() -> String {
    let sign = if T::SIGNED { "[+-]?" } else { "\\+?" };
    let word = T::WORD.map(|word| format!("{word}|")).unwrap_or_default();
    let fraction = if T::FRACTION { "(/[0-9]+)?" } else { "" };
    format!("^({word}{sign}[0-9]+(\\.[0-9]+)?{fraction} *({}))$", T::UNITS.join("|"))
}

#[cfg(test)]
#[path = "units_tests.rs"]
mod tests;
