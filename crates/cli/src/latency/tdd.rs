//! Delays with time division duplex: their distributions, for people and as JSON.

use airpath_base::Direction;
use airpath_latency::{Delays, Errors, Rational, Setting, Tdd};
use serde_json::{Map, Value, json};

use super::millis;

/// Shares of packets in percent whose delays are shown.
const PERCENT: [u128; 5] = [50, 90, 95, 99, 100];

/// A setting with a pattern, and its delays downlink and uplink.
pub struct Row<'a> {
    setting: &'a Setting,
    tdd: &'a Tdd,
    delays: [Delays; 2],
}

/// All settings, each with all patterns.
///
/// # Errors
///
/// A message with settings that exclude each other, and the mend.
pub fn rows<'a>(settings: &'a [Setting], patterns: &'a [Tdd]) -> Result<Vec<Row<'a>>, String> {
    let mut rows = Vec::new();
    for setting in settings {
        for tdd in patterns {
            let of = |way| Delays::of(setting, tdd, way).map_err(|error| format!("--tdd: {error}"));
            let delays = [of(Direction::Downlink)?, of(Direction::Uplink)?];
            rows.push(Row { setting, tdd, delays });
        }
    }
    Ok(rows)
}

/// Tables within 80 columns, one for each setting and pattern.
pub fn text(rows: &[Row<'_>]) -> String {
    rows.iter().map(table).collect::<Vec<_>>().join("\n")
}

fn table(row: &Row<'_>) -> String {
    let Row { setting, tdd, delays } = row;
    let mut text = format!(
        "TDD {tdd}\nTTI {}, access {}, BLER {}, HARQ round trip {}\n\n",
        setting.tti, setting.access, setting.bler, setting.harq_round_trip
    );
    text += &format!("{:28}{:>8}{:>8}", "ms", "mean", "least");
    text += &PERCENT.map(|percent| format!("{:>7}%", percent)).concat();
    text += "\n";
    for (what, delays) in ["downlink", "uplink"].into_iter().zip(delays) {
        let with = format!("{what} with {} errors", setting.bler);
        text += &line(&format!("{what} without errors"), delays, Errors::None);
        if !setting.bler.share().is_zero() {
            text += &line(&with, delays, Errors::Share);
        }
    }
    text
}

fn line(what: &str, delays: &Delays, errors: Errors) -> String {
    let quantile = |percent| delays.quantile(errors, Rational::new(percent, 100));
    let all = [delays.mean(errors), quantile(0)].into_iter().chain(PERCENT.map(quantile));
    let figures = all.map(|nanos| format!("{:>8}", millis(nanos).decimal(3)));
    format!("  {what:26}{}\n", figures.collect::<String>())
}

/// One object for all.
pub fn json(rows: &[Row<'_>]) -> Value {
    let one = |row: &Row<'_>| {
        let Row { setting, tdd, delays: [down, up] } = row;
        json!({
            "tti": setting.tti.to_string(),
            "tti_ms": millis(setting.tti.nanos()).as_f64(),
            "tdd": tdd.to_string(),
            "access": setting.access.to_string(),
            "bler": setting.bler.share().as_f64(),
            "harq_round_trip_ms": millis(setting.harq_round_trip.nanos(setting.tti)).as_f64(),
            "downlink": by_errors(down),
            "uplink": by_errors(up),
        })
    };
    json!({ "settings": rows.iter().map(one).collect::<Vec<_>>() })
}

/// Without and with errors.
fn by_errors(delays: &Delays) -> Value {
    let one = |errors: Errors| (errors.word().replace('-', "_"), figures(delays, errors));
    Value::Object(Map::from_iter(Errors::ALL.map(one)))
}

fn figures(delays: &Delays, errors: Errors) -> Value {
    let ms = |nanos: Rational| Value::from(millis(nanos).as_f64());
    let corners = delays.corners(errors);
    let cdf = corners.into_iter().map(|(nanos, share)| json!([ms(nanos), share.as_f64()]));
    let mut figures = Map::from_iter([
        ("mean_ms".to_owned(), ms(delays.mean(errors))),
        ("min_ms".to_owned(), ms(delays.quantile(errors, Rational::ZERO))),
    ]);
    for percent in PERCENT {
        let key = if percent == 100 { "max_ms".to_owned() } else { format!("p{percent}_ms") };
        figures.insert(key, ms(delays.quantile(errors, Rational::new(percent, 100))));
    }
    figures.insert("cdf".to_owned(), cdf.collect());
    Value::Object(figures)
}
