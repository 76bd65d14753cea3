//! The steps that a transmission takes, and how long each is.

use core::fmt;
use core::str::FromStr;

use crate::{ParseError, Span};

/// A step of a transmission with a length of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The base station aligns to a TTI (half of one in the mean), schedules, prepares.
    DownlinkProcessing,
    /// The transmission downlink.
    DownlinkTransmission,
    /// The UE decodes the data.
    DownlinkDecoding,
    /// A scheduling request on the air.
    SrTransmission,
    /// The base station decodes the request and makes a grant.
    GrantPreparation,
    /// The grant on the air.
    GrantTransmission,
    /// The UE decodes the grant.
    GrantDecoding,
    /// The UE encodes the data.
    DataEncoding,
    /// The transmission uplink.
    UplinkTransmission,
    /// The base station decodes the data.
    UplinkDecoding,
}

/// A step's word, what it is, where the source has it, and half TTIs that it takes there.
struct About {
    step: Step,
    word: &'static str,
    what: &'static str,
    source: &'static str,
    halves: u64,
}

const fn about(
    step: Step,
    word: &'static str,
    what: &'static str,
    source: &'static str,
    halves: u64,
) -> About {
    About { step, word, what, source, halves }
}

/// All steps, in the order of the enum.
const ABOUT: [About; 10] = [
    about(
        Step::DownlinkProcessing,
        "downlink-processing",
        "eNB processing, alignment included",
        "A.1",
        3,
    ),
    about(Step::DownlinkTransmission, "downlink-transmission", "transmission", "A.1", 2),
    about(Step::DownlinkDecoding, "downlink-decoding", "UE processing", "A.1", 3),
    about(
        Step::SrTransmission,
        "sr-transmission",
        "scheduling request on the air",
        "table A.1, step 2",
        2,
    ),
    about(
        Step::GrantPreparation,
        "grant-preparation",
        "eNB decodes it and makes a grant",
        "table A.1, step 3",
        6,
    ),
    about(
        Step::GrantTransmission,
        "grant-transmission",
        "grant on the air",
        "table A.1, step 4",
        2,
    ),
    about(
        Step::GrantDecoding,
        "grant-decoding",
        "UE decodes the grant",
        "table A.1, step 5, half",
        3,
    ),
    about(Step::DataEncoding, "data-encoding", "UE encodes the data", "table A.1, step 5, half", 3),
    about(Step::UplinkTransmission, "uplink-transmission", "transmission", "table A.1, step 6", 2),
    about(Step::UplinkDecoding, "uplink-decoding", "eNB decodes the data", "table A.1, step 7", 3),
];

impl Step {
    /// All steps, in the order in which they are taken.
    pub fn all() -> impl Iterator<Item = Step> {
        ABOUT.iter().map(|about| about.step)
    }

    /// Its word, as `--step` takes it.
    pub const fn word(self) -> &'static str {
        ABOUT[self as usize].word
    }

    /// Name of the step.
    pub const fn what(self) -> &'static str {
        ABOUT[self as usize].what
    }

    /// Section of the source.
    pub const fn source(self) -> &'static str {
        ABOUT[self as usize].source
    }

    /// Length in the source.
    pub const fn usual(self) -> Span {
        Span::ttis(ABOUT[self as usize].halves, 2)
    }
}

impl FromStr for Step {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Step, ParseError> {
        let words: Vec<&str> = Step::all().map(Step::word).collect();
        Step::all().find(|step| step.word() == text.trim()).ok_or_else(|| {
            ParseError::new(format!("names no step; the steps are {}", words.join(", ")))
        })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// Length of each step; the source's times unless set otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps([Span; ABOUT.len()]);

impl Steps {
    /// Length of a step.
    pub const fn get(&self, step: Step) -> Span {
        self.0[step as usize]
    }

    /// Sets how long a step takes.
    pub const fn set(&mut self, step: Step, span: Span) {
        self.0[step as usize] = span;
    }
}

impl Default for Steps {
    fn default() -> Steps {
        Steps(ABOUT.map(|about| about.step.usual()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (n, step) in Step::all().enumerate() {
            assert_eq!(step as usize, n);
            assert_eq!(step.word().parse(), Ok(step));
        }
    }

    #[test]
    fn the_grant_takes_its_two_halves_of_three_ttis() {
        let steps = Steps::default();
        let halves = [Step::GrantDecoding, Step::DataEncoding].map(|step| steps.get(step));
        assert_eq!(halves, [Span::ttis(3, 2); 2]);
    }

    #[test]
    fn one_step_is_set_and_no_other() {
        let mut steps = Steps::default();
        steps.set(Step::SrTransmission, Span::ttis(0, 1));
        let changed: Vec<Step> =
            Step::all().filter(|step| steps.get(*step) != step.usual()).collect();
        assert_eq!(changed, [Step::SrTransmission]);
    }

    #[test]
    fn an_unknown_step_is_answered_with_the_known_ones() {
        let error = "encoding".parse::<Step>().expect_err("no step").to_string();
        assert!(error.contains("data-encoding") && error.contains("downlink-processing"));
    }
}
