//! Ensembles: the same scenario many times, with unknown values drawn from ranges.

use std::collections::BTreeMap;

use airpath_base::random::Seed;
use serde::Deserialize;

use crate::own::even::{Curve, Even};

/// Draws of an ensemble: values, and overrides made of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Draws {
    /// Number of draws.
    pub(crate) count: u32,
    /// Distributions of values by name.
    #[serde(default)]
    pub(crate) values: BTreeMap<String, Curve>,
    /// Overrides; `{name}` stands for the value, rounded, and `{draw}` for the number of
    /// the draw.
    #[serde(default)]
    pub(crate) set: Vec<String>,
    /// Arms that share the draws: overrides of each.
    #[serde(default)]
    pub(crate) arms: Vec<Vec<String>>,
}

impl Draws {
    /// Overrides by draw and arm.
    pub(crate) fn overrides(&self, seed: u64) -> Vec<Vec<Vec<String>>> {
        let even: Vec<(&str, &Curve, Even)> = (self.values.iter())
            .map(|(name, curve)| {
                let even = Even::new(Seed(seed), &format!("draws / {name}"), self.count);
                (name.as_str(), curve, even)
            })
            .collect();
        let one = |draw: u32| {
            let filled = |text: &String| {
                let text = text.replace("{draw}", &draw.to_string());
                even.iter().fold(text, |text, (name, curve, even)| {
                    let value = curve.at(even.of(draw)).unwrap_or(0.0).round();
                    text.replace(&format!("{{{name}}}"), &format!("{value}"))
                })
            };
            let set: Vec<String> = self.set.iter().map(filled).collect();
            let with = |arm: &Vec<String>| [set.clone(), arm.clone()].concat();
            match self.arms.is_empty() {
                true => vec![set],
                false => self.arms.iter().map(with).collect(),
            }
        };
        (0..self.count).map(one).collect()
    }
}
