//! `airpath latency --fit`: settings that explain measured delays, for people and as JSON.

use std::fs;
use std::path::Path;

use airpath_base::Direction;
use airpath_latency::{Access, Explanation, FEWEST_DELAYS, Fitted, Grid, Tdd, Tti, delays, fit};
use serde_json::{Map, Value, json};

use super::args::{Kind, LatencyArgs, Way};

/// Settings of a group that are listed.
const LISTED: usize = 6;

/// The fit of a file.
///
/// # Errors
///
/// A message with the file, the line and the mend.
pub fn fitted(file: &Path, args: &LatencyArgs) -> Result<Fitted, String> {
    let name = file.display();
    let text = fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let measured = delays(&text).map_err(|error| format!("{name}: {error}"))?;
    let grid = grid(args)?;
    fit(&measured, &grid).map_err(|error| match measured.len() < FEWEST_DELAYS {
        true => format!("{name} {error}"),
        false => format!("--fit: no setting of these options is possible: {error}"),
    })
}

/// The usual grid, or what options say.
fn grid(args: &LatencyArgs) -> Result<Grid, String> {
    let direction = match args.direction {
        Way::Up => Direction::Uplink,
        Way::Down => Direction::Downlink,
    };
    let mut grid = Grid::usual(direction).map_err(|error| error.to_string())?;
    let patterns = args.patterns()?;
    if !patterns.is_empty() || !args.tti.is_empty() {
        let patterns = if patterns.is_empty() { vec![Tdd::fdd()] } else { patterns };
        let ttis = if args.tti.is_empty() { vec![Tti::LTE] } else { args.tti.clone() };
        let with = |tti: &Tti| patterns.iter().map(|tdd| (*tti, tdd.clone())).collect::<Vec<_>>();
        grid.slots = ttis.iter().flat_map(with).collect();
    }
    grid.accesses = accesses(args, &grid.accesses)?;
    if !args.bler.is_empty() {
        grid.blers.clone_from(&args.bler);
    }
    grid.transmissions = usize::from(args.transmissions.unwrap_or(4));
    Ok(grid)
}

/// Accesses of the usual grid, or those of the lists that are given: each list replaces its own values alone.
fn accesses(args: &LatencyArgs, usual: &[Access]) -> Result<Vec<Access>, String> {
    let lists = [
        ("--access", args.access.is_empty()),
        ("--sr", args.sr.is_empty()),
        ("--period", args.period.is_empty()),
    ];
    if args.direction == Way::Down
        && let Some((option, _)) = lists.iter().find(|(_, empty)| !empty)
    {
        return Err(format!(
            "{option} is of packets uplink: leave it out with --direction down, or the direction"
        ));
    }
    args.check_periods(&[Kind::Sr, Kind::Configured])?;
    let is_wanted = |access: &&Access| {
        let kind = match access {
            Access::SchedulingRequest { .. } => Kind::Sr,
            Access::Configured { .. } => Kind::Configured,
            Access::Instant => Kind::Instant,
        };
        let own = [(Kind::Sr, &args.sr), (Kind::Configured, &args.period)];
        let has_own_list = own.iter().any(|(known, list)| *known == kind && !list.is_empty());
        !has_own_list && (args.access.is_empty() || args.access.contains(&kind))
    };
    let requests = args.sr.iter().map(|period| Access::SchedulingRequest { period: *period });
    let configured = args.period.iter().map(|period| Access::Configured { period: *period });
    let kept = usual.iter().filter(is_wanted).copied();
    Ok(requests.chain(configured).chain(kept).collect())
}

