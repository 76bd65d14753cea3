//! Measurement of neighbours: its begin and end by events of the serving cell, and s-Measure.
//!
//! - With event A2 a serving cell configures measurements of neighbours on the report of A2, and ends them on the
//!   report of A1 (TS 36.331 and TS 38.331, 5.5.4.2 and 5.5.4.3). Each serving cell begins without them.
//! - With s-Measure a UE measures neighbours while the filtered RSRP of the serving cell is below it (5.5.3.1).
//!
//! Without either, a UE always measures neighbours. A measurement that begins has its first value after a period
//! ([`Measuring::restart`](super::Measuring::restart)).

use airpath_base::Time;

use super::{EventConfig, RangeError, Trigger, View};

/// Begin and end of measurements of neighbours. The default has neither: neighbours are always measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NeighbourConfig {
    /// Event A2, whose report begins measurements of neighbours.
    pub begin: Option<EventConfig>,
    /// Event A1, whose report ends them. It counts with `begin` alone.
    pub end: Option<EventConfig>,
    /// s-Measure in dBm: neighbours are not measured while the serving cell is at it or above.
    pub s_measure: Option<f64>,
}

impl NeighbourConfig {
    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// The first value that is out of its range.
    pub(super) fn check(&self) -> Result<(), RangeError> {
        self.begin.iter().chain(&self.end).try_for_each(EventConfig::check)
    }
}

/// Measurement of the neighbours of one UE.
#[derive(Clone, Debug)]
pub struct Neighbours {
    begin: Option<Trigger>,
    end: Option<Trigger>,
    s_measure: Option<f64>,
    /// Serving cell of the configuration.
    serving: Option<usize>,
    /// True if the serving cell has configured measurements of neighbours.
    configured: bool,
    /// Configuration that is on its way to the UE, and the time from which on it counts.
    coming: Option<(Time, bool)>,
    measured: bool,
}

impl Neighbours {
    /// Measurement of neighbours from the begin on, without A2 and s-Measure.
    pub fn new(config: &NeighbourConfig) -> Neighbours {
        let trigger = |event: Option<&EventConfig>| event.map(Trigger::new);
        Neighbours {
            begin: trigger(config.begin.as_ref()),
            end: trigger(config.end.as_ref().filter(|_| config.begin.is_some())),
            s_measure: config.s_measure,
            serving: None,
            configured: config.begin.is_none(),
            coming: None,
            measured: config.begin.is_none() && config.s_measure.is_none(),
        }
    }

    /// True if neighbours are measured.
    pub fn are_measured(&self) -> bool {
        self.measured
    }

    /// True if the serving cell has configured their measurement, whether s-Measure lets it be or not.
    pub fn are_configured(&self) -> bool {
        self.configured
    }

    /// Time of the next repeated report or end of a time to trigger.
    pub fn next_due(&self) -> Option<Time> {
        self.begin.iter().chain(&self.end).filter_map(Trigger::next_due).min()
    }

    /// A report of A1 or A2 is due: whether the serving cell shall configure measurements of neighbours, if that is not
    /// so yet. `sampled` says whether there are new values.
    pub fn report(&mut self, (now, sampled): (Time, bool), view: &View<'_>) -> Option<bool> {
        if self.begin.is_some() && self.serving != Some(view.serving) {
            (self.serving, self.configured, self.coming) = (Some(view.serving), false, None);
        }
        let mut wish = None;
        for (trigger, on) in [(&mut self.end, false), (&mut self.begin, true)] {
            let Some(trigger) = trigger else { continue };
            let report = match sampled {
                true => trigger.measure(now, view),
                false => trigger.poll(now, view),
            };
            wish = report.map(|_| on).or(wish);
        }
        let state = self.coming.map_or(self.configured, |(_, on)| on);
        wish.filter(|on| *on != state)
    }

    /// The serving cell configures measurements of neighbours, or their end, which counts from `at` on.
    pub fn configure(&mut self, at: Time, on: bool) {
        self.coming = Some((at, on));
    }

