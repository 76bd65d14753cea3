//! Lateness of an emulation against the clock.

use airpath_base::Duration;
use airpath_results::RealTime;
use airpath_results::live::Health;
use airpath_stats::Histogram;

/// Lateness above which an event has missed its deadline: a transmission time interval of LTE.
pub const DEADLINE: Duration = Duration::from_millis(1);
/// Packets, and wake-ups, that a judgement on 1% of them takes: of fewer, a single one would decide.
const LEAST: u64 = 100;
/// 99th percentile of packets' lateness above which results are doubtful. A scheduler's deadline is
/// then missed by half an interval of LTE.
const DOUBTFUL: Duration = Duration::from_micros(500);
/// Largest recorded lateness, in nanoseconds; larger ones count as this.
const MOST: u64 = 60_000_000_000;

/// Counts how late wake-ups and packets were.
#[derive(Clone, Debug)]
pub struct Lateness {
    wake: Histogram,
    added: Histogram,
    missed: u64,
}

/// Packets that the model had no part in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// The kernel discarded them before they were read.
    pub unread: u64,
    /// The kernel did not take them when they arrived.
    pub refused: u64,
    /// They arrived, and no socket had room for them.
    pub at_sockets: u64,
    /// Packets without a destination in the model.
    pub strange: u64,
}

impl Default for Lateness {
    fn default() -> Lateness {
        let histogram = || Histogram::up_to(MOST, 2);
        Lateness { wake: histogram(), added: histogram(), missed: 0 }
    }
}

impl Lateness {
    /// The program was woken `late` after the requested time.
    pub fn woken(&mut self, late: Duration) {
        self.wake.record(late.as_nanos());
    }

    /// Due work was begun so much later.
    pub fn begun(&mut self, late: Duration) {
        self.missed += u64::from(late > DEADLINE);
    }

    /// A packet left so much later than in the model.
    pub fn left(&mut self, late: Duration) {
        self.added.record(late.as_nanos());
    }

    /// Adds what another has counted.
    pub fn add(&mut self, other: &Lateness) {
        self.wake.merge(&other.wake);
        self.added.merge(&other.added);
        self.missed += other.missed;
    }

    /// For the live view. `cpu` is the share of a core, `lag` how far the world is behind.
    pub fn health(&self, cpu: f64, lag: Duration) -> Health {
        let wake = |per_mille| millis(self.wake.percentile(per_mille).unwrap_or(0));
        Health {
            wake_p50_ms: wake(500),
            wake_p99_ms: wake(990),
            wake_max_ms: millis(self.wake.max()),
            missed: self.missed,
            cpu,
            lag_ms: lag.as_millis_f64(),
        }
    }

    /// For the results, with what else is to be known: share of a core, and packets that were
    /// outside the model.
    pub fn real_time(&self, cpu: f64, outside: Outside) -> RealTime {
        let wake = |per_mille| millis(self.wake.percentile(per_mille).unwrap_or(0));
        let added = |per_mille| millis(self.added.percentile(per_mille).unwrap_or(0));
        let mut real_time = RealTime {
            wakes: self.wake.count(),
            wake_p50_ms: wake(500),
            wake_p99_ms: wake(990),
            wake_max_ms: millis(self.wake.max()),
            added_p50_ms: added(500),
            added_p99_ms: added(990),
            added_max_ms: millis(self.added.max()),
            missed: self.missed,
            cpu,
            unread_packets: outside.unread,
            refused_packets: outside.refused,
            socket_lost_packets: outside.at_sockets,
            strange_packets: outside.strange,
            warning: None,
        };
        real_time.warning = warning(&real_time, self.added.count());
        real_time
    }
}

fn millis(nanos: u64) -> f64 {
    // Three digits say all that two digits of a histogram know.
    (nanos as f64 / 1e3).round() / 1e3
}

