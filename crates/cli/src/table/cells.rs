//! Cells of a run: a line for one, a row each for several. If there are more than fit, the rows are
//! the least, the median and the largest of each column.

use airpath_results::{CellSummary, RadioSummary};

use super::columns::{Column, table};
use super::numbers::{count, number};

/// With more cells than this, three rows stand for them.
const MOST_CELLS: usize = 8;

/// Figures of cells, as text with a blank line behind it; empty without cells.
pub fn text(cells: &[CellSummary], all: bool) -> String {
    match cells {
        [] => String::new(),
        [cell] => line(cell) + "\n",
        cells if all || cells.len() <= MOST_CELLS => {
            let names: Vec<String> = cells.iter().map(|cell| cell.name.clone()).collect();
            rows("cell", &names, cells, |column| {
                cells.iter().map(|cell| column.show((column.of)(cell))).collect()
            })
        }
        cells => {
            let names = ["least", "median", "most"].map(str::to_owned);
            let title = format!("of {} cells", cells.len());
            rows(&title, &names, cells, |column| {
                ends(cells.iter().filter_map(column.of)).map(|value| column.show(value)).into()
            })
        }
    }
}

/// A column: what stands over it, its title, and its value in a cell.
struct Of {
    over: &'static str,
    title: &'static str,
    of: fn(&CellSummary) -> Option<f64>,
}

impl Of {
    fn show(&self, value: Option<f64>) -> String {
        match (self.title, value) {
            ("blocked", Some(value)) => count(value as u64),
            (_, value) => number(value),
        }
    }
}

const RATE: &str = "Mbit/s";
const USED: &str = "used, %";
const ERRORS: &str = "BLER, %";

const LAYERS: &str = "layers";

const COLUMNS: [Of; 11] = [
    Of { over: RATE, title: "down", of: |cell| megabits(&cell.down) },
    Of { over: RATE, title: "up", of: |cell| megabits(&cell.up) },
    Of { over: USED, title: "PDSCH", of: |cell| percent(cell.utilisation) },
    Of { over: USED, title: "PUSCH", of: |cell| percent(cell.utilisation_up) },
    Of { over: USED, title: "PDCCH", of: |cell| percent(cell.control_utilisation) },
    Of {
        over: "",
        title: "blocked",
        of: |cell| Some((cell.down.blocked + cell.up.blocked) as f64),
    },
    Of { over: "MCS", title: "down", of: |cell| cell.down.mean_mcs },
    Of { over: LAYERS, title: "down", of: |cell| mean_layers(&cell.down) },
    Of { over: LAYERS, title: "up", of: |cell| mean_layers(&cell.up) },
    Of { over: ERRORS, title: "down", of: |cell| percent(cell.down.bler_first) },
    Of { over: ERRORS, title: "up", of: |cell| percent(cell.up.bler_first) },
];

fn megabits(radio: &RadioSummary) -> Option<f64> {
    radio.throughput_bps.map(|bps| bps / 1e6)
}

fn percent(share: Option<f64>) -> Option<f64> {
    share.map(|share| share * 100.0)
}

/// Mean layers of a transmission; none in a direction that never has several.
fn mean_layers(radio: &RadioSummary) -> Option<f64> {
    let shares = radio.layers.as_ref()?.iter().zip(1..);
    Some(shares.map(|(share, layers)| share * f64::from(layers)).sum())
}

/// The table; columns of a control channel without limit are left out, and those of layers where no cell
/// has several.
fn rows(
    title: &str,
    names: &[String],
    cells: &[CellSummary],
    of: impl Fn(&Of) -> Vec<String>,
) -> String {
    let limited = cells.iter().any(|cell| cell.control_utilisation.is_some());
    let shown = |column: &&Of| match column.title {
        "PDCCH" | "blocked" => limited,
        _ => column.over != LAYERS || cells.iter().any(|cell| (column.of)(cell).is_some()),
    };
    let columns = COLUMNS.iter().filter(shown).map(|column| Column {
        over: column.over,
        title: column.title.to_owned(),
        cells: of(column),
    });
    table(title, names, columns.collect()) + "\n"
}

/// The least, the median (the lower of two) and the largest.
fn ends(values: impl Iterator<Item = f64>) -> [Option<f64>; 3] {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len().saturating_sub(1) / 2;
    [sorted.first(), sorted.get(middle), sorted.last()].map(Option::<&f64>::copied)
}

