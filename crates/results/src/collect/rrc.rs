//! Counters of a UE's radio states.

use airpath_base::rrc::{Config, Span, State, Usage};
use airpath_base::{Time, UeId};

use crate::RrcInfo;

/// Stays in radio states of a UE.
#[derive(Clone, Debug, PartialEq)]
pub struct RrcCounts {
    /// The stays that have ended, in order, up to the table's limit.
    pub spans: Vec<Span>,
    /// Stays beyond the table's limit.
    pub omitted: u64,
    /// Times by state.
    pub usage: Usage,
    config: Config,
    limit: usize,
    /// Times count from here on.
    from: Time,
    /// The state before and its beginning: a change may lie a little ahead, so a stay is
    /// counted when the next has ended too.
    before: Option<(State, Time)>,
    now: (State, Time),
    /// The last skipping of PDCCH monitoring.
    skipping: (Time, Time),
}

impl super::Collector {
    /// Counts something of a UE with radio states.
    pub(super) fn with_rrc(&mut self, ue: UeId, count: impl FnOnce(&mut RrcCounts)) {
        if let Some(rrc) = &mut self.ues.at(ue.index()).rrc {
            count(rrc);
        }
    }
}

impl RrcCounts {
    pub(super) fn new(info: &RrcInfo, limit: usize, from: Time) -> RrcCounts {
        let state = if info.connected { State::Active } else { State::Idle };
        RrcCounts {
            spans: Vec::new(),
            omitted: 0,
            usage: Usage::default(),
            config: info.states,
            limit,
            from,
            before: None,
            now: (state, Time::ZERO),
            skipping: (Time::ZERO, Time::ZERO),
        }
    }

    /// The state changes at `at`.
    pub(super) fn change(&mut self, at: Time, state: State) {
        self.count_before(self.now.1);
        if state != State::Active {
            self.count_skipping(at);
        }
        self.before = Some(self.now);
        self.now = (state, at.max(self.now.1));
    }

    /// The UE skips PDCCH monitoring, or the last skipping has another end.
    pub(super) fn skip(&mut self, from: Time, until: Time) {
        if self.skipping.0 != from {
            self.count_skipping(from);
        }
        self.skipping = (from, until);
    }

    /// Counts the last skipping as far as it was before `end`.
    fn count_skipping(&mut self, end: Time) {
        let (from, until) = self.skipping;
        let until = until.min(end);
        self.usage.skipping += until.saturating_since(from.max(self.from));
        self.skipping = (until, until);
    }

    /// The run has ended: so has the last stay.
    pub(super) fn finish(&mut self, end: Time) {
        self.count_skipping(end);
        self.count_before(self.now.1.min(end));
        self.before = Some(self.now);
        self.count_before(end);
    }

    fn count_before(&mut self, end: Time) {
        let Some((state, start)) = self.before.take() else { return };
        if end <= start {
            return;
        }
        let span = Span { state, start, end };
        self.count(span);
        match self.spans.len() < self.limit {
            true => self.spans.push(span),
            false => self.omitted += 1,
        }
    }

    /// Counts the part of a stay that is not in the warm-up. A promotion or resume counts if it
    /// began then.
    fn count(&mut self, span: Span) {
        if span.end <= self.from {
            return;
        }
        self.usage.add(&self.config, Span { start: span.start.max(self.from), ..span });
        let early = |state| u64::from(span.state == state && span.start < self.from);
        self.usage.promotions -= early(State::Promotion);
        self.usage.resumes -= early(State::Resume);
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::rrc::Power;

    use super::*;

    #[test]
    fn stays_end_with_the_run() {
        let power = Power::MOBISYS_2012;
        let info = RrcInfo { states: Config::MOBISYS_2012, connected: false, power };
        let mut counts = RrcCounts::new(&info, 2, Time::ZERO);
        let at = Time::from_millis;
        counts.change(at(100), State::Promotion);
        counts.change(at(400), State::Active);
        // Asleep before the end, and a grant that is received only after it.
        counts.change(at(500), State::LongDrx);
        counts.change(at(703), State::Active);
        counts.finish(at(700));
        let spans = [(State::Idle, 0, 100), (State::Promotion, 100, 400)];
        let spans = spans.map(|(state, start, end)| Span { state, start: at(start), end: at(end) });
        assert_eq!((&counts.spans[..], counts.omitted), (&spans[..], 2));
        let millis = State::ALL.map(|state| counts.usage.time_in(state).as_millis());
        assert_eq!(millis, [100, 300, 100, 0, 200, 0, 0]);
        assert_eq!(counts.usage.promotions, 1);
    }

    #[test]
    fn a_stay_counts_from_the_end_of_the_warm_up() {
        let power = Power::MOBISYS_2012;
        let info = RrcInfo { states: Config::MOBISYS_2012, connected: false, power };
        let at = Time::from_millis;
        let mut counts = RrcCounts::new(&info, 9, at(250));
        counts.change(at(100), State::Promotion);
        counts.change(at(400), State::Active);
        counts.change(at(500), State::Idle);
        counts.change(at(600), State::Promotion);
        counts.finish(at(700));
        let millis = State::ALL.map(|state| counts.usage.time_in(state).as_millis());
        // Idle from 500 to 600, promotions from 250 to 400 and from 600 on.
        assert_eq!((millis, counts.usage.promotions), ([100, 250, 100, 0, 0, 0, 0], 1));
        assert_eq!(counts.spans.len(), 5);
    }

    #[test]
    fn skipping_counts_behind_the_warm_up_and_while_active() {
        let power = Power::MOBISYS_2012;
        let info = RrcInfo { states: Config::MOBISYS_2012, connected: true, power };
        let at = Time::from_millis;
        let mut counts = RrcCounts::new(&info, 9, at(100));
        // 5 ms behind the warm-up; 4 ms until a request; 3 ms until DRX; 2 ms until the end.
        counts.skip(at(95), at(105));
        counts.skip(at(110), at(120));
        counts.skip(at(110), at(114));
        counts.skip(at(120), at(130));
        counts.change(at(123), State::ShortDrx);
        counts.change(at(140), State::Active);
        counts.skip(at(198), at(208));
        counts.finish(at(200));
        assert_eq!(counts.usage.skipping, airpath_base::Duration::from_millis(5 + 4 + 3 + 2));
    }

    #[test]
    fn a_resume_counts_if_it_began_behind_the_warm_up() {
        let power = Power::MOBISYS_2012;
        let info = RrcInfo { states: Config::MOBISYS_2012, connected: true, power };
        let at = Time::from_millis;
        let mut counts = RrcCounts::new(&info, 9, at(250));
        let changes = [
            (200, State::Inactive),
            (240, State::Resume),
            (260, State::Active),
            (300, State::Inactive),
            (340, State::Resume),
            (360, State::Active),
        ];
        changes.into_iter().for_each(|(millis, state)| counts.change(at(millis), state));
        counts.finish(at(400));
        let usage = counts.usage;
        // Inactive from 300 to 340, resumes from 250 to 260 and from 340 to 360.
        assert_eq!([usage.inactive, usage.resume].map(|time| time.as_millis()), [40, 30]);
        assert_eq!((usage.resumes, usage.promotions), (1, 0));
    }
}
