//! An export as text.

use std::fmt::Write as _;

use airpath_export::{Judged, Recording, Way};

use super::ExportArgs;
use crate::table::number;

/// Rates and delays of both directions, the errors of the recordings, and the files.
pub fn text(args: &ExportArgs, recording: &Recording, judged: &[Judged]) -> String {
    let length = f64::from(recording.length_ms) / 1e3;
    let mut text = format!("{}, {length} s, seed {}\n\n", recording.ue, recording.seed);
    text += "            rate, Mbit/s  least delay, ms  lost, %\n";
    for (name, way) in [("downlink", &recording.down), ("uplink", &recording.up)] {
        let [rate, delay, loss] = [way.mean_mbps(), way.least_delay_ms(), way.loss * 100.0];
        let [rate, delay, loss] = [rate, delay, loss].map(|value| number(Some(value)));
        let _ = writeln!(text, "{name:<10} {rate:>13} {delay:>16} {loss:>8}");
    }
    text += &table(judged);
    if let Some(out) = &args.out {
        let formats: Vec<&str> = args.formats().iter().map(|format| format.word()).collect();
        let _ = writeln!(text, "\n{} in {}", formats.join(", "), out.display());
    }
    text
}

/// Loss from which on a note says that the trains themselves caused it.
const NOTED: f64 = 0.05;

/// Notes on losses that probes in trains had in queues, which the recording has as losses of the path.
pub fn notes(recording: &Recording) -> Vec<String> {
    let ways = [("downlink", &recording.down), ("uplink", &recording.up)];
    let noted = ways.into_iter().filter(|(_, way)| way.loss_in_queues > NOTED);
    let note = |(name, way): (&str, &Way)| {
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        format!(
            "{} of the probes {name} are lost, {} in full queues or by the discard timer: probes in trains of 2 \
             or more packets of 1400 bytes exceed what the UE's bearer holds. The recording has this as loss of the path. \
             Raise queue, uplink_queue and discard_timer of the bearer, or set the loss in the files to 0",
            percent(way.loss),
            percent(way.loss_in_queues)
        )
    };
    noted.map(note).collect()
}

/// A line for each application; values over a recording with their difference.
fn table(judged: &[Judged]) -> String {
    let Some(first) = judged.first() else { return String::new() };
    let mut text = format!("\n{:<48} {:>9}", "application", "cell");
    for figure in &first.replays {
        let _ = write!(text, " {:>19}", figure.formats);
    }
    text.push('\n');
    for one in judged {
        let name = format!("{}: {}, {}", one.application, one.measure, one.unit);
        let _ = write!(text, "{name:<48} {:>9}", number(one.cell));
        for figure in &one.replays {
            let error =
                one.error(figure).map_or("-".to_owned(), |error| format!("{:+.0}%", error * 100.0));
            let _ = write!(text, " {:>12} {error:>6}", number(figure.value));
        }
        text.push('\n');
    }
    text
}
