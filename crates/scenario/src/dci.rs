//! DCIs that NR-Scope recorded (Wan et al., CoNEXT 2024): its log of columns with commas, as `nrscope_logger.cc` writes it
//! at commit 662fe7c.
//!
//! A row is a DCI with the slot of its reception. Its data are `k` slots later. Columns are found by their names, so that
//! logs of versions with fewer columns are read, too. The frame number begins again after 1024 frames; the time of the row
//! says how often.

use std::collections::BTreeMap;

use airpath_net::Direction;
use airpath_ran::RecordedLoad;

/// Frames after which the frame number begins again (TS 38.211, 4.3.1).
const FRAMES: i64 = 1_024;
/// Length of a frame in seconds.
const FRAME_S: f64 = 0.01;
/// Longest log in seconds.
const LONGEST_S: f64 = 86_400.0;
/// Seconds by which the times of two rows may differ from their frames and slots.
const LATE_S: f64 = 0.1;
/// Largest share of rows whose times may differ by more from the row before: a recorder may be late at times.
const MOST_LATE: f64 = 0.1;
/// Columns that are read. Logs before carrier aggregation lack the last one.
const COLUMNS: [&str; 8] = [
    "timestamp",
    "system_frame_index",
    "slot_index",
    "dci_format",
    "k",
    "frequency_start",
    "frequency_length",
    "carrier_index",
];

/// DCIs of a log, in the order of its rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DciLog {
    rows: Vec<Dci>,
}

/// A DCI.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Dci {
    line: usize,
    /// Seconds since the first row.
    time: f64,
    frame: i64,
    slot: u64,
    direction: Direction,
    /// Slots from the DCI to its data: k0 or k2.
    k: u64,
    first: u16,
    count: u16,
    carrier: u8,
}

/// The cell whose resource blocks are taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogCell {
    pub numerology: u8,
    pub resource_blocks: u16,
    pub carrier: u8,
}