    /// Begins or ends measurements by the filtered value of the serving cell in dBm, none before its first. True if they
    /// begin now.
    pub fn follow(&mut self, now: Time, serving: Option<f64>) -> bool {
        if let Some((_, on)) = self.coming.filter(|(at, _)| *at <= now) {
            (self.configured, self.coming) = (on, None);
        }
        let below = self.s_measure.is_none_or(|most| serving.is_some_and(|value| value < most));
        let before = std::mem::replace(&mut self.measured, self.configured && below);
        self.measured && !before
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::Duration;

    use super::*;
    use crate::handover::{Event, Offsets};

    fn event(event: Event) -> EventConfig {
        EventConfig { event, hysteresis: 1.0, time_to_trigger: Duration::ZERO, ..EventConfig::A3 }
    }

    /// Wishes of a UE whose serving cell has these values, one each 40 ms. Each is configured at once.
    fn wishes(config: &NeighbourConfig, values: &[(usize, f64)]) -> Vec<(usize, bool)> {
        let (mut own, offsets) = (Neighbours::new(config), Offsets::default());
        let mut wishes = Vec::new();
        for (n, (serving, value)) in values.iter().enumerate() {
            let now = Time::from_millis(40 * n as u64);
            let values = [*value; 2];
            let view =
                View { serving: *serving, secondary: None, values: &values, offsets: &offsets };
            if let Some(on) = own.report((now, true), &view) {
                wishes.push((n, on));
                own.configure(now, on);
            }
            own.follow(now, Some(*value));
            let last = wishes.last().is_some_and(|(_, on)| *on);
            assert_eq!(own.are_measured(), last || config.begin.is_none());
        }
        wishes
    }

    #[test]
    fn a2_begins_and_a1_ends() {
        let config = NeighbourConfig {
            begin: Some(event(Event::A2 { threshold: -100.0 })),
            end: Some(event(Event::A1 { threshold: -95.0 })),
            s_measure: None,
        };
        // A2 enters below -101 dBm, A1 above -94 dBm.
        let levels = [-90.0, -101.0, -101.1, -110.0, -94.0, -93.9, -93.0, -101.1];
        let all: Vec<(usize, f64)> = levels.map(|value| (0, value)).to_vec();
        assert_eq!(wishes(&config, &all), [(2, true), (5, false), (7, true)]);
        let without_end = NeighbourConfig { end: None, ..config.clone() };
        assert_eq!(wishes(&without_end, &all), [(2, true)]);
        // A report that is lost is repeated after 240 ms, six samples.
        let mut own = Neighbours::new(&config);
        let (values, offsets) = ([-110.0, -90.0], Offsets::default());
        let view = View { serving: 0, secondary: None, values: &values, offsets: &offsets };
        assert_eq!(own.report((Time::ZERO, true), &view), Some(true));
        assert_eq!(own.next_due(), Some(Time::from_millis(240)));
        assert_eq!(own.report((Time::from_millis(240), false), &view), Some(true));
    }

    #[test]
    fn another_serving_cell_begins_anew() {
        let begin = Some(event(Event::A2 { threshold: -100.0 }));
        let config = NeighbourConfig { begin, ..NeighbourConfig::default() };
        let mut own = Neighbours::new(&config);
        let (values, offsets) = ([-110.0, -90.0], Offsets::default());
        let view = |serving| View { serving, secondary: None, values: &values, offsets: &offsets };
        let at = Time::from_millis;
        assert_eq!(own.report((at(0), true), &view(0)), Some(true));
        own.configure(at(30), true);
        assert!(!own.follow(at(20), Some(-110.0)) && own.follow(at(30), Some(-110.0)));
        assert_eq!(own.report((at(40), true), &view(1)), None);
        assert!(!own.follow(at(40), Some(-90.0)) && !own.are_measured());
    }

    #[test]
    fn s_measure_is_a_bound_of_the_serving_cell() {
        let config = NeighbourConfig { s_measure: Some(-95.0), ..NeighbourConfig::default() };
        let mut own = Neighbours::new(&config);
        let begins = [None, Some(-95.0), Some(-95.1), Some(-99.0), Some(-94.0), Some(-96.0)]
            .map(|serving| own.follow(Time::ZERO, serving));
        assert_eq!(begins, [false, false, true, false, false, true]);
    }

    #[test]
    fn without_keys_neighbours_are_always_measured() {
        let mut own = Neighbours::new(&NeighbourConfig::default());
        assert!(own.are_measured() && !own.follow(Time::ZERO, None) && own.are_measured());
    }
}
