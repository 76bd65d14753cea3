//! Failures of radio links, and changes of cells, as the screen of a run has them.

use airpath_plot::plural;
use airpath_results::{FlowSummary, RadioLinkSummary, RunSummary, UeSummary};

use super::SCREEN;
use crate::wrap::wrap;

/// UEs whose links have a sentence each; of more there is one for all.
const FEW: usize = 3;

/// A sentence for each UE whose radio link failed; for more than a few UEs one for all, unless `all` is true.
pub fn text(ues: &[UeSummary], all: bool) -> String {
    let own = ues.iter().filter_map(|ue| Some((ue.name.as_str(), ue.radio_link.as_ref()?)));
    sentences(&own.collect::<Vec<_>>(), all)
}

fn sentences(own: &[(&str, &RadioLinkSummary)], all: bool) -> String {
    let sentences: Vec<String> = match all || own.len() <= FEW {
        true => own.iter().map(|(name, link)| link.sentence(name)).collect(),
        false => {
            let sum = own.iter().fold(RadioLinkSummary::default(), |sum, (_, link)| sum + link);
            vec![sum.sentence(&plural(own.len(), "UE")) + "; --all shows each"]
        }
    };
    sentences.iter().map(|sentence| wrap(sentence, "", "  ", SCREEN)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_links_have_one_sentence() {
        let link = |number: u64| RadioLinkSummary {
            failures: number,
            out_of_sync: 1,
            retransmissions: number - 1,
            reestablished: 1,
            lost: 0,
            outage_s: 0.25,
        };
        let links: Vec<RadioLinkSummary> = (1..=5).map(link).collect();
        let own: Vec<(&str, &RadioLinkSummary)> = links.iter().map(|link| ("car", link)).collect();
        assert_eq!(sentences(&own[..3], false).matches("radio link of car").count(), 3);
        assert_eq!(sentences(&own, true).matches("radio link of car").count(), 5);
        // 1 + 2 + 3 + 4 + 5 failures, of which 5 are out of sync.
        let words = "radio link of 5 UEs failed 15 times (5 out of sync, 10 by RLC retransmissions):\n  5 \
                     re-established; 1.25 s without; --all shows each\n";
        assert_eq!(sentences(&own, false), words);
    }
}
