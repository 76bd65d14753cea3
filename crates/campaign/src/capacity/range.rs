//! Numbers of users that the scenario takes.

use airpath_scenario::{Errors, Scenario};
use serde::Serialize;

use super::Question;

/// Numbers of users that the scenario refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The smallest of them, in users a cell.
    pub from: u64,
    /// The scenario's fault with it.
    pub why: String,
}

impl Question {
    /// Ends the range at the largest number of users that the scenario takes. `read` reads it with one more override.
    ///
    /// # Errors
    ///
    /// If it refuses even one user a cell.
    pub fn limit(&mut self, read: impl Fn(&str) -> Result<Scenario, Errors>) -> Result<(), Errors> {
        let refusal =
            |steps: u64| read(&format!("ue.{}.count={}", self.group, steps * self.cells)).err();
        let Some(mut errors) = refusal(self.most_steps) else {
            return Ok(());
        };
        if let Some(errors) = refusal(1) {
            return Err(errors);
        }
        let (mut low, mut high) = (1, self.most_steps);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            match refusal(middle) {
                Some(why) => (high, errors) = (middle, why),
                None => low = middle,
            }
        }
        let why = errors.problems().iter().map(|problem| problem.message().to_owned()).next();
        self.most_steps = low;
        self.refused = Some(Refused { from: high, why: why.unwrap_or_default() });
        Ok(())
    }
}
