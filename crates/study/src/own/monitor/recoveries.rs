//! Recoveries from losses: slow starts that were found, and effects of the arms.
//!
//! An undesired slow start of the analyser is matched with a true one of the same flow, if it lies
//! in the 200 ms after that. In this time the timer strikes, and the retransmission passes the
//! monitor. The timer has at least 200 ms to run, so that two true slow starts never fit the same
//! finding. Each is matched at most once, with the first that fits.

use airpath_base::{Duration, Time};
use airpath_stats::wilson;

use super::figures::{Figures, insert};
use super::{Monitored, MonitoredFlow};

/// Least timeout of the senders here (Linux, TCP_RTO_MIN).
const LEAST_TIMEOUT: Duration = Duration::from_millis(200);
/// A time of the analyser's is in seconds since the flow began, so it may be rounded down.
const ROUNDED: Duration = Duration::from_micros(1);

/// Slow starts by arm, what was found of them, and what an arm with RTTs from duplicate ACKs
/// prevents.
pub(super) fn recoveries(seen: &[Monitored], figures: &mut Figures) {
    let mut all = Struck::default();
    for arm in 0..=seen.iter().map(|seen| seen.arm).max().unwrap_or(0) {
        let own = Struck::of(seen, arm);
        all = all.and(&own);
        own.add(&arm.to_string(), figures);
        let Some(base) = without(seen, arm).map(|base| Struck::of(seen, base)) else { continue };
        let spared = |own: u64, base: u64| percent(base.saturating_sub(own), base);
        insert(figures, &format!("prevented-{arm}"), spared(own.slow, base.slow));
        let needless = spared(own.needless, base.needless);
        insert(figures, &format!("needless-prevented-{arm}"), needless);
    }
    all.add("all", figures);
}

fn percent(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| 100.0 * part as f64 / all as f64)
}

/// Upper end of the 95 % interval of a share, in percent.
fn most(part: u64, all: u64) -> Option<f64> {
    wilson(part, all, 0.95).map(|interval| 100.0 * interval.high)
}

/// Timeouts in the recoveries of an arm.
#[derive(Clone, Copy, Debug, Default)]
struct Struck {
    slow: u64,
    needless: u64,
    recoveries: u64,
    /// Slow starts that the analyser finds; `hits` of them are needless ones.
    detected: u64,
    hits: u64,
    /// Slow starts that RTTs from duplicate ACKs would have prevented, by the analyser's judgement.
    preventable: u64,
}

impl Struck {
    fn of(seen: &[Monitored], arm: usize) -> Struck {
        let flows = seen.iter().filter(|seen| seen.arm == arm).flat_map(|seen| &seen.flows);
        flows.fold(Struck::default(), |sum, flow| sum.and(&Struck::in_flow(flow)))
    }

    fn in_flow(flow: &MonitoredFlow) -> Struck {
        let truth = &flow.truth;
        let down = flow.found.as_ref().and_then(|found| Some((found.start?, &found.down)));
        let detected: Vec<Time> = down.map_or_else(Vec::new, |(start, down)| {
            let at = |s: &f64| start + Duration::from_nanos((s * 1e9).round() as u64);
            down.undesired_slow_starts_at_s.iter().map(at).collect()
        });
        Struck {
            slow: truth.slow_starts.len() as u64,
            needless: truth.needless.len() as u64,
            recoveries: truth.recoveries.into(),
            detected: down.map_or(0, |(_, down)| down.undesired_slow_starts),
            hits: matched(&truth.needless, &detected),
            preventable: down.map_or(0, |(_, down)| down.preventable_slow_starts),
        }
    }

    /// Its figures, those of `arm`.
    fn add(&self, arm: &str, figures: &mut Figures) {
        let (missed, wrong) = (self.needless - self.hits, self.detected - self.hits);
        let shares = [
            ("slow-starts", Some(self.slow as f64)),
            ("needless", Some(self.needless as f64)),
            ("recoveries", Some(self.recoveries as f64)),
            ("found", percent(self.hits, self.needless)),
            ("missed-most", most(missed, self.needless)),
            ("false", percent(wrong, self.detected)),
            ("false-most", most(wrong, self.detected)),
            ("preventable", percent(self.preventable, self.detected)),
        ];
        for (name, value) in shares {
            insert(figures, &format!("{name}-{arm}"), value);
        }
    }

    fn and(self, other: &Struck) -> Struck {
        Struck {
            slow: self.slow + other.slow,
            needless: self.needless + other.needless,
            recoveries: self.recoveries + other.recoveries,
            detected: self.detected + other.detected,
            hits: self.hits + other.hits,
            preventable: self.preventable + other.preventable,
        }
    }
}

/// Number of detected slow starts that are true, matched one to one; both lists are in order of
/// time.
fn matched(truth: &[Time], detected: &[Time]) -> u64 {
    let (mut next, mut hits) = (0, 0);
    for at in truth {
        let early = |detected: &Time| *detected + ROUNDED < *at;
        next += detected[next..].iter().take_while(|detected| early(detected)).count();
        if detected.get(next).is_some_and(|detected| detected.saturating_since(*at) < LEAST_TIMEOUT)
        {
            (next, hits) = (next + 1, hits + 1);
        }
    }
    hits
}

/// The arm that is like this one but for RTTs from duplicate ACKs.
fn without(seen: &[Monitored], arm: usize) -> Option<usize> {
    let tcp = |of: usize| {
        let run = seen.iter().find(|run| run.arm == of)?;
        run.scenario.flow.first()?.tcp.clone()
    };
    let mut base = tcp(arm).filter(|tcp| tcp.rto_from_duplicates)?;
    base.rto_from_duplicates = false;
    (0..arm).find(|other| tcp(*other).as_ref() == Some(&base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_matched_once_and_by_its_time() {
        let ms = |times: &[u64]| -> Vec<Time> {
            times.iter().map(|ms| Time::from_millis(*ms)).collect()
        };
        let truth = ms(&[1000, 1200, 5000]);
        assert_eq!(matched(&truth, &ms(&[1000, 1200, 5000])), 3);
        // The numbers are equal, and no slow start matches.
        assert_eq!(matched(&truth, &ms(&[900, 1450, 5201])), 0);
        // Slow starts pass the monitor later than the timer strikes; two of them lie behind one
        // true one.
        assert_eq!(matched(&truth, &ms(&[1199, 5020, 5040])), 2);
        assert_eq!(matched(&truth, &[]), 0);
        assert_eq!(matched(&[], &truth), 0);
    }
}
