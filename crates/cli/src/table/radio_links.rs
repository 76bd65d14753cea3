//! Failures of radio links, and changes of cells, as the screen of a run has them.

use airpath_plot::plural;
use airpath_results::{RunSummary, UeSummary};

use super::SCREEN;
use crate::wrap::wrap;

/// A sentence for each UE whose radio link failed, for so many UEs.
pub fn text(ues: &[UeSummary], rows: usize) -> String {
    let sentences = ues.iter().filter_map(|ue| Some(ue.radio_link.as_ref()?.sentence(&ue.name)));
    let sentences: Vec<String> = sentences.collect();
    let shown = sentences.iter().take(rows).map(|sentence| wrap(sentence, "", "  ", SCREEN));
    let omitted = sentences.len().saturating_sub(rows);
    let more = (omitted > 0)
        .then(|| format!("and {}: --all shows each\n", plural(omitted, "more radio link")));
    shown.chain(more).collect()
}

/// A sentence about changes of cells; empty without any.
pub fn handovers(run: &RunSummary) -> String {
    let all = run.events.handovers.as_ref();
    all.map(|all| wrap(&all.sentence(), "", "  ", SCREEN)).unwrap_or_default()
}
