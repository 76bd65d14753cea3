//! Grids of a case: runs for all combinations of the values of its axes, and criteria for many runs.
//!
//! ```text
//! rate@*-far.video[30..60]     one criterion for each run whose name fits
//! ```

use crate::{CaseFile, CaseRun, Criterion};

impl CaseFile {
    /// The case with a run for each combination of values of its axes, and a criterion for each run that a `*` stands for.
    ///
    /// # Errors
    ///
    /// Axes beside runs, an axis without a value, or a name with `*` that no run fits.
    pub(crate) fn spread(mut self) -> Result<CaseFile, String> {
        if !self.axis.is_empty() {
            if !self.run.is_empty() {
                return Err("it has [[axis]] beside [[run]]; leave one of them out".to_owned());
            }
            let none = CaseRun { name: String::new(), set: Vec::new() };
            self.run = self.axis.iter().fold(vec![none], |runs, axis| {
                let with = |run: &CaseRun| axis.value.iter().map(|value| run.and(value)).collect();
                runs.iter().flat_map(|run| -> Vec<CaseRun> { with(run) }).collect()
            });
            if self.run.is_empty() {
                return Err("an axis has no value; add value = [{ name = \"…\" }]".to_owned());
            }
        }
        let spread = self.criterion.iter().map(|own| own.spread(&self.run));
        self.criterion = spread.collect::<Result<Vec<_>, _>>()?.concat();
        Ok(self)
    }
}

impl CaseRun {
    /// This run with the value of a further axis.
    fn and(&self, value: &CaseRun) -> CaseRun {
        let parts = [&self.name, &value.name].map(String::as_str);
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        CaseRun { name: parts.join("-"), set: [&self.set[..], &value.set[..]].concat() }
    }
}

impl Criterion {
    /// This criterion for each run that fits the name with `*` in its quantity; itself without `*`.
    fn spread(&self, runs: &[CaseRun]) -> Result<Vec<Criterion>, String> {
        let names = self.quantity.split('@').skip(1);
        let names = names.filter_map(|rest| rest.split_once('.').map(|(name, _)| name));
        let Some(wanted) = names.into_iter().find(|name| name.contains('*')) else {
            return Ok(vec![self.clone()]);
        };
        let fitting = runs.iter().filter(|run| fits(wanted, &run.name));
        let all: Vec<Criterion> = fitting
            .map(|run| Criterion {
                name: format!("{}, {}", self.name, run.name),
                quantity: self.quantity.replace(&format!("@{wanted}."), &format!("@{}.", run.name)),
                ..self.clone()
            })
            .collect();
        if all.is_empty() {
            return Err(format!("criterion \"{}\": no run fits {wanted}", self.name));
        }
        Ok(all)
    }
}

/// True if a name is what a pattern says, in which `*` is any text.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((begin, rest)) => name.strip_prefix(begin).is_some_and(|left| {
            left.char_indices()
                .map(|(at, _)| at)
                .chain([left.len()])
                .any(|at| fits(rest, &left[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_is_any_text() {
        assert!(fits("*-far-*", "slow-far-i07") && fits("*", "") && fits("a*", "a"));
        assert!(!fits("*-far-*", "slow-near-i07") && !fits("a*b", "abc") && !fits("a", "ab"));
    }
}