/// Reason for which results are doubtful, if they are; `packets` packets left the model.
fn warning(of: &RealTime, packets: u64) -> Option<String> {
    let busy = slow(of, packets)
        .map(|reasons| format!("{reasons}: the machine was too slow or busy with other work"));
    let full = (of.socket_lost_packets > 0).then(|| {
        format!(
            "{} packets arrived and found no room in a program's socket: the program read too \
             slowly, or its buffer is small (--sysctl net.ipv4.tcp_rmem; SO_RCVBUF)",
            of.socket_lost_packets
        )
    });
    let reasons: Vec<String> = busy.into_iter().chain(full).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Signs that the machine did not keep up.
fn slow(of: &RealTime, packets: u64) -> Option<String> {
    let mut reasons = Vec::new();
    if of.unread_packets + of.refused_packets > 0 {
        let lost = of.unread_packets + of.refused_packets;
        reasons.push(format!("{lost} packets were lost outside the model"));
    }
    if packets >= LEAST && of.added_p99_ms > DOUBTFUL.as_millis_f64() {
        reasons.push(format!(
            "1% of the packets had {} ms more delay than in the model",
            of.added_p99_ms
        ));
    }
    if of.wakes >= LEAST && of.missed * 100 > of.wakes {
        reasons.push(format!("{} of {} deadlines were missed by 1 ms", of.missed, of.wakes));
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(micros: u64) -> Duration {
        Duration::from_micros(micros)
    }

    fn punctual() -> Lateness {
        let mut lateness = Lateness::default();
        for n in 1..=1000 {
            lateness.woken(micros(n / 10));
            lateness.begun(micros(n / 10));
            lateness.left(micros(n / 5));
        }
        lateness
    }

    #[test]
    fn percentiles_are_of_all_that_was_counted() {
        let real_time = punctual().real_time(0.25, Outside::default());
        let near = |got: f64, want: f64| (got - want).abs() <= want * 0.02;
        assert!(near(real_time.wake_p50_ms, 0.050), "{real_time:?}");
        assert!(near(real_time.wake_p99_ms, 0.099), "{real_time:?}");
        assert!(near(real_time.added_p99_ms, 0.198), "{real_time:?}");
        assert_eq!((real_time.wakes, real_time.missed, &real_time.warning), (1000, 0, &None));
        let mut twice = punctual();
        twice.add(&punctual());
        let twice = twice.real_time(0.25, Outside::default());
        assert_eq!((twice.wakes, twice.wake_p99_ms), (2000, real_time.wake_p99_ms));
    }

    #[test]
    fn what_makes_results_doubtful_is_said() {
        let warned = |lateness: &Lateness, outside| {
            lateness.real_time(0.5, outside).warning.unwrap_or_default()
        };
        let none = Outside::default();
        let lost = Outside { unread: 1, refused: 2, strange: 9, ..none };
        assert!(warned(&punctual(), lost).starts_with("3 packets were lost outside"));
        let full = warned(&punctual(), Outside { at_sockets: 4, ..none });
        assert!(full.starts_with("4 packets arrived and found no room"), "{full}");
        assert!(!full.contains("too slow or busy"), "{full}");
        let mut late = punctual();
        (0..11).for_each(|_| late.begun(micros(1001)));
        assert!(warned(&late, none).starts_with("11 of 1000 deadlines were missed"));
        let mut slow = punctual();
        (0..20).for_each(|_| slow.left(micros(700)));
        assert!(warned(&slow, none).starts_with("1% of the packets had 0.7"));
        assert_eq!(warned(&punctual(), Outside { strange: 5, ..none }), "");
    }

    #[test]
    fn a_few_packets_are_too_few_to_doubt() {
        let seen = |count: u64| {
            let mut lateness = Lateness::default();
            for _ in 0..count {
                lateness.woken(micros(900));
                lateness.begun(micros(1500));
                lateness.left(micros(900));
            }
            lateness.real_time(0.1, Outside::default()).warning
        };
        // One echo, and as many as make one in a hundred; all of them are late.
        assert_eq!((seen(2), seen(99)), (None, None));
        let all = seen(100).expect("a warning");
        assert!(all.starts_with("1% of the packets had 0.9"), "{all}");
        assert!(all.contains("100 of 100 deadlines were missed"), "{all}");
        // Any lost packet counts, however few there are.
        let lost = Outside { refused: 1, ..Outside::default() };
        assert!(Lateness::default().real_time(0.1, lost).warning.is_some());
    }
}
