//! Record of one handover, and classification of mobility problems.
//!
//! - **Too late, too early, wrong cell**: definitions of TS 38.300, 15.5.2.2, which are those of TS
//!   36.300, 22.4.2.
//! - **Return**: a handover back to the source within a time, which is called ping-pong (TR 36.839:
//!   a stay of less than 1 s).

use airpath_base::{CellId, Duration, Time, UeId};

use super::AccessStep;

/// End of a handover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The target cell has the message that completes it.
    Success,
    /// The UE has not received the command: its link to the source has failed before.
    CommandLost,
    /// T304 has expired.
    T304Expired,
}

/// Steps of one handover with their times, as far as they were reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// UE.
    pub ue: UeId,
    /// Source cell.
    pub source: CellId,
    /// Target cell.
    pub target: CellId,
    /// The source has received the measurement report.
    pub report: Option<Time>,
    /// The source has the acknowledgement of the target.
    pub prepared: Option<Time>,
    /// The source begins to send the command.
    pub command_sent: Option<Time>,
    /// The UE has received the command.
    pub command_received: Option<Time>,
    /// The UE begins its random access.
    pub access: Option<Time>,
    /// Preambles of the UE.
    pub preambles: Vec<Time>,
    /// The UE has received the last random access response.
    pub response: Option<Time>,
    /// The UE begins to send message 3 for the last time.
    pub message_3: Option<Time>,
    /// The random access has completed, and with it the handover.
    pub completed: Option<Time>,
    /// The core network sends to the target.
    pub path_switched: Option<Time>,
    /// Outcome with its time.
    pub outcome: Option<(Time, Outcome)>,
}

impl Steps {
    /// A handover by a report from a UE that its source cell has received.
    pub fn begin(ue: UeId, source: CellId, target: CellId, report: Time) -> Steps {
        Steps { ue, source, target, report: Some(report), ..Steps::default() }
    }

    /// Enters a step of the random access.
    pub fn enter(&mut self, at: Time, step: &AccessStep) {
        match step {
            AccessStep::Preamble { .. } => self.preambles.push(at),
            AccessStep::Response => self.response = Some(at),
            AccessStep::Message3 => self.message_3 = Some(at),
            AccessStep::Completed => {
                self.completed = Some(at);
                self.end(at, Outcome::Success);
            }
            AccessStep::Message3Ended { .. }
            | AccessStep::NoResponse
            | AccessStep::Collision
            | AccessStep::Failed => {}
        }
    }

    /// Enters the outcome. The first one counts.
    pub fn end(&mut self, at: Time, outcome: Outcome) {
        self.outcome.get_or_insert((at, outcome));
    }

    /// From the measurement report to the command.
    pub fn preparation(&self) -> Option<Duration> {
        between(self.report, self.command_sent)
    }

    /// From the command to the completed random access.
    pub fn execution(&self) -> Option<Duration> {
        between(self.command_received, self.completed)
    }

    /// Random access with its wait.
    pub fn random_access(&self) -> Option<Duration> {
        between(self.access, self.completed)
    }

    /// True if this handover, a success, follows `before` and returns to its source after a stay of
    /// less than `within`.
    pub fn returns(&self, before: &Steps, within: Duration) -> bool {
        let back = (self.source, self.target) == (before.target, before.source);
        let follows = before.completed <= self.completed;
        let stay = between(before.completed, self.completed);
        back && follows && stay.is_some_and(|stay| stay < within)
    }
}

fn between(from: Option<Time>, to: Option<Time>) -> Option<Duration> {
    Some(to?.saturating_since(from?))
}

/// Failure of a UE's connection, and the cell in which it is re-established.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Time of the failure.
    pub at: Time,
    /// Kind.
    pub kind: FailureKind,
    /// Cell in which the UE tries to re-establish the connection.
    pub reestablished: CellId,
}

/// Kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Radio link failure in a cell, also while a command is on its way.
    RadioLink {
        /// Serving cell.
        cell: CellId,
    },
    /// T304 has expired during a handover.
    Handover {
        /// Source cell.
        source: CellId,
        /// Target cell.
        target: CellId,
    },
}

/// Mobility problem behind a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Another cell serves the UE after a failure in a cell in which it has been for long.
    TooLate,
    /// The UE returns to the source after a failure during a handover or shortly after it.
    TooEarly,
    /// A third cell serves the UE after a failure during a handover or shortly after it.
    WrongCell,
}

