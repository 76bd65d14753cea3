//! The pictures of a study's experiments, as data (`pictures.json`).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::measure::{Measure, Users};
use crate::network::{Data, Of};
use crate::{Study, StudyError};

/// A line: its name in the legend, its arm, and its look.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) arm: String,
    pub(super) colour: usize,
    /// Dash and shape of points; 0 is a whole line.
    pub(super) shape: usize,
}

/// A panel: a title, a measure, and the name of its lines.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    #[serde(default)]
    pub(super) title: String,
    kpi: String,
    #[serde(default)]
    of: Of,
    #[serde(default)]
    users: Users,
    lines: String,
}

/// A picture of panels over the load.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Picture {
    /// The name, behind that of the study.
    pub(super) name: String,
    pub(super) title: String,
    /// The published figures that it stands beside.
    pub(super) figures: String,
    /// The arm without which the picture is not drawn.
    pub(super) needs: String,
    pub(super) parts: Vec<Part>,
}

/// A picture of users as points.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct OfUsers {
    pub(super) name: String,
    pub(super) title: String,
    /// The published figures that it stands beside.
    pub(super) figures: String,
    #[serde(flatten)]
    pub(super) points: Points,
}

/// The points of users.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Points {
    /// The rate over the SINR, a panel for each arm.
    Sinr {
        arms: Vec<String>,
        /// The load, or the next one that was made.
        load: u32,
    },
    /// The rate in the second arm over that in the first, a panel for each load.
    Rate {
        arms: [String; 2],
        loads: Vec<u32>,
        /// Names of the arms at the axes.
        labels: [String; 2],
    },
}

/// All pictures.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pictures {
    /// Lines by the name of their set.
    lines: BTreeMap<String, Vec<Line>>,
    pub(super) pictures: Vec<Picture>,
    pub(super) users: Vec<OfUsers>,
}

impl Pictures {
    /// The pictures of a study; none of a study without `pictures.json`.
    ///
    /// # Errors
    ///
    /// A file of another form.
    pub(super) fn of(study: &Study) -> Result<Pictures, StudyError> {
        let pictures = study.text("pictures.json").map(|_| study.json("pictures.json"));
        Ok(pictures.transpose()?.unwrap_or_default())
    }

    /// The lines of a panel.
    pub(super) fn lines(&self, part: &Part) -> &[Line] {
        self.lines.get(&part.lines).map_or(&[], Vec::as_slice)
    }
}

impl Part {
    /// The measure that the panel shows; none if there is no such measure.
    pub(super) fn measure<'a>(&self, data: &'a Data) -> Option<Measure<'a>> {
        Some(Measure { kpi: data.kpi(&self.kpi)?, of: self.of, users: self.users })
    }
}
