//! A claim: what was published, and what of ours it is about.

use serde::Deserialize;

use crate::quantity::quantities;
use crate::{Quantity, StudyError};

/// A row of a study's table of claims.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Identifier.
    pub id: String,
    /// Part of the claim, for a claim with several statements.
    pub part: Option<String>,
    /// Section, figure or table of the publication that has the claim.
    #[serde(rename = "where")]
    pub place: String,
    /// Condition of the measurement.
    pub condition: String,
    /// Measured quantity, in words.
    pub metric: String,
    /// Unit.
    pub unit: String,
    /// The published figure, or statement, as text.
    pub published: String,
    /// The published figure from a reference implementation, if there is one.
    pub reference: Option<f64>,
    /// Kind of the claim: `simulated`, `statement`, `exact`, `method`, `definition` or `measured`.
    ///
    /// A `measured` claim has a figure that the source measured in a network that is not available.
    /// Such a figure is an input here, and can only be recovered.
    pub kind: String,
    /// Share of the published figure by which ours may differ.
    pub tolerance: Option<f64>,
    /// Difference that is allowed in any case, in the claim's unit.
    pub margin: Option<f64>,
    /// The quantity, as [`Quantity`](crate::Quantity) reads it.
    pub quantity: String,
    /// Condition under which the finding holds. Without one, the finding holds if the figure is
    /// within its tolerance.
    pub holds: Option<String>,
    /// Interpretation of the statement, and the reason for its bound.
    pub note: Option<String>,
}

impl Claim {
    /// The quantity.
    ///
    /// # Errors
    ///
    /// A text that is none.
    pub(crate) fn quantity(&self) -> Result<Quantity, StudyError> {
        Quantity::parse(&self.quantity).ok_or_else(|| {
            StudyError::Data(format!(
                "claims.csv: {}: no quantity: {}",
                self.label(),
                self.quantity
            ))
        })
    }

    /// The quantity, and those of the condition.
    ///
    /// # Errors
    ///
    /// A text that is no quantity or no condition.
    pub(crate) fn quantities(&self) -> Result<Vec<Quantity>, StudyError> {
        let own = self.quantity()?;
        let others = self.holds.as_deref().map(quantities).transpose();
        let others = others
            .map_err(|why| StudyError::Data(format!("claims.csv: {}: {why}", self.label())))?;
        Ok([own].into_iter().chain(others.unwrap_or_default()).collect())
    }

    /// The identifier, with the part if the claim has parts.
    pub(crate) fn label(&self) -> String {
        label(&self.id, self.part.as_deref())
    }

    /// The published figure; none for a statement.
    pub fn published(&self) -> Option<f64> {
        self.published.parse().ok()
    }

    /// The largest difference that still agrees, in the claim's unit.
    pub fn allowed(&self) -> Option<f64> {
        self.allowed_of(self.published()?)
    }

    /// The largest difference from another figure than the published one that still agrees, in the
    /// claim's unit.
    pub(crate) fn allowed_of(&self, figure: f64) -> Option<f64> {
        Some((self.tolerance? * figure.abs()).max(self.margin.unwrap_or(0.0)))
    }
}

/// A claim's identifier with its part.
pub(crate) fn label(id: &str, part: Option<&str>) -> String {
    part.map_or(id.to_owned(), |part| format!("{id}/{part}"))
}
