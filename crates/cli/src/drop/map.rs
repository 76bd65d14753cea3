//! A drop as a map: sites with the directions of their cells, UEs by their geometry.

use airpath_channel::{Point, Surroundings};
use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series, Values};
use airpath_scenario::world::{DroppedUe, NetworkDrop};
use airpath_scenario::{Carrier, Scenario};

/// Length of a cell's pointer, as a share of the map's.
const POINTER: f64 = 0.03;

/// The map. North is up.
pub fn chart(scenario: &Scenario, dropped: &NetworkDrop) -> Chart {
    let places = [("outdoors or in a car", false), ("in a building", true)];
    let users = places.into_iter().enumerate().filter_map(|(n, (name, inside))| {
        let mark = users(dropped, inside)?;
        Some(Layer::new(&Series::new(name, n), mark))
    });
    let label = match scenario.carrier.iter().all(Carrier::has_cells) {
        true => "geometry",
        false => "geometry on the cells' own carrier",
    };
    let panel = Panel {
        x: Axis::new("east", "m"),
        y: Axis::new("north", "m"),
        layers: cells(dropped).into_iter().chain(users).collect(),
        values: Some(Values { label: label.into(), unit: "dB".into(), range: None }),
        equal: true,
        ..Panel::default()
    };
    Chart {
        id: "drop".into(),
        title: "Cells and UEs".into(),
        sentence: sentence(scenario, dropped),
        panels: vec![panel],
        ..Chart::default()
    }
}

/// Pointers from each cell's site in the direction of its antenna, their ends and numbers.
fn cells(dropped: &NetworkDrop) -> [Layer; 3] {
    let config = dropped.network.config();
    let length = POINTER * extent(dropped);
    let (mut x, mut y, mut ends, mut names, mut numbers) = (vec![], vec![], vec![], vec![], vec![]);
    for (number, cell) in dropped.network.cells().iter().enumerate() {
        let site = config.layout.sites()[cell.site].at;
        let way = Point::polar(length, cell.azimuth_deg);
        let end = Point { x: site.x + way.x, y: site.y + way.y };
        x.extend([site.x, end.x, end.x]);
        y.extend([Some(site.y), Some(end.y), None]);
        ends.push(end);
        names.push(format!("cell {number}, site {}", cell.site));
        numbers.push(number.to_string());
    }
    let (end_x, end_y): (Vec<f64>, Vec<f64>) = ends.iter().map(|end| (end.x, end.y)).unzip();
    let points = Mark::Points { x: end_x.clone(), y: end_y.clone(), values: vec![], names };
    [
        Layer::plain(Mark::Line { x, y, steps: false, points: false })
            .meaning("lines from a site: directions of its cells, with their numbers"),
        Layer::plain(points),
        Layer::plain(Mark::Text { x: end_x, y: end_y, text: numbers }),
    ]
}

/// UEs within buildings, or all others; none if there are none.
fn users(dropped: &NetworkDrop, inside: bool) -> Option<Mark> {
    let own: Vec<&DroppedUe> = dropped
        .ues
        .iter()
        .filter(|one| (one.ue.surroundings == Surroundings::Building) == inside)
        .collect();
    let name = |one: &&DroppedUe| {
        let (name, cell) = (&one.name, one.serving);
        format!(
            "{name}: cell {cell}, RSRP {:.1} dBm, geometry {:.1} dB",
            one.rsrp.0, one.geometry.0
        )
    };
    (!own.is_empty()).then(|| Mark::Points {
        x: own.iter().map(|one| one.ue.at.x).collect(),
        y: own.iter().map(|one| one.ue.at.y).collect(),
        values: own.iter().map(|one| one.geometry.0).collect(),
        names: own.iter().map(name).collect(),
    })
}

/// The longer side of what is on the map, in metres.
fn extent(dropped: &NetworkDrop) -> f64 {
    let sites = dropped.network.config().layout.sites().iter().map(|site| site.at);
    let all: Vec<Point> = sites.chain(dropped.ues.iter().map(|one| one.ue.at)).collect();
    let side = |of: fn(&Point) -> f64| {
        let values = || all.iter().map(of);
        values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
    };
    side(|at| at.x).max(side(|at| at.y)).max(10.0)
}

fn sentence(scenario: &Scenario, dropped: &NetworkDrop) -> String {
    let geometries = || dropped.ues.iter().map(|one| one.geometry.0);
    let (low, high) =
        (geometries().fold(f64::MAX, f64::min), geometries().fold(f64::MIN, f64::max));
    let counts = format!("{} UEs in {} cells", dropped.ues.len(), dropped.network.cells().len());
    let aggregates = !scenario.carrier.iter().all(Carrier::has_cells);
    let carrier = if aggregates { " on the cells' own carrier" } else { "" };
    match dropped.ues.is_empty() {
        true => format!("{counts}."),
        false => format!("{counts}, with geometries from {low:.1} dB to {high:.1} dB{carrier}."),
    }
}
