//! Latencies as JSON. Numbers are the nearest to the exact fractions.

use airpath_latency::{Convention, Errors, Figure, Latency, Line, Rational, Setting};
use serde_json::{Map, Value, json};

use super::{millis, round_trip};

/// One object for all settings.
pub fn settings(settings: &[Setting]) -> Value {
    json!({ "settings": settings.iter().map(setting).collect::<Vec<_>>() })
}

fn setting(setting: &Setting) -> Value {
    let latency = Latency::of(setting);
    let lines = |lines: &[Line]| lines.iter().map(|one| line(&latency, one)).collect::<Vec<_>>();
    json!({
        "tti": setting.tti.to_string(),
        "tti_ms": millis(setting.tti.nanos()).as_f64(),
        "access": setting.access.to_string(),
        "bler": setting.bler.share().as_f64(),
        "harq_round_trip_ms": millis(setting.harq_round_trip.nanos(setting.tti)).as_f64(),
        "convention": setting.convention.word(),
        "downlink": lines(&latency.downlink),
        "uplink": lines(&latency.uplink),
        "totals": totals(setting),
    })
}

fn line(latency: &Latency, line: &Line) -> Value {
    json!({
        "step": line.word,
        "what": line.what,
        "source": line.source,
        "access": line.access,
        "ttis": latency.ttis(line.nanos).as_f64(),
        "ms": millis(line.nanos).as_f64(),
    })
}

/// By convention, without and with errors.
fn totals(setting: &Setting) -> Value {
    let by = |convention| {
        let latency = Latency::of(&Setting { convention, ..*setting });
        let one = |errors: Errors| (key(errors.word()), figures(&latency, errors));
        Value::Object(Map::from_iter(Errors::ALL.map(one)))
    };
    let all = Convention::ALL.map(|convention| (convention.word().to_owned(), by(convention)));
    Value::Object(Map::from_iter(all))
}

fn figures(latency: &Latency, errors: Errors) -> Value {
    let ms = |nanos: Rational| Value::from(millis(nanos).as_f64());
    let one = |figure: Figure| (key(figure.word()) + "_ms", ms(latency.figure(figure, errors)));
    let mut figures = Map::from_iter(Figure::ALL.map(one));
    figures.insert("round_trip_ms".to_owned(), ms(round_trip(latency, errors)));
    Value::Object(figures)
}

fn key(word: &str) -> String {
    word.replace('-', "_")
}