impl DciLog {
    /// Reads a log.
    ///
    /// # Errors
    ///
    /// Columns of another file, or the first wrong line, each with the mend.
    pub fn parse(text: &str) -> Result<DciLog, String> {
        let text = text.trim_start_matches('\u{feff}');
        let lines = (1..).zip(text.lines()).map(|(n, line)| (n, line.trim()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty());
        let header = lines.next().map_or("", |(_, line)| line);
        let (columns, count) = columns(header)?;
        let mut rows: Vec<Dci> = Vec::new();
        let mut begin = 0.0;
        // NR-Scope adds to the file that is there, each time with its header.
        for (line, row) in lines.filter(|(_, row)| *row != header) {
            let wrong = |why: String| format!("line {line}: {why}");
            let fields: Vec<&str> = row.split(',').map(str::trim).collect();
            if fields.len() != count {
                let why = format!("has {} fields, and the header has {count}", fields.len());
                return Err(wrong(format!("{why}: the row is cut off or of another version")));
            }
            let mut dci = Dci::parse(line, &fields, &columns).map_err(wrong)?;
            if rows.is_empty() {
                begin = dci.time;
            }
            dci.time -= begin;
            if !(-1.0..=LONGEST_S).contains(&dci.time) {
                let why = format!("lies {} s behind the first row", dci.time);
                return Err(wrong(format!("{why}; a log has one recording of a day at most")));
            }
            rows.push(dci);
        }
        if rows.is_empty() {
            return Err("it has no DCI".to_owned());
        }
        Ok(DciLog { rows })
    }

    /// Resource blocks by slot, from the even frame of the first row on.
    ///
    /// # Errors
    ///
    /// Rows that do not fit the cell, with the line and the mend.
    pub fn load(&self, cell: LogCell) -> Result<RecordedLoad, String> {
        let of_carrier = || self.rows.iter().filter(|row| row.carrier == cell.carrier);
        let per_frame = 10u64 << cell.numerology;
        self.check(cell, per_frame)?;
        let Some(first) = of_carrier().next() else { return Err(self.no_carrier(cell.carrier)) };
        check_times(&of_carrier().collect::<Vec<_>>(), per_frame)?;
        if of_carrier().all(|row| row.count == 0) {
            let rows = format!("frequency_length is 0 in all rows of carrier {}", cell.carrier);
            return Err(format!(
                "{rows}: no resource block is taken; record again, or leave the log out"
            ));
        }
        let origin = first.frame - first.frame % 2;
        let mut taken = Vec::new();
        for row in of_carrier() {
            let frame = row.frame + FRAMES * cycles(row, first);
            let slot = (frame - origin) * per_frame as i64 + row.slot as i64;
            // Rows of several workers may come before the first one by a few slots.
            if let Ok(slot) = u64::try_from(slot) {
                taken.push((slot, row));
            }
        }
        // The period is that of the DCIs: data of the last ones go round into the beginning.
        let frames = taken.iter().map(|(slot, _)| slot / per_frame + 1).max().unwrap_or(1);
        let period = frames.next_multiple_of(2) * per_frame;
        let mut load = RecordedLoad::new(period);
        taken.iter_mut().for_each(|(slot, row)| *slot = (*slot + row.k) % period);
        taken.sort_by_key(|(slot, row)| (*slot, row.line));
        for (slot, row) in taken {
            load.add(row.direction, slot, (row.first, row.count));
        }
        Ok(load)
    }

    fn check(&self, cell: LogCell, per_frame: u64) -> Result<(), String> {
        for row in self.rows.iter().filter(|row| row.carrier == cell.carrier) {
            if row.slot >= per_frame {
                return Err(format!(
                    "line {}: slot {} of a frame, and numerology {} has {per_frame}: set numerology to that of the \
                     recorded cell",
                    row.line, row.slot, cell.numerology
                ));
            }
            let end = u32::from(row.first) + u32::from(row.count);
            if end > u32::from(cell.resource_blocks) {
                return Err(format!(
                    "line {}: resource blocks {} to {}, and the cell has {}: set bandwidth to that of the recorded cell",
                    row.line,
                    row.first,
                    end.saturating_sub(1),
                    cell.resource_blocks
                ));
            }
        }
        let latest = self.rows.iter().map(|row| row.slot).max().unwrap_or(0);
        if self.rows.len() > 200 && cell.numerology > 0 && latest < per_frame / 2 {
            return Err(format!(
                "no slot of a frame is above {latest}, and numerology {} has {per_frame}: set numerology to that of the \
                 recorded cell",
                cell.numerology
            ));
        }
        Ok(())
    }

    fn no_carrier(&self, carrier: u8) -> String {
        let mut there: BTreeMap<u8, usize> = BTreeMap::new();
        for row in &self.rows {
            *there.entry(row.carrier).or_default() += 1;
        }
        let there: Vec<String> =
            there.iter().map(|(carrier, rows)| format!("{carrier} ({rows} DCIs)")).collect();
        format!("it has no DCI of carrier {carrier}; it has {}", there.join(", "))
    }
}

/// Checks that times go on as frames and slots do, but for the times that the frame number begins again.
fn check_times(rows: &[&Dci], per_frame: u64) -> Result<(), String> {
    let cycle = FRAMES as f64 * FRAME_S;
    let at = |row: &Dci| (row.frame as f64 + row.slot as f64 / per_frame as f64) * FRAME_S;
    let steps = rows.windows(2).filter_map(|pair| {
        let [before, row] = pair else { return None };
        let (by_time, by_slot) = (row.time - before.time, at(row) - at(before));
        let apart = by_time - by_slot;
        let apart = apart - cycle * (apart / cycle).round();
        (apart.abs() > LATE_S).then_some((row.line, by_time, by_slot))
    });
    let late: Vec<(usize, f64, f64)> = steps.collect();
    match late.first() {
        Some((line, by_time, by_slot)) if late.len() as f64 > MOST_LATE * rows.len() as f64 => {
            Err(format!(
                "line {line}: timestamp is {by_time:.4} s after the row before, by frame and slot it is {by_slot:.4} s: \
                 write timestamps in seconds"
            ))
        }
        _ => Ok(()),
    }
}

/// Times that the frame number has begun again between two rows, by their times.
fn cycles(row: &Dci, first: &Dci) -> i64 {
    let passed = (row.time - first.time) / FRAME_S - (row.frame - first.frame) as f64;
    (passed / FRAMES as f64).round() as i64
}

/// Indices of the columns, in the order of [`COLUMNS`], and their number.
fn columns(header: &str) -> Result<([Option<usize>; COLUMNS.len()], usize), String> {
    let names: Vec<&str> = header.split(',').map(str::trim).collect();
    let columns = COLUMNS.map(|name| names.iter().position(|own| *own == name));
    if names.contains(&"GSCN") {
        return Err("it is NR-Scope's list of cells; name the log of DCIs".to_owned());
    }
    let lacking: Vec<&str> = COLUMNS
        .iter()
        .zip(&columns)
        .filter(|(name, found)| found.is_none() && **name != "carrier_index")
        .map(|(name, _)| *name)
        .collect();
    match lacking.as_slice() {
        [] => Ok((columns, names.len())),
        _ if names == ["timestamp", "system_frame_index", "slot_index", "rnti"] => {
            Err("it is NR-Scope's log of random access; name the file without _rach".to_owned())
        }
        _ => Err(format!(
            "its first line lacks {}: the first line of NR-Scope's log names its columns, at commit 662fe7c or since \
             2024",
            lacking.join(", ")
        )),
    }
}

impl Dci {
    fn parse(
        line: usize,
        fields: &[&str],
        columns: &[Option<usize>; COLUMNS.len()],
    ) -> Result<Dci, String> {
        let text = |n: usize| columns[n].and_then(|at| fields.get(at)).copied().unwrap_or("0");
        let number = |n: usize, most: u64| -> Result<u64, String> {
            let found = text(n).parse().ok().filter(|number| *number <= most);
            found.ok_or_else(|| {
                format!("{} is \"{}\", and must be 0 to {most}", COLUMNS[n], shown(text(n)))
            })
        };
        let time: f64 = text(0).parse().unwrap_or(f64::NAN);
        if !time.is_finite() {
            return Err(format!("timestamp is \"{}\", and must be seconds", shown(text(0))));
        }
        let direction = match text(3) {
            "1_0" | "1_1" | "1_2" => Direction::Downlink,
            "0_0" | "0_1" | "0_2" => Direction::Uplink,
            other => {
                let other = shown(other);
                return Err(format!("dci_format is \"{other}\", and must be 0_0, 0_1, 1_0 or 1_1"));
            }
        };
        Ok(Dci {
            line,
            time,
            frame: number(1, FRAMES as u64 - 1)? as i64,
            slot: number(2, 159)?,
            direction,
            k: number(4, 32)?,
            first: number(5, 274)? as u16,
            count: number(6, 275)? as u16,
            carrier: number(7, 31)? as u8,
        })
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
#[path = "dci_tests.rs"]
mod tests;
