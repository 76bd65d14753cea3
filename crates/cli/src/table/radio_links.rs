//! Failures of radio links, and changes of cells, as the screen of a run has them.

use airpath_plot::plural;
use airpath_results::{FlowSummary, RunSummary, UeSummary};

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

/// A sentence about changes of cells, and one on the flow with the longest gap; empty without any.
pub fn handovers(run: &RunSummary) -> String {
    let all = run.events.handovers.iter().map(|all| all.sentence());
    let longest = |flow: &&FlowSummary| {
        let gap = flow.handovers.as_ref().and_then(|cost| cost.gap_ms.as_ref());
        gap.map_or(0.0, |gap| gap.max)
    };
    // Of equal ones the first.
    let flows = run.flows.iter().rev().filter(|flow| longest(flow) > 0.0);
    let worst = flows.max_by(|one, other| longest(one).total_cmp(&longest(other)));
    let worst = worst.and_then(|flow| {
        let cost = flow.handovers.as_ref()?.sentence();
        Some(format!("longest gap of {}: {cost}", flow.name))
    });
    all.chain(worst).map(|text| wrap(&text, "", "  ", SCREEN)).collect()
}