fn line(cell: &CellSummary) -> String {
    let share = |share: Option<f64>| match share {
        Some(share) => format!("{:.1}%", share * 100.0),
        None => "-".to_owned(),
    };
    let mcs = |mcs: Option<f64>| mcs.map_or("-".to_owned(), |mcs| format!("{mcs:.1}"));
    let control = cell.control_utilisation.map_or(String::new(), |used| {
        let blocked = cell.down.blocked + cell.up.blocked;
        format!(
            "{}: control channel used {}, UEs blocked {blocked}\n",
            cell.name,
            share(Some(used))
        )
    });
    let ways = [("down", mean_layers(&cell.down)), ("up", mean_layers(&cell.up))];
    let ways = ways.map(|(way, mean)| mean.map(|mean| format!("{way} {mean:.2}")));
    let ways: Vec<String> = ways.into_iter().flatten().collect();
    let layers = match ways.is_empty() {
        true => String::new(),
        false => format!("{}: layers {} in the mean\n", cell.name, ways.join(", ")),
    };
    format!(
        "{}: resource blocks used down {}, up {}; MCS down {}, up {}\n{layers}{control}",
        cell.name,
        share(cell.utilisation),
        share(cell.utilisation_up),
        mcs(cell.down.mean_mcs),
        mcs(cell.up.mean_mcs),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A cell as `summary.json` has it.
    fn cell(n: usize, control: Option<f64>) -> CellSummary {
        let radio = |mbps: f64, blocked: usize| -> Value {
            json!({"transmissions": 1, "resource_blocks": 1, "bytes": 1, "padding_bytes": 0,
                "bler_by_attempt": [0.1], "bler_first": 0.1, "mean_mcs": 9.5,
                "throughput_bps": mbps * 1e6, "blocked": blocked})
        };
        let keys = json!({"name": format!("site 1 sector {n}"), "utilisation": 0.5,
            "utilisation_up": 0.25, "control_utilisation": control,
            "down": radio(n as f64, 10 * n), "up": radio(0.5, 1)});
        serde_json::from_value(keys).expect("a cell")
    }

    fn all(n: usize, control: Option<f64>) -> Vec<CellSummary> {
        (1..=n).map(|n| cell(n, control)).collect()
    }

    fn row<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
        let row = text.lines().find(|line| line.starts_with(name)).expect("a row");
        row[name.len()..].split_whitespace().collect()
    }

    #[test]
    fn one_cell_is_a_line_and_several_are_a_table() {
        let one = text(&all(1, None), false);
        assert_eq!(
            one,
            "site 1 sector 1: resource blocks used down 50.0%, up 25.0%; MCS down 9.5, up 9.5\n\n"
        );
        let three = text(&all(3, Some(0.125)), false);
        let expected = ["3.00", "0.500", "50.0", "25.0", "12.5", "31", "9.50", "10.0", "10.0"];
        assert_eq!(row(&three, "site 1 sector 3"), expected);
        // Without a limit there is nothing to say of the control channel.
        let ideal = text(&all(3, None), false);
        assert!(!ideal.contains("PDCCH") && !ideal.contains("blocked"), "{ideal}");
        assert_eq!(text(&[], false), "");
    }

    #[test]
    fn layers_have_columns_where_there_are_several() {
        let mut cells = all(9, Some(0.1));
        assert!(!text(&cells, true).contains("layers"));
        // 0.25 x 1 + 0.5 x 2 + 0.25 x 4 = 2.25.
        cells[4].down.layers = Some(vec![0.25, 0.5, 0.0, 0.25]);
        for (shown, all) in [(text(&cells, true), true), (text(&cells, false), false)] {
            let name = if all { "site 1 sector 5" } else { "most" };
            assert_eq!(shown.matches("layers").count(), 1, "{shown}");
            assert!(row(&shown, name).contains(&"2.25"), "{shown}");
            assert!(shown.lines().all(|line| line.len() <= 80), "{shown}");
        }
    }

    #[test]
    fn many_cells_are_three_rows() {
        let many = text(&all(57, Some(0.1)), false);
        assert!(many.contains("of 57 cells") && many.lines().count() < 12, "{many}");
        let rows = ["least", "median", "most"].map(|name| row(&many, name)[0].to_owned());
        assert_eq!(rows, ["1.00", "29.0", "57.0"]);
        assert_eq!(row(&many, "most")[5], "571");
        assert!(many.lines().all(|line| line.len() <= 80), "{many}");
        assert!(text(&all(57, Some(0.1)), true).contains("site 1 sector 57"));
    }
}
