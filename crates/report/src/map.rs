//! Users where they are, coloured by what they got.

use std::collections::BTreeMap;

use crate::cdf::unit_of;
use crate::words::{label, shown, with_unit};
use crate::{Arms, ReportError, Results, Run};
use airpath_base::random::Seed;
use airpath_campaign::ArmIdentity;
use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series, Values, capital};
use airpath_results::{Folder, Table, users};
use airpath_scenario::Scenario;
use airpath_scenario::world::NetworkDrop;
use airpath_stats::percentile;

/// Default quantity for the colours of users.
const RATE: &str = "transmitted_bps";

/// The scenario of a run.
pub(crate) const SCENARIO: &str = "scenario.toml";
/// Quantities for the colours of users on a report's map.
const ON_A_MAP: [&str; 10] = [
    RATE,
    "sinr_mean_db",
    "ip_delay_mean_ms",
    "ip_delay_p99_ms",
    "loss_rate",
    "ce_share",
    "frame_delay_p95_ms",
    "page_delay_p95_ms",
    "request_duration_p95_ms",
    "resource_blocks",
];

/// A run with a network: its scenario, its seed, and its users with their values.
struct Found {
    folder: Folder,
    /// Name of the scenario's file in the folder.
    scenario: String,
    seed: u64,
    values: Vec<(String, f64)>,
    said: String,
    /// Positions at which UEs that move began, as they were recorded.
    begins: BTreeMap<String, [f64; 2]>,
}

/// The map; `of` is a measure of users.
pub fn chart(results: &Results, of: Option<&str>) -> Result<Chart, ReportError> {
    let measure = of.unwrap_or(RATE);
    let known: Vec<String> = users::measures().collect();
    if !known.iter().any(|name| name == measure) {
        return Err(ReportError::unknown(
            "measure of users",
            measure,
            known.iter().map(String::as_str),
        ));
    }
    let found = match (results.runs.as_slice(), results.campaigns.as_slice()) {
        ([run], []) => {
            let table = run.table("users.parquet", &["ue", measure])?.unwrap_or_default();
            let values = values(&table, measure, |_| true);
            of_run(run, values)?
        }
        ([], [arms]) if arms.chosen.len() == 1 => of_arm(arms, measure)?,
        _ => {
            let mend = "name one run, or one arm as DIR:ARM";
            return Err(ReportError::missing("a map is of one run", mend));
        }
    };
    draw(&found, measure, &dropped(&found.folder, &found.scenario, found.seed)?)
}

/// A map of a run for each measure of its users that has values, the rate first.
pub fn charts(run: &Run) -> Result<Vec<Chart>, ReportError> {
    let network = dropped(&run.folder, SCENARIO, run.summary.seed)?;
    let mut charts = Vec::new();
    for measure in ON_A_MAP {
        let Some(table) = run.table("users.parquet", &["ue", measure])? else { continue };
        let found = of_run(run, values(&table, measure, |_| true))?;
        charts.extend(draw(&found, measure, &network));
    }
    Ok(charts)
}

fn of_run(run: &Run, values: Vec<(String, f64)>) -> Result<Found, ReportError> {
    let (folder, seed) = (run.folder.clone(), run.summary.seed);
    let (scenario, said) = (SCENARIO.into(), format!("seed {seed}"));
    Ok(Found { folder, scenario, seed, values, said, begins: begins(run)? })
}

/// First recorded position of each UE that moves.
fn begins(run: &Run) -> Result<BTreeMap<String, [f64; 2]>, ReportError> {
    let table = run.table("positions.parquet", &["ue", "x_m", "y_m"])?.unwrap_or_default();
    let numbers = |name| table.numbers(name).unwrap_or_default();
    let (ues, x, y) = (table.texts("ue").unwrap_or_default(), numbers("x_m"), numbers("y_m"));
    let mut begins = BTreeMap::new();
    for (row, ue) in ues.iter().enumerate() {
        if let (Some(ue), Some(x), Some(y)) = (ue, x[row], y[row]) {
            begins.entry((*ue).to_owned()).or_insert([x, y]);
        }
    }
    Ok(begins)
}

/// The first run of an arm.
fn of_arm(arms: &Arms, measure: &str) -> Result<Found, ReportError> {
    let arm: &ArmIdentity = &arms.data.summary.arms[arms.chosen[0]];
    let seed = arm.seeds.first().copied().unwrap_or_default();
    let table = arms.data.users(&[measure])?;
    let names = table.texts("arm").unwrap_or_default();
    let seeds = table.integers("seed").unwrap_or_default();
    let own = |row: usize| names[row] == Some(&arm.name) && seeds[row] == i64::try_from(seed).ok();
    let values = values(&table, measure, own);
    let said = format!("{}, seed {seed}", arm.name);
    let folder = Folder::on_disk(arms.data.folder());
    let (scenario, begins) = (arm.scenario.clone(), BTreeMap::new());
    Ok(Found { folder, scenario, seed, values, said, begins })
}

