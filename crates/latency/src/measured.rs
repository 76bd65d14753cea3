//! Measured delays in a table of text.

use crate::ParseError;

/// Units of a column by the end of its name, with their milliseconds.
const UNITS: [(&str, f64); 4] = [("ns", 1e-6), ("us", 1e-3), ("ms", 1.0), ("s", 1e3)];

/// Delays in ms of a table with commas. Its first line names the columns; the name of the delay's has the unit
/// at its end, as `delay_ms`.
///
/// # Errors
///
/// A table without a column of that kind, and a line without a delay of zero or more, with the line and the mend.
pub fn delays(text: &str) -> Result<Vec<f64>, ParseError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((n, header)) = lines.next() else {
        return Err(ParseError::new("is empty: a first line `delay_ms`, then a delay a line"));
    };
    let (column, scale) =
        column(header).map_err(|why| ParseError::new(format!("line {}: {why}", n + 1)))?;
    let delay = |(n, line): (usize, &str)| -> Result<f64, ParseError> {
        let field = line.split(',').nth(column).unwrap_or("").trim();
        let why = match field.parse::<f64>() {
            Ok(value) if value.is_finite() && value >= 0.0 => return Ok(value * scale),
            Ok(value) if value < 0.0 => format!(
                "{field} is negative: the clocks of the two ends differ; subtract their offset first"
            ),
            _ => format!(
                "\"{field}\" is no delay: a number, or leave the line out if the packet was lost"
            ),
        };
        Err(ParseError::new(format!("line {}: {why}", n + 1)))
    };
    lines.map(delay).collect()
}

/// Number of the column with delays, and milliseconds of its unit.
fn column(header: &str) -> Result<(usize, f64), String> {
    let names: Vec<&str> = header.split(',').map(|name| name.trim().trim_matches('"')).collect();
    if names.iter().all(|name| name.parse::<f64>().is_ok()) {
        return Err(
            "has numbers and no names: a first line with the unit, as `delay_ms`".to_owned()
        );
    }
    let unit = |name: &str| {
        let (rest, unit) = name.rsplit_once('_')?;
        let known = UNITS.iter().find(|(known, _)| *known == unit)?;
        (rest == "delay" || rest.ends_with("_delay")).then_some(known.1)
    };
    let found: Vec<(usize, f64)> =
        names.iter().enumerate().filter_map(|(n, name)| Some((n, unit(name)?))).collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(format!(
            "`{}` names no delay with its unit: call the column delay_ms, delay_us, delay_ns or delay_s",
            header.trim()
        )),
        _ => Err("names several delays: keep one of these columns".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_the_header() {
        for (text, found) in [
            ("delay_ms\n1.5\n\n2\n", [1.5, 2.0]),
            ("time_s,delay_us\n1,1500\n2,2000", [1.5, 2.0]),
            ("\u{feff}delay_ms\n1.5\n2\n", [1.5, 2.0]),
            ("\"one_way_delay_s\"\r\n0.0015\r\n0.002\r\n", [1.5, 2.0]),
        ] {
            assert_eq!(delays(text).expect(text), found);
        }
    }

    #[test]
    fn faults_name_their_line_and_the_mend() {
        for (text, line, mend) in [
            ("", "is empty", "delay_ms"),
            ("1.5\n2\n", "line 1", "a first line with the unit"),
            ("delay\n1.5\n", "line 1", "delay_ms, delay_us"),
            ("delay_ms\n1\n\n-0.2\n", "line 4", "subtract their offset"),
            ("n,delay_ms\n1,2\n2\n", "line 3", "leave the line out"),
            ("delay_ms\nnan\n", "line 2", "a number"),
            ("delay_ms,up_delay_ms\n1,2\n", "line 1", "keep one"),
        ] {
            let error = delays(text).expect_err(text).to_string();
            assert!(error.contains(line) && error.contains(mend), "{text}: {error}");
        }
    }
}
