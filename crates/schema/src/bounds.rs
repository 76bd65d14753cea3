//! Restrictions beyond the type: ranges and sets of values.

use crate::{Field, Json};

/// A restriction on the values of a field.
pub trait Check<T> {
    /// Fault of the value, as the rest of a sentence; none if the value is allowed.
    fn broken(&self, value: &T) -> Option<String>;

    /// Allowed values, for messages and the schema; empty if everything is allowed.
    fn allowed(&self) -> String;

    /// Adds the restriction to the field's schema.
    fn annotate(&self, schema: &mut Json);
}

impl<T> Check<T> for () {
    fn broken(&self, _: &T) -> Option<String> {
        None
    }
    fn allowed(&self) -> String {
        String::new()
    }
    fn annotate(&self, _: &mut Json) {}
}

/// A range of values.
#[derive(Clone, Copy)]
pub struct Bounds<T> {
    low: T,
    low_itself: bool,
    high: Option<T>,
}

/// Values above `low`.
pub fn above<T>(low: T) -> Bounds<T> {
    Bounds { low, low_itself: false, high: None }
}

/// Values above `low`, and `high` at most.
pub fn above_to<T>(low: T, high: T) -> Bounds<T> {
    Bounds { low, low_itself: false, high: Some(high) }
}

/// `low` and values above.
pub fn at_least<T>(low: T) -> Bounds<T> {
    Bounds { low, low_itself: true, high: None }
}

/// Values from `low` to `high`, both included.
pub fn between<T>(low: T, high: T) -> Bounds<T> {
    Bounds { low, low_itself: true, high: Some(high) }
}

fn shown<T: Field>(value: &T) -> String {
    value.encode().shown()
}

impl<T: Field + PartialOrd> Check<T> for Bounds<T> {
    fn broken(&self, value: &T) -> Option<String> {
        let low_enough = self.high.as_ref().is_none_or(|high| value <= high);
        let high_enough = *value > self.low || (self.low_itself && *value == self.low);
        match (high_enough, low_enough) {
            (true, true) => None,
            (true, false) => Some(format!("is too large: {}", shown(value))),
            (false, _) if is_zero(value) => Some("is zero".to_owned()),
            (false, _) => Some(format!("is too small: {}", shown(value))),
        }
    }

    fn allowed(&self) -> String {
        let low = shown(&self.low);
        match (&self.high, self.low_itself) {
            (None, true) => format!("{low} or more"),
            (None, false) => format!("more than {low}"),
            (Some(high), true) => format!("{low} to {}", shown(high)),
            (Some(high), false) => format!("more than {low}, at most {}", shown(high)),
        }
    }

    fn annotate(&self, schema: &mut Json) {
        let low = self.low.encode();
        if let Json::Integer(_) | Json::Float(_) = low {
            let name = if self.low_itself { "minimum" } else { "exclusiveMinimum" };
            schema.set(name, low);
            if let Some(high) = &self.high {
                schema.set("maximum", high.encode());
            }
        }
    }
}

fn is_zero<T: Field>(value: &T) -> bool {
    let text = shown(value);
    let number = text.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    number == Some(0.0)
}

/// One of a few values.
pub struct OneOf<T: 'static>(&'static [T]);

/// These values only.
pub const fn one_of<T>(values: &'static [T]) -> OneOf<T> {
    OneOf(values)
}

impl<T: Field + PartialEq> Check<T> for OneOf<T> {
    fn broken(&self, value: &T) -> Option<String> {
        (!self.0.contains(value)).then(|| format!("cannot be {}", shown(value)))
    }

    fn allowed(&self) -> String {
        let values: Vec<String> = self.0.iter().map(shown).collect();
        match values.as_slice() {
            [only] => format!("only {only}"),
            _ => format!("one of {}", values.join(", ")),
        }
    }

    fn annotate(&self, schema: &mut Json) {
        schema.set("enum", self.0.iter().map(Field::encode).collect::<Json>());
    }
}

macro_rules! through_option {
    ($check:ident) => {
        impl<T: Field> Check<Option<T>> for $check<T>
        where
            $check<T>: Check<T>,
        {
            fn broken(&self, value: &Option<T>) -> Option<String> {
                value.as_ref().and_then(|value| self.broken(value))
            }
            fn allowed(&self) -> String {
                Check::<T>::allowed(self)
            }
            fn annotate(&self, schema: &mut Json) {
                Check::<T>::annotate(self, schema);
            }
        }
    };
}

through_option!(Bounds);
through_option!(OneOf);
