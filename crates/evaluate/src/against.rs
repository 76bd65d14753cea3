//! A card beside an earlier one.

use airpath_stats::{CONFIDENCE, paired_difference};
use serde::{Deserialize, Serialize};

use crate::{Card, Criterion, EvaluateError, Judged, Suite};

/// Direction of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Changed {
    /// The quantity is nearer to its bounds, or farther within them.
    Better,
    /// The quantity is farther beyond its bounds, or nearer to them.
    Worse,
}

/// A criterion whose quantity has changed by more than its threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Name of the suite.
    pub suite: String,
    /// Name of the case.
    pub case: String,
    /// The controller.
    pub controller: String,
    /// Name of the criterion.
    pub criterion: String,
    /// Direction of the change.
    pub changed: Changed,
    /// Mean of the differences of pairs with the same seed, in the unit of the quantity: this card less the earlier one.
    pub difference: f64,
    /// Half of the 95% interval of that mean; 0 if all pairs have the same difference.
    pub half: f64,
    /// Unit of the quantity.
    pub unit: String,
}

impl Card {
    /// Reads an earlier card.
    ///
    /// # Errors
    ///
    /// A text that is no card, or a card of another version of airpath: its figures may differ for other reasons.
    pub fn baseline(name: &str, text: &str) -> Result<Card, EvaluateError> {
        let fault = |why: String| EvaluateError::Baseline(format!("{name}: {why}"));
        let card: Card = serde_json::from_str(text).map_err(|error| {
            fault(format!("no card ({error}); make one with airpath evaluate --json"))
        })?;
        match card.version == env!("CARGO_PKG_VERSION") {
            true => Ok(card),
            false => Err(fault(format!(
                "the card is of airpath {}, and this is {}; make it anew with this version",
                card.version,
                env!("CARGO_PKG_VERSION")
            ))),
        }
    }

    /// Changes from an earlier card, in the order of this one. A change is one whose interval excludes 0 and whose mean
    /// exceeds the threshold of the criterion. A criterion that only one of both cards has is none.
    pub fn against(&self, earlier: &Card, suites: &[Suite]) -> Vec<Change> {
        let mut changes = Vec::new();
        for case in &self.cases {
            let suite = suites.iter().find(|suite| suite.name == case.suite);
            let data = suite.and_then(|own| own.cases.iter().find(|own| own.name == case.case));
            let before = earlier
                .cases
                .iter()
                .find(|own| (&own.suite, &own.case) == (&case.suite, &case.case));
            let (Some(data), Some(before)) = (data, before) else { continue };
            for now in &case.judged {
                let same = |own: &&Judged| {
                    (&own.controller, &own.criterion, &own.quantity)
                        == (&now.controller, &now.criterion, &now.quantity)
                };
                let criterion = data.file.criterion.iter().find(|own| own.name == now.criterion);
                let (Some(before), Some(criterion)) = (before.judged.iter().find(same), criterion)
                else {
                    continue;
                };
                changes.extend(change(criterion, before, now).map(
                    |(changed, difference, half)| Change {
                        suite: case.suite.clone(),
                        case: case.case.clone(),
                        controller: now.controller.clone(),
                        criterion: now.criterion.clone(),
                        changed,
                        difference,
                        half,
                        unit: now.unit.clone(),
                    },
                ));
            }
        }
        changes
    }
}

/// Direction, mean difference and half of its interval; none without a change that counts.
fn change(criterion: &Criterion, before: &Judged, now: &Judged) -> Option<(Changed, f64, f64)> {
    let pairs = before.values.iter().zip(&now.values);
    let pairs: Vec<(f64, f64)> = pairs.filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
    let difference = pairs.iter().map(|(a, b)| b - a).sum::<f64>() / pairs.len().max(1) as f64;
    if pairs.is_empty() || difference.abs() <= criterion.threshold {
        return None;
    }
    // One pair has no interval, and its runs differ in the controller alone.
    let effect = paired_difference(&pairs);
    let interval = effect.and_then(|effect| effect.interval(CONFIDENCE));
    if interval.as_ref().is_some_and(|own| own.contains(0.0)) {
        return None;
    }
    let half = interval.map_or(0.0, |own| own.high - own.estimate);
    let excess = |each: fn(&(f64, f64)) -> f64| {
        pairs.iter().map(|pair| criterion.excess(each(pair))).sum::<f64>()
    };
    let changed = match excess(|pair| pair.1) > excess(|pair| pair.0) {
        true => Changed::Worse,
        false => Changed::Better,
    };
    Some((changed, difference, half))
}