fn values(table: &Table, measure: &str, own: impl Fn(usize) -> bool) -> Vec<(String, f64)> {
    let ues = table.texts("ue").unwrap_or_default();
    let values = table.numbers(measure).unwrap_or_default();
    let row = |row: usize| Some((ues[row]?.to_owned(), values[row]?));
    (0..table.rows()).filter(|n| own(*n)).filter_map(row).collect()
}

pub(crate) fn dropped(folder: &Folder, name: &str, seed: u64) -> Result<NetworkDrop, ReportError> {
    let path = folder.path().join(name);
    let other = |what: &str| {
        let folder = path.parent().unwrap_or(&path);
        ReportError::folder(folder, what, "a map takes a run of a scenario with [network]")
    };
    let scenario = read(folder, name)
        .map_err(|error| other(&format!("has no scenario that can be read ({error})")))?;
    match NetworkDrop::with_carriers(&scenario, Seed(seed)) {
        Ok(Some(dropped)) => Ok(dropped),
        Ok(None) => Err(other("is of a scenario without a network")),
        Err(error) => Err(other(&format!("has a network that cannot be: {error}"))),
    }
}

/// Reads a scenario of results. Files that it names lie beside the original scenario, and may be
/// absent. Positions of users do not depend on them, so another text, which is a capacity and frame
/// sizes, replaces them. A file of positions is replaced by one position; the run has recorded the true ones.
fn read(folder: &Folder, name: &str) -> Result<Scenario, String> {
    let text = folder.text(name).map_err(|error| error.to_string())?;
    let is_route = |name: &str| text.contains(&format!("kind = \"file\"\nfile = {name:?}"));
    let any = |name: &str| {
        let gpx = "<gpx><trk><trkseg><trkpt lat=\"0\" lon=\"0\"><time>2000-01-01T00:00:00Z</time></trkpt>\
                   </trkseg></trk></gpx>";
        let text = match (is_route(name), name.ends_with(".gpx")) {
            (false, _) => "1000\n",
            (true, false) => "time,x,y\n0,0,0\n",
            (true, true) => gpx,
        };
        Ok(text.to_owned())
    };
    let name = folder.path().join(name).display().to_string();
    Scenario::parse_with(&name, &text, &[], &any).map_err(|errors| errors.to_string())
}

fn draw(found: &Found, measure: &str, network: &NetworkDrop) -> Result<Chart, ReportError> {
    let (factor, unit) = shown(unit_of(measure));
    let (mut x, mut y, mut of, mut names) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (ue, value) in &found.values {
        let Some(one) = network.ues.iter().find(|one| one.name == *ue) else { continue };
        let [east, north] = found.begins.get(ue).copied().unwrap_or([one.ue.at.x, one.ue.at.y]);
        x.push(east);
        y.push(north);
        of.push(value * factor);
        names.push(format!("{ue}, cell {}", one.serving));
    }
    if of.is_empty() {
        let what = format!("no user has a value of {measure}");
        return Err(ReportError::missing(what, "name another with --of"));
    }
    let sentence = sentence(&of, unit, measure);
    let users = Mark::Points { x, y, values: of, names };
    let (sites, places) = sites(network);
    Ok(Chart {
        id: "map".into(),
        title: format!("Users and their {} ({})", label(measure), found.said),
        sentence,
        panels: vec![Panel {
            x: Axis::new("x", "m"),
            y: Axis::new("y", "m"),
            layers: vec![
                Layer::plain(users).meaning("each point: a user"),
                Layer::new(&sites, places),
            ],
            values: Some(Values { label: label(measure), unit: unit.into(), range: None }),
            equal: true,
            ..Panel::default()
        }],
        ..Chart::default()
    })
}

pub(crate) fn sites(network: &NetworkDrop) -> (Series, Mark) {
    let sites = network.network.config().layout.sites();
    let mark = Mark::Points {
        x: sites.iter().map(|site| site.at.x).collect(),
        y: sites.iter().map(|site| site.at.y).collect(),
        values: Vec::new(),
        names: (0..sites.len()).map(|n| format!("site {n}")).collect(),
    };
    (Series { name: "site".into(), colour: 1, shape: 2, hollow: false }, mark)
}

fn sentence(values: &[f64], unit: &str, measure: &str) -> String {
    let at = |per_mille| with_unit(percentile(values, per_mille).unwrap_or(f64::NAN), unit);
    format!(
        "{} of {} users: {} in the median, {} at the 5th and {} at the 95th percentile.",
        capital(&label(measure)),
        values.len(),
        at(500),
        at(50),
        at(950)
    )
}

#[cfg(test)]
mod tests {
    use airpath_results::measures::is_declared;

    use super::*;

    #[test]
    fn quantities_are_declared() {
        ON_A_MAP.iter().for_each(|name| assert!(is_declared(name), "{name}"));
    }
}
