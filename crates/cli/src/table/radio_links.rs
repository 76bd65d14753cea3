//! Failures of radio links, and changes of cells, as the screen of a run has them.

use airpath_results::{FlowSummary, RadioLinkSummary, RunSummary, UeSummary};

use super::SCREEN;
use crate::wrap::wrap;

/// UEs whose links have a sentence each; of more there is one for all.
const FEW: usize = 3;

/// A sentence for each UE whose radio link failed; for more than a few UEs one for all, unless `all` is true.
pub fn text(ues: &[UeSummary], all: bool) -> String {
    let few = if all { usize::MAX } else { FEW };
    let failed = ues.iter().filter(|ue| ue.radio_link.is_some()).count();
    let more = if failed > few { "; --all shows each" } else { "" };
    let links = RadioLinkSummary::of_ues(ues, few);
    let sentences = links.iter().map(|(name, link)| link.sentence(name) + more);
    sentences.map(|sentence| wrap(&sentence, "", "  ", SCREEN)).collect()
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
