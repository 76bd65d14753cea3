//! Positions as CSV: columns `time` in s, `x` and `y` in m, and perhaps `ue`. Others are passed over.

use std::collections::BTreeMap;

use airpath_base::{Duration, Time};
use airpath_channel::Point;
use airpath_channel::route::{Fix, RouteError, through};

use super::Tracks;

/// Largest coordinate in metres, and time in seconds.
const MOST: f64 = 1_000_000.0;

/// Columns of a file.
struct Columns {
    /// Number of columns.
    count: usize,
    time: usize,
    x: usize,
    y: usize,
    ue: Option<usize>,
}

/// Reads all rows. Rows of a UE are in the order of their times; those of several may be mixed. Empty
/// lines, and those that begin with `#`, are passed over.
pub(super) fn read(text: &str) -> Result<Tracks, String> {
    // Spreadsheets begin a file with a mark of its byte order.
    let text = text.trim_start_matches('\u{feff}');
    let lines = (1u64..).zip(text.lines()).map(|(line, row)| (line, row.trim()));
    let mut lines = lines.filter(|(_, row)| !(row.is_empty() || row.starts_with('#')));
    let columns = Columns::of(lines.next().map_or("", |(_, row)| row))?;
    let mut rows: BTreeMap<u32, Vec<(u64, Fix)>> = BTreeMap::new();
    for (line, row) in lines {
        let (ue, fix) = columns.row(row).map_err(|why| format!("line {line}: {why}"))?;
        rows.entry(ue).or_default().push((line, fix));
    }
    let mut routes = BTreeMap::new();
    for (ue, rows) in rows {
        let fixes: Vec<Fix> = rows.iter().map(|(_, fix)| *fix).collect();
        let route = through(&fixes).map_err(|error| {
            let point = match error {
                RouteError::NotLater { point } | RouteError::TooFast { point, .. } => point,
                _ => 1,
            };
            let lines = [point.saturating_sub(2), point - 1].map(|n| rows[n].0);
            format!(
                "lines {} and {}, points {} and {point}: {error}",
                lines[0],
                lines[1],
                point - 1
            )
        })?;
        routes.insert(ue, route);
    }
    match (columns.ue, routes.pop_first()) {
        (_, None) => Err("it has no positions".to_owned()),
        (None, Some((_, route))) => Ok(Tracks::Common(route)),
        (Some(_), Some((ue, route))) => {
            routes.insert(ue, route);
            Ok(Tracks::Each(routes))
        }
    }
}

/// Values of a row. Numbers have no commas, so that quotes are nothing but quotes.
fn values(row: &str) -> Vec<&str> {
    row.split(',').map(|value| value.trim().trim_matches('"')).collect()
}

impl Columns {
    fn of(header: &str) -> Result<Columns, String> {
        let names = values(header);
        let find = |name: &str| names.iter().position(|column| *column == name);
        let need = |name: &str| {
            let lacks = || format!("its header lacks `{name}`: it has {}", names.join(", "));
            find(name).ok_or_else(lacks)
        };
        Ok(Columns {
            count: names.len(),
            time: need("time")?,
            x: need("x")?,
            y: need("y")?,
            ue: find("ue"),
        })
    }

    fn row(&self, row: &str) -> Result<(u32, Fix), String> {
        let values = values(row);
        if values.len() > self.count {
            return Err(format!(
                "it has {} values, and the header has {}",
                values.len(),
                self.count
            ));
        }
        let text = |column: usize| values.get(column).copied().unwrap_or_default();
        let number = |column: usize, what: &str, least: f64| {
            let value = text(column).parse::<f64>().ok();
            let value = value.filter(|value| (least..=MOST).contains(value));
            value.ok_or_else(|| format!("`{}` is no {what}", text(column)))
        };
        let at = Point { x: number(self.x, "x", -MOST)?, y: number(self.y, "y", -MOST)? };
        let time = Time::ZERO + Duration::from_secs_f64(number(self.time, "time", 0.0)?);
        let ue = self.ue.map_or("0", text);
        let ue = ue.parse().map_err(|_| format!("`{ue}` is no number of a UE"))?;
        Ok((ue, Fix { time, at }))
    }
}
