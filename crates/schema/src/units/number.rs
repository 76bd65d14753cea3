//! Decimal numbers and their units in text.

/// Fault of the text of a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It does not begin with a number.
    Number,
    /// The number is written in a way that is not read, with what to write instead.
    Form(&'static str),
    /// There is no unit.
    NoUnit,
    /// The unit is none of this quantity.
    Unit(String),
    /// It is below zero and must not be.
    Negative,
    /// It is not a whole number of the smallest unit.
    TooFine(&'static str),
    /// It is more than airpath can count.
    TooLarge(&'static str),
}

impl Fault {
    /// The fault as the rest of a sentence.
    pub fn describe(&self, what: &str) -> String {
        match self {
            Fault::Number | Fault::Form(_) => format!("is not {what}"),
            Fault::NoUnit => "has no unit".to_owned(),
            Fault::Unit(unit) => format!("has the unit \"{unit}\", not that of {what}"),
            Fault::Negative => "is negative".to_owned(),
            Fault::TooFine(smallest) => format!("is finer than {smallest}"),
            Fault::TooLarge(largest) => format!("is too large: at most {largest} can be counted"),
        }
    }
}

/// A decimal number as written.
#[derive(Clone, Copy, Debug)]
pub struct Decimal<'a> {
    /// True if it is below zero, or minus zero.
    pub negative: bool,
    whole: &'a str,
    fraction: &'a str,
}

/// Splits text into its number and its unit.
pub fn split(text: &str) -> Result<(Decimal<'_>, &str), Fault> {
    let text = text.trim();
    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, rest) = digits(unsigned);
    let (fraction, rest) = match rest.strip_prefix('.') {
        None => ("", rest),
        Some(rest) => digits(rest),
    };
    let has_point = unsigned.len() > whole.len() && unsigned[whole.len()..].starts_with('.');
    if whole.is_empty() || (has_point && fraction.is_empty()) {
        return Err(Fault::Number);
    }
    match rest.trim_start() {
        "" => Err(Fault::NoUnit),
        unit => match unread(unit) {
            Some(advice) => Err(Fault::Form(advice)),
            None => Ok((Decimal { negative, whole, fraction }, unit)),
        },
    }
}

/// Advice if the text behind the digits is no unit but more of the number.
fn unread(unit: &str) -> Option<&'static str> {
    let digits = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let exponent = unit.strip_prefix(['e', 'E']).map(|rest| rest.trim_start_matches(['-', '+']));
    match unit.chars().next()? {
        ',' | '_' | '\'' => Some("digits stand together, with a point before the fraction"),
        _ if exponent.is_some_and(digits) => Some("write the number out, without an exponent"),
        _ if unit.contains(|c: char| c.is_ascii_digit()) => {
            Some("one number and one unit, \"90 min\" rather than \"1 h 30 min\"")
        }
        _ => None,
    }
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// More than 64 bits.
struct OutOfRange;

impl Decimal<'_> {
    /// The number times `factor` as a whole number; `None` if it is not one.
    ///
    /// # Errors
    ///
    /// `too_large`, if the product does not fit.
    pub fn times(self, factor: u64, too_large: Fault) -> Result<Option<u64>, Fault> {
        self.product(factor).map_err(|OutOfRange| too_large)
    }

    fn product(self, factor: u64) -> Result<Option<u64>, OutOfRange> {
        let fraction = self.fraction.trim_end_matches('0');
        let scale = u32::try_from(fraction.len()).map_err(|_| OutOfRange)?;
        // Ten digits are more than any unit is divided into.
        if scale > 15 {
            return Ok(None);
        }
        let whole: u128 = self.whole.parse().map_err(|_| OutOfRange)?;
        let fraction: u128 =
            if fraction.is_empty() { 0 } else { fraction.parse().map_err(|_| OutOfRange)? };
        let power = 10_u128.pow(scale);
        let all =
            whole.checked_mul(power).and_then(|n| n.checked_add(fraction)).ok_or(OutOfRange)?;
        let product = all.checked_mul(u128::from(factor)).ok_or(OutOfRange)?;
        if product % power != 0 {
            return Ok(None);
        }
        u64::try_from(product / power).map(Some).map_err(|_| OutOfRange)
    }

    /// The number, rounded to the nearest that floating point has.
    pub fn as_f64(self) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}.{}0", self.whole, self.fraction).parse().unwrap_or(f64::INFINITY)
    }
}

/// `count` in units of `factor` as decimal text, exact for powers of ten.
pub fn show(count: u64, factor: u64) -> String {
    let (whole, rest) = (count / factor, count % factor);
    if rest == 0 {
        return whole.to_string();
    }
    let places = factor.ilog10() as usize;
    let fraction = format!("{rest:0places$}");
    format!("{whole}.{}", fraction.trim_end_matches('0'))
}