/// Text within 80 columns or little more.
pub fn text(found: &Fitted) -> String {
    let mut text = format!("{} delays, {} settings tried\n", found.samples, found.tried);
    let fits = format!("distance {:.3}, probability {:.2}", found.distance, found.probability);
    text += &match found.explained {
        true => format!("explained: {fits}\n\nsettings, by likelihood\n"),
        false => format!(
            "unexplained: {fits}\nNo setting that was tried has such delays. The nearest is\n"
        ),
    };
    for group in &found.groups {
        if group.settings.len() > 1 {
            text += &format!(
                "{} that these delays cannot tell apart, {}\n",
                group.settings.len(),
                percent(group.weight)
            );
        }
        for one in group.settings.iter().take(LISTED) {
            text += &setting(one);
        }
        if let Some(more) = group.settings.len().checked_sub(LISTED).filter(|more| *more > 0) {
            text += &format!("  and {more} more\n");
        }
    }
    if let Some(best) = bounded(found) {
        text += &format!(
            "note: exponential times up to {} ms are tried, and the best setting has the greatest\n",
            best.exponential_ms
        );
    }
    if found.explained {
        text += "\nvalues, by likelihood\n";
        for share in &found.shares {
            text += &format!("  {:18}{:24}{:>6}\n", share.name, share.value, percent(share.weight));
        }
    }
    text += "\nleft, ms   ";
    text += &found.left.iter().map(|[share, ..]| format!("{share:>9}%")).collect::<String>();
    for (word, n) in [("  measured", 1), ("  setting", 2)] {
        let figure = |ms: f64| if ms < 1e6 { format!("{ms:.2}") } else { format!("{ms:.1e}") };
        let cells = found.left.iter().map(|row| format!("{:>10}", figure(row[n])));
        text += &format!("\n{word:11}{}", cells.collect::<String>());
    }
    text + "\n"
}

/// The best setting, if its exponential time is the greatest that is tried.
fn bounded(found: &Fitted) -> Option<&Explanation> {
    let best = found.groups.first().and_then(|group| group.settings.first());
    best.filter(|best| best.is_at_bound())
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

fn setting(one: &Explanation) -> String {
    let name = |name: &str| match name {
        "k2" => "k2 ",
        "grant preparation" => "grant after ",
        "errors" => "errors ",
        _ => "",
    };
    let values = one.candidate.values.iter().map(|(own, value)| format!("{}{value}", name(own)));
    let values: Vec<String> = values.collect();
    let more = match one.exponential_ms > 0.0 {
        true => format!(" + exponential {} ms", one.exponential_ms),
        false => String::new(),
    };
    let processing = format!("processing {:.1} ms{more}", one.constant_ms);
    format!("{:>6}  {}\n        {processing}\n", percent(one.weight), values.join("; "))
}

/// One object.
pub fn json(found: &Fitted) -> Value {
    let rounded = |value: f64| json!((value * 1e6).round() / 1e6);
    let one = |one: &Explanation| {
        let values = one.candidate.values.iter();
        let mut own: Map<String, Value> =
            values.map(|(name, value)| (name.replace(' ', "_"), json!(value))).collect();
        own.insert("processing_ms".to_owned(), rounded(one.constant_ms));
        own.insert("exponential_ms".to_owned(), rounded(one.exponential_ms));
        own.insert("weight".to_owned(), rounded(one.weight));
        own.insert("log_likelihood".to_owned(), rounded(one.log_likelihood));
        Value::Object(own)
    };
    let groups = found.groups.iter().map(|group| {
        json!({
            "weight": rounded(group.weight),
            "settings": group.settings.iter().map(one).collect::<Vec<_>>(),
        })
    });
    let values = found
        .shares
        .iter()
        .map(|own| json!({ "name": own.name, "value": own.value, "weight": rounded(own.weight) }));
    let left = found.left.iter().map(|[percent, measured, setting]| {
        json!({ "percent": percent, "measured_ms": rounded(*measured), "setting_ms": rounded(*setting) })
    });
    json!({
        "samples": found.samples,
        "tried": found.tried,
        "explained": found.explained,
        "distance": rounded(found.distance),
        "probability": rounded(found.probability),
        "exponential_at_bound": bounded(found).is_some(),
        "groups": groups.collect::<Vec<_>>(),
        "values": values.collect::<Vec<_>>(),
        "left": left.collect::<Vec<_>>(),
    })
}
