//! A path for people, within 80 columns and a screen, and as JSON.

use airpath_base::Duration;
use airpath_plot::plural;
use airpath_scenario::world::{Reach, Surveyed};
use serde_json::{Value, json as object};

use super::super::reach::way;
use super::{Path, Step, seconds};
use crate::table::{number, rounded};
use crate::wrap::wrap;

/// Columns of the screen.
const WIDTH: usize = 80;
/// Positions on the screen at most.
const MOST_ROWS: usize = 13;

/// The path as a table and a summary.
pub fn text(path: &Path<'_>) -> String {
    let every = match path.step {
        Step::Time(time) => time.to_string(),
        Step::Length(metres) => format!("{} m", rounded(metres)),
    };
    let mut text = format!("{} on its route, each {every}; seed {}\n\n", path.ue, path.seed);
    text += &format!(
        "{:>8}{:>9}{:>9}{:>9}{:>6}{:>6}{:>8}{:>7}{:>9}{:>9}\n",
        "time,", "way,", "x,", "y,", "km/h", "cell", "RSRP,", "geom.,", "down,", "up,"
    );
    text += &format!(
        "{:>8}{:>9}{:>9}{:>9}{:>6}{:>6}{:>8}{:>7}{:>9}{:>9}\n",
        "s", "m", "m", "m", "", "", "dBm", "dB", "Mbit/s", "Mbit/s"
    );
    path.points.iter().take(MOST_ROWS).for_each(|(point, way_m)| text += &row(point, *way_m));
    if let more @ 1.. = path.points.len().saturating_sub(MOST_ROWS) {
        text += &format!("and {more} more: --json has them all\n");
    }
    text.push('\n');
    text + &wrap(&summary(path), "", "", WIDTH)
}

fn row(point: &Surveyed, way_m: f64) -> String {
    let rate = |reach: &Reach| match reach.rate.as_bps() {
        0 => "none".to_owned(),
        bps => number(Some(bps as f64 / 1e6)),
    };
    let [down, up] = point.reach.each_ref().map(rate);
    let (at, kmh) = (point.motion.at, 3.6 * point.motion.velocity.length());
    format!(
        "{:8.2}{way_m:9.1}{:9.1}{:9.1}{kmh:6.0}{:>6}{:8.1}{:7.1}{down:>9}{up:>9}\n",
        seconds(point.at),
        at.x,
        at.y,
        point.cell,
        point.rsrp_dbm,
        point.geometry_db,
    )
}

/// Cells, range of levels, positions out of range, and which cell serves.
fn summary(path: &Path<'_>) -> String {
    let cells: Vec<usize> = path.points.iter().map(|(point, _)| point.cell).collect();
    let changes = cells.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let mut distinct = cells.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let levels = || path.points.iter().map(|(point, _)| point.geometry_db);
    let (low, high) = (levels().fold(f64::MAX, f64::min), levels().fold(f64::MIN, f64::max));
    let mut text = format!(
        "{} with {} of the serving cell; geometry from {low:.1} dB to {high:.1} dB",
        plural(distinct.len(), "cell"),
        plural(changes, "change"),
    );
    for (n, direction) in ["downlink", "uplink"].into_iter().enumerate() {
        let out = path.points.iter().filter(|(point, _)| point.reach[n].mcs.is_none()).count();
        if out > 0 {
            text += &format!("; out of range {direction} at {out} of {}", path.points.len());
        }
    }
    let serves = match hands_over(path) {
        true => {
            "The strongest cell serves here. In a run its event, the time to trigger and the procedure \
             come later, and cells have the load of the run."
        }
        false => "The cell of the begin serves, as there is no network.handover.",
    };
    format!("{text}. {serves}")
}

fn hands_over(path: &Path<'_>) -> bool {
    path.scenario.network.as_ref().is_some_and(|network| network.handover.is_some())
}

/// The path as a JSON object.
pub fn json(path: &Path<'_>) -> Value {
    let point = |(point, way_m): &(Surveyed, f64)| {
        let [down, up] = point.reach.each_ref().map(way);
        object!({
            "time_s": seconds(point.at),
            "way_m": rounded(*way_m),
            "x_m": rounded(point.motion.at.x),
            "y_m": rounded(point.motion.at.y),
            "speed_kmh": rounded(3.6 * point.motion.velocity.length()),
            "cell": point.cell,
            "rsrp_dbm": rounded(point.rsrp_dbm),
            "geometry_db": rounded(point.geometry_db),
            "down": down,
            "up": up,
        })
    };
    let (every_s, every_m) = match path.step {
        Step::Time(time) => (Some(Duration::as_secs_f64(time)), None),
        Step::Length(metres) => (None, Some(metres)),
    };
    object!({
        "seed": path.seed,
        "ue": path.ue,
        "every_s": every_s,
        "every_m": every_m,
        "strongest_cell": hands_over(path),
        "points": path.points.iter().map(point).collect::<Vec<_>>(),
    })
}