/// Classifies a failure, with the UE's last handover. A handover counts as recent for `within` (in
/// TS 36.300, 22.4.2.2, the timer `Tstore_UE_cntxt`). `None` if the UE remains in the cell in which
/// the failure was: no handover would have helped.
pub fn classify(last: Option<&Steps>, failure: &Failure, within: Duration) -> Option<Problem> {
    let to = failure.reestablished;
    let recent = |cell| {
        last.filter(|steps| {
            let done = steps.completed.filter(|done| *done <= failure.at);
            let recent = done.is_some_and(|done| failure.at.since(done) < within);
            steps.target == cell && recent
        })
    };
    let (source, cell) = match failure.kind {
        FailureKind::RadioLink { cell } => (recent(cell).map(|steps| steps.source), cell),
        FailureKind::Handover { source, target } => (Some(source), target),
    };
    match source {
        _ if to == cell => None,
        None => Some(Problem::TooLate),
        Some(source) if to == source => Some(Problem::TooEarly),
        Some(_) => Some(Problem::WrongCell),
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::Dbm;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const A: CellId = CellId(0);
    const B: CellId = CellId(1);
    const C: CellId = CellId(2);

    const fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    /// A handover that completes at a time.
    fn handover(source: CellId, target: CellId, completed: u64) -> Steps {
        let mut steps = Steps::begin(UeId(7), source, target, at(completed - 80));
        steps.enter(at(completed), &AccessStep::Completed);
        steps
    }

    #[test]
    fn durations_of_steps() {
        let mut steps = Steps::begin(UeId(7), A, B, at(100));
        steps.command_sent = Some(at(152));
        steps.command_received = Some(at(154));
        steps.access = Some(at(169));
        let preamble = AccessStep::Preamble { number: 1, preamble: 3, power: Dbm(0.0) };
        for (time, step) in [
            (171, preamble),
            (184, AccessStep::NoResponse),
            (191, preamble),
            (195, AccessStep::Response),
            (200, AccessStep::Message3),
            (201, AccessStep::Completed),
        ] {
            steps.enter(at(time), &step);
        }
        steps.end(at(1_154), Outcome::T304Expired);
        let spans = [steps.preparation(), steps.execution(), steps.random_access()];
        assert_eq!(spans, [52, 47, 32].map(|span| Some(Duration::from_millis(span))));
        assert_eq!(steps.preambles, [at(171), at(191)]);
        assert_eq!(steps.outcome, Some((at(201), Outcome::Success)));
        assert_eq!(Steps::begin(UeId(1), A, B, at(0)).execution(), None);
    }

    #[test]
    fn radio_link_failures_by_the_definitions() {
        let fails = |last: Option<&Steps>, time, cell, reestablished| {
            let kind = FailureKind::RadioLink { cell };
            classify(last, &Failure { at: at(time), kind, reestablished }, SECOND)
        };
        // Long in A, or since ever: too late, unless the UE remains.
        assert_eq!(fails(None, 5_000, A, B), Some(Problem::TooLate));
        assert_eq!(fails(None, 5_000, A, A), None);
        let last = handover(A, B, 4_000);
        assert_eq!(fails(Some(&last), 5_000, B, A), Some(Problem::TooLate));
        // 999 ms after the handover from A to B.
        assert_eq!(fails(Some(&last), 4_999, B, A), Some(Problem::TooEarly));
        assert_eq!(fails(Some(&last), 4_999, B, C), Some(Problem::WrongCell));
        assert_eq!(fails(Some(&last), 4_999, B, B), None);
        // A handover to another cell is not about this one.
        assert_eq!(fails(Some(&last), 4_999, C, A), Some(Problem::TooLate));
        // Nor is one that has not completed: its command was lost in A.
        let mut lost = Steps::begin(UeId(7), A, B, at(4_900));
        lost.end(at(4_950), Outcome::CommandLost);
        assert_eq!(fails(Some(&lost), 4_950, A, B), Some(Problem::TooLate));
    }

    #[test]
    fn handover_failures_by_the_definitions() {
        let fails = |reestablished| {
            let kind = FailureKind::Handover { source: A, target: B };
            classify(None, &Failure { at: at(1_000), kind, reestablished }, SECOND)
        };
        let expected = [Some(Problem::TooEarly), None, Some(Problem::WrongCell)];
        assert_eq!([A, B, C].map(fails), expected);
    }

    #[test]
    fn returns_within_a_second() {
        let first = handover(A, B, 4_000);
        assert!(handover(B, A, 4_999).returns(&first, SECOND));
        assert!(!handover(B, A, 5_000).returns(&first, SECOND));
        assert!(!handover(B, C, 4_500).returns(&first, SECOND));
        assert!(!handover(B, A, 3_900).returns(&first, SECOND));
        let mut lost = Steps::begin(UeId(7), B, A, at(4_100));
        lost.end(at(4_200), Outcome::T304Expired);
        assert!(!lost.returns(&first, SECOND));
    }
}
