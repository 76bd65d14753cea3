//! Distributions of delays with their stages, for people and as JSON.

use airpath_base::Direction;
use airpath_latency::{Distribution, Interface, PartStage, Setting, Tdd, Tti};
use serde_json::{Map, Value, json};

use super::args::LatencyArgs;
use super::implementation::{self, Base};

/// Step of the grid in ms.
const STEP: f64 = 0.01;
/// Shares of packets, and their words.
const SHARES: [(f64, &str, &str); 6] = [
    (0.5, "50%", "p50_ms"),
    (0.95, "95%", "p95_ms"),
    (0.99, "99%", "p99_ms"),
    (0.999, "99.9%", "p99_9_ms"),
    (0.999_9, "99.99%", "p99_99_ms"),
    (0.999_99, "99.999%", "p99_999_ms"),
];
const WAYS: [(Direction, &str); 2] =
    [(Direction::Downlink, "downlink"), (Direction::Uplink, "uplink")];

/// Delays of an air interface in a direction.
struct Delay {
    whole: Distribution,
    stages: Vec<PartStage>,
}

/// An air interface, and its delays downlink and uplink.
pub struct Row {
    interface: Interface,
    delays: [Delay; 2],
}

/// All settings, each with all patterns.
///
/// # Errors
///
/// A message with the fault and its mend.
pub fn rows(args: &LatencyArgs) -> Result<Vec<Row>, String> {
    let mut patterns = args.patterns()?;
    if patterns.is_empty() {
        patterns.push(Tdd::fdd());
    }
    // Times of an implementation are other numbers of TTIs with each TTI.
    let ttis: Vec<Option<Tti>> = match args.tti.as_slice() {
        [] => vec![None],
        given => given.iter().copied().map(Some).collect(),
    };
    let mut rows = Vec::new();
    for tti in ttis {
        let base = base(args, tti, &patterns)?;
        let transmissions = usize::from(args.transmissions.unwrap_or(base.transmissions));
        for setting in args.settings(&base.setting, tti.as_slice())? {
            for tdd in &patterns {
                let interface =
                    Interface { setting, tdd: tdd.clone(), transmissions, processing: Vec::new() };
                rows.push(row(interface, &base, args)?);
            }
        }
    }
    Ok(rows)
}

fn base(args: &LatencyArgs, tti: Option<Tti>, patterns: &[Tdd]) -> Result<Base, String> {
    match &args.implementation {
        Some(name) => implementation::base(name, tti, patterns),
        None => Ok(Base {
            setting: Setting::default(),
            transmissions: 4,
            processing: [Vec::new(), Vec::new()],
        }),
    }
}

fn row(interface: Interface, base: &Base, args: &LatencyArgs) -> Result<Row, String> {
    let of = |way: usize| -> Result<Delay, String> {
        let processing = base.processing[way].iter().chain(&args.processing).cloned().collect();
        let own = Interface { processing, ..interface.clone() };
        let fault = |error| format!("--distribution: {error}");
        let whole = own.delay(WAYS[way].0, STEP).map_err(fault)?;
        Ok(Delay { whole, stages: own.stages(WAYS[way].0, STEP).map_err(fault)? })
    };
    Ok(Row { delays: [of(0)?, of(1)?], interface })
}

/// Tables within 80 columns, one for each setting and pattern.
pub fn text(rows: &[Row]) -> String {
    rows.iter().map(table).collect::<Vec<_>>().join("\n")
}

fn table(row: &Row) -> String {
    let Interface { setting, tdd, transmissions, .. } = &row.interface;
    let mut text = format!(
        "{tdd}\nTTI {}, access {}, BLER {}, HARQ round trip {}, {transmissions} transmissions\n\n",
        setting.tti, setting.access, setting.bler, setting.harq_round_trip
    );
    text += &format!("{:26}{:>7}", "ms", "mean");
    text += &SHARES.map(|(_, word, _)| format!("{word:>8}")).concat();
    text += "\n";
    for ((_, way), delay) in WAYS.iter().zip(&row.delays) {
        text += &format!("{way}\n");
        for stage in &delay.stages {
            let what = stage.what.strip_prefix("processing: ").unwrap_or(&stage.what);
            text += &line(&format!("  {what}"), &stage.distribution);
        }
        text += &line(&format!("  = {way}"), &delay.whole);
    }
    text
}

fn line(what: &str, delay: &Distribution) -> String {
    let short: String = what.chars().take(26).collect();
    // No time at all lies within the first step of the grid.
    let quantile = |share| Some(delay.quantile(share)).filter(|ms| *ms > STEP).unwrap_or(0.0);
    let quantiles = SHARES.map(|(share, ..)| format!("{:>8.2}", quantile(share))).concat();
    format!("{short:26}{:>7.2}{quantiles}\n", delay.mean())
}

/// One object for all.
pub fn json(rows: &[Row]) -> Value {
    let one = |row: &Row| {
        let Interface { setting, tdd, transmissions, .. } = &row.interface;
        let mut own = Map::from_iter([
            ("tti".to_owned(), json!(setting.tti.to_string())),
            ("tdd".to_owned(), json!(tdd.to_string())),
            ("access".to_owned(), json!(setting.access.to_string())),
            ("bler".to_owned(), json!(setting.bler.share().as_f64())),
            ("transmissions".to_owned(), json!(transmissions)),
        ]);
        for ((_, way), delay) in WAYS.iter().zip(&row.delays) {
            let stage = |stage: &PartStage| {
                let mut own = figures(&stage.distribution);
                own.insert("stage".to_owned(), json!(stage.what));
                Value::Object(own)
            };
            let mut all = figures(&delay.whole);
            all.insert("stages".to_owned(), delay.stages.iter().map(stage).collect());
            own.insert((*way).to_owned(), Value::Object(all));
        }
        Value::Object(own)
    };
    json!({ "settings": rows.iter().map(one).collect::<Vec<_>>() })
}

fn figures(delay: &Distribution) -> Map<String, Value> {
    let rounded = |ms: f64| json!((ms * 1e4).round() / 1e4);
    let mean = ("mean_ms".to_owned(), rounded(delay.mean()));
    let all = SHARES.map(|(share, _, key)| (key.to_owned(), rounded(delay.quantile(share))));
    [mean].into_iter().chain(all).collect()
}
