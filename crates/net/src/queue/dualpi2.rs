//! DualPI2: the dual-queue coupled AQM for L4S (RFC 9332, appendix A).
//!
//! Two queues share a link. Low-latency traffic waits in the L queue, which marks early. All other
//! traffic waits in the C queue, whose controller ([`Pi2`]) signals with the square of its base
//! probability p'. The L queue marks with k p' at least, so that a scalable sender in L leaves room
//! for the classic ones in C. Beyond an overload both drop with the square.
//!
//! Packets in L that cannot be marked (non-queue-building traffic without ECN) are dropped with the
//! probability of C, never with that of L. No classic sender could bear the probability of L. Left
//! out: splitting of segments (Linux, `split_gso`) and drops at arrival (Linux, `drop_early`).

use airpath_base::random::{Keyed, Stream};
use airpath_base::{Duration, Time};
use airpath_schema::{above, at_least, between, choice, record};
use airpath_wire::Ecn;

use super::classify::NQB;
use super::signal::{mark, signal};
use super::{
    Classifier, DualScheduler, DualSchedulerName, Fifo, Limit, Pi2, Pi2Config, Protection,
    ProtectionConfig, Queue, Threshold, Waiting, ticks, without,
};
use crate::{ChangeError, Cx, DropCause, Dscp, Held, Packet, QueueChange};

/// Rule by which the L queue marks on its own account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NativeAqm {
    /// With a probability that rises from 0 at `low` to 1 at `high`, but never the
    /// only packet (RFC 9332, A.1).
    Ramp {
        /// 800 us.
        low: Duration,
        /// 1200 us: 400 us above.
        high: Duration,
    },
    /// Everything that has waited longer (Linux, `step_thresh`).
    Step(Duration),
}

choice! {
    /// Step from a probability to a decision.
    pub enum Chance {
        /// A hit whenever the probabilities summed up pass one.
        Recur = "recur",
        /// A random draw for each packet.
        Random = "random",
    }
}

choice! {
    /// Marks of a low-latency queue on its own account.
    pub enum NativeMarking {
        /// With a probability that rises with the delay.
        Ramp = "ramp",
        /// All that has waited longer than a threshold.
        Step = "step",
    }
}

choice! {
    /// Source of the defaults.
    pub enum DualPi2Preset {
        /// Defaults of RFC 9332, appendix A.
        Rfc = "rfc9332",
        /// Defaults of Linux, `sch_dualpi2`.
        Linux = "linux",
    }
}

record! {
    /// Dual-queue coupled AQM.
    pub struct DualPi2Options: Default {
        /// Source of the defaults where both differ: `marking`, `decision` and `dscp`. Default:
        /// "rfc9332".
        preset: DualPi2Preset = DualPi2Preset::Rfc;
        /// Delay that the classic queue's controller aims at. Default: 15 ms
        /// (RFC 9332, A.1; Linux).
        target: Duration = Duration::from_millis(15) => above(Duration::ZERO);
        /// Time between updates. Default: 16 ms (RFC 9332, A.1; Linux).
        update: Duration = Duration::from_millis(16) => at_least(ticks::SHORTEST);
        /// Integral gain, in hertz. Default: 0.16 (RFC 9332, A.1; Linux).
        alpha: f64 = 0.16 => between(0.0, 1_000.0);
        /// Proportional gain, in hertz. Default: 3.2 (RFC 9332, A.1; Linux).
        beta: f64 = 3.2 => between(0.0, 1_000.0);
        /// Least probability with which the low-latency queue marks, in multiples of the
        /// controller's. Default: 2 (RFC 9332, 2.1; Linux).
        coupling: f64 = 2.0 => between(1.0, 100.0);
        /// Marks of the low-latency queue on its own account. Default: "ramp" (RFC 9332, A.1), with
        /// the preset "linux" "step".
        marking: Option<NativeMarking>;
        /// Delay at which the ramp begins. Default: 800 us (RFC 9332, A.1).
        ramp_low: Duration = Duration::from_micros(800);
        /// Delay at which the ramp reaches 1. Default: 1200 us (RFC 9332, A.1).
        ramp_high: Duration = Duration::from_micros(1_200) => above(Duration::ZERO);
        /// Threshold of the step. Default: 1 ms (Linux, `step_thresh`).
        step: Duration = Duration::from_millis(1);
        /// Step from a probability to a decision. Default: "recur" (RFC 9332, A.1), with the preset
        /// "linux" "random".
        decision: Option<Chance>;
        /// Order in which both queues send. Default: "weighted" (Linux; RFC 9332, 4.2.2, leaves it
        /// open).
        scheduler: DualSchedulerName = DualSchedulerName::Weighted;
        /// Percent of the bytes that the weighted scheduler leaves to the classic queue.
        /// Default: 10 (Linux, `classic_protection`).
        classic_percent: u8 = 10 => between(1, 50);
        /// Time by which the time-shifted scheduler takes low-latency packets to have come earlier.
        /// Default: 30 ms, twice the target; no specification has a value.
        time_shift: Duration = Duration::from_millis(30);
        /// Leads packets with ECT(1) and CE to the low-latency queue. Default: true (RFC 9331,
        /// 5.1).
        l4s: bool = true;
        /// Code points that lead to the low-latency queue. Default: NQB (RFC 9956), with
        /// the preset "linux" none.
        dscp: Option<Vec<Dscp>>;
        /// Moves flows that build a queue to the classic one. Default: false.
        protection: bool = false;
        /// Delay of the low-latency queue below which nobody is moved. Default: 1 ms
        /// (RFC 9957, 4.1).
        critical_delay: Duration = Duration::from_millis(1);
        /// Score of a flow that is moved at that delay. Default: 4 ms (RFC 9957, 4.1).
        critical_score: Duration = Duration::from_millis(4);
        /// Binary logarithm of the rate at which scores fall, in bytes a second. Default:
        /// 19 (RFC 9957, 4.1).
        lg_aging: u8 = 19 => between(1, 30);
        /// Limit of both queues together, in packets or bytes. Default: 10000 packets (Linux).
        limit: Limit = Limit::packets(10_000);
    }
}

/// Parameters of DualPI2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualPi2Config {
    /// The base controller.
    pub pi2: Pi2Config,
    /// Coupling factor k: 2 (RFC 9332, 2.1).
    pub coupling: f64,
    /// The L queue's own marking.
    pub native: NativeAqm,
    /// Choice of the queue that sends next.
    pub scheduler: DualScheduler,
    /// Rule of decisions.
    pub chance: Chance,
    /// Limit of both queues together.
    pub limit: Limit,
    /// Classification of packets for the L queue.
    pub classifier: Classifier,
    /// Queue protection, if it is on.
    pub protection: Option<ProtectionConfig>,
}

/// A queue under DualPI2.
#[derive(Debug)]
pub struct DualPi2 {
    config: DualPi2Config,
    low_latency: Fifo,
    classic: Fifo,
    pi2: Pi2,
    chances: [Chances; 2],
    /// p_C and p_CL.
    probabilities: (f64, f64),
    credit: i64,
    protection: Option<Protection>,
    sanctioned: u64,
}

#[derive(Debug)]
struct Chances {
    kind: Chance,
    sum: f64,
    draws: Stream,
}

impl Default for DualPi2Config {
    /// The values of RFC 9332, appendix A, with 10000 packets and the scheduler that
    /// Linux has: the RFC leaves both to the implementer.
    fn default() -> DualPi2Config {
        DualPi2Options::default().config()
    }
}

impl DualPi2Config {
    /// The defaults of Linux (`sch_dualpi2`): a step at 1 ms, decisions at random, and
    /// only ECT(1) and CE in the L queue.
    pub fn linux() -> DualPi2Config {
        let preset = DualPi2Preset::Linux;
        DualPi2Options { preset, ..DualPi2Options::default() }.config()
    }
}

impl DualPi2Options {
    /// Fills in what the preset decides and nothing else.
    pub fn fill(&mut self) {
        let (marking, decision, dscp) = match self.preset {
            DualPi2Preset::Rfc => (NativeMarking::Ramp, Chance::Recur, vec![Dscp(NQB)]),
            DualPi2Preset::Linux => (NativeMarking::Step, Chance::Random, Vec::new()),
        };
        self.marking.get_or_insert(marking);
        self.decision.get_or_insert(decision);
        self.dscp.get_or_insert(dscp);
    }

    /// The queue with these options.
    pub fn config(&self) -> DualPi2Config {
        let mut filled = self.clone();
        filled.fill();
        let DualPi2Options { target, update, alpha, beta, coupling, limit, .. } = filled;
        let DualPi2Options { critical_delay, critical_score, lg_aging, .. } = filled;
        let protection = ProtectionConfig { critical_delay, critical_score, lg_aging };
        DualPi2Config {
            pi2: Pi2Config { target, update, alpha, beta },
            coupling,
            native: match filled.marking {
                Some(NativeMarking::Step) => NativeAqm::Step(filled.step),
                _ => NativeAqm::Ramp { low: filled.ramp_low, high: filled.ramp_high },
            },
            scheduler: match filled.scheduler {
                DualSchedulerName::Weighted => {
                    DualScheduler::Weighted { classic_percent: filled.classic_percent }
                }
                DualSchedulerName::TimeShifted => DualScheduler::TimeShifted(filled.time_shift),
            },
            chance: filled.decision.unwrap_or(Chance::Recur),
            limit,
            classifier: Classifier::new(filled.l4s, filled.dscp.iter().flatten().map(|d| d.0)),
            protection: filled.protection.then_some(protection),
        }
    }
}

impl NativeAqm {
    /// The probability for a packet that has waited so long (RFC 9332, figure 5).
    pub fn probability(&self, sojourn: Duration) -> f64 {
        match *self {
            NativeAqm::Ramp { high, .. } if sojourn >= high => 1.0,
            NativeAqm::Ramp { low, .. } if sojourn <= low => 0.0,
            NativeAqm::Ramp { low, high } => {
                (sojourn - low).as_secs_f64() / (high - low).as_secs_f64()
            }
            NativeAqm::Step(threshold) => f64::from(u8::from(sojourn > threshold)),
        }
    }
}

impl Chances {
    fn new(kind: Chance, draws: Stream) -> Chances {
        Chances { kind, sum: 0.0, draws }
    }

    #[inline]
    fn hit(&mut self, probability: f64) -> bool {
        match self.kind {
            Chance::Recur => {
                self.sum += probability;
                let hit = self.sum > 1.0;
                self.sum -= f64::from(u8::from(hit));
                hit
            }
            Chance::Random => probability > 0.0 && self.draws.chance(probability),
        }
    }
}

impl DualPi2 {
    /// An empty queue. Decisions are drawn from `draws`, one stream for each queue (L, C). `salt`
    /// makes the hash by which queue protection distinguishes flows.
    pub fn new(config: DualPi2Config, draws: [Stream; 2], salt: Keyed) -> DualPi2 {
        DualPi2 {
            low_latency: Fifo::new(),
            classic: Fifo::new(),
            pi2: Pi2::new(config.pi2),
            chances: draws.map(|draws| Chances::new(config.chance, draws)),
            probabilities: (0.0, 0.0),
            credit: config.scheduler.initial_credit(),
            protection: config.protection.map(|protection| Protection::new(protection, salt)),
            sanctioned: 0,
            config,
        }
    }

    /// The controller's base probability p'.
    pub fn base_probability(&self) -> f64 {
        self.pi2.base()
    }

    /// Packets that queue protection moved to the classic queue.
    pub fn sanctioned(&self) -> u64 {
        self.sanctioned
    }

    #[inline]
    fn catch_up(&mut self, now: Time) {
        if !self.pi2.is_due(now) {
            return;
        }
        self.pi2.catch_up(now, self.oldest());
        let base = self.pi2.base();
        // RFC 9332, figure 6.
        self.probabilities = (base * base, (self.config.coupling * base).min(1.0));
    }

    /// True if a packet goes into the L queue.
    fn admits_to_low_latency(&mut self, now: Time, packet: &Packet) -> bool {
        if !self.config.classifier.is_low_latency(packet) {
            return false;
        }
        let Some(protection) = &mut self.protection else { return true };
        let oldest = self.low_latency.oldest();
        let delay = oldest.map_or(Duration::ZERO, |since| now.saturating_since(since));
        let native = self.config.native.probability(delay);
        let sanctioned = protection.sanctions(now, packet, delay, native);
        self.sanctioned += u64::from(sanctioned);
        !sanctioned
    }

    /// Decision about a packet that leaves the L queue (RFC 9332, figure 8).
    fn leave_low_latency(&mut self, now: Time, from: Waiting, cx: &mut Cx<'_>) -> Option<Packet> {
        let (classic, coupled) = self.probabilities;
        let chances = &mut self.chances[0];
        let sojourn = from.sojourn(now);
        let mut packet = from.packet;
        if packet.visible_ecn() == Ecn::NotEct {
            return if chances.hit(classic) { signal(packet, false, cx) } else { Some(packet) };
        }
        let saturated = coupled >= 1.0;
        if saturated && chances.hit(classic) {
            return signal(packet, false, cx);
        }
        let native = match self.config.native {
            NativeAqm::Ramp { .. } if saturated || self.low_latency.is_empty() => 0.0,
            native => native.probability(sojourn),
        };
        if chances.hit(native.max(coupled)) {
            mark(&mut packet, cx);
        }
        Some(packet)
    }

    /// Decision about a packet that leaves the C queue.
    fn leave_classic(&mut self, packet: Packet, cx: &mut Cx<'_>) -> Option<Packet> {
        let (classic, coupled) = self.probabilities;
        if self.chances[1].hit(classic) {
            // p_C reaches p_Cmax = 1/k^2 where k p' reaches 1.
            signal(packet, coupled < 1.0, cx)
        } else {
            Some(packet)
        }
    }

    /// Takes the next packet of either queue: it, whether it was in L, and how the
    /// scheduler's credit changes if it is sent.
    fn take(&mut self, now: Time) -> Option<(Waiting, bool, i64)> {
        let heads = (self.low_latency.oldest(), self.classic.oldest());
        let low_latency = match heads {
            (None, None) => {
                self.credit = self.config.scheduler.initial_credit();
                return None;
            }
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(l), Some(c)) => self.config.scheduler.prefers_low_latency(self.credit, now, l, c),
        };
        let both = heads.0.is_some() && heads.1.is_some();
        let fifo = if low_latency { &mut self.low_latency } else { &mut self.classic };
        let taken = fifo.pop()?;
        let change = match both {
            true => self.config.scheduler.credit(low_latency, taken.size),
            false => 0,
        };
        Some((taken, low_latency, change))
    }
}

impl Queue for DualPi2 {
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        self.catch_up(now);
        if !self.config.limit.admits(self.packets(), self.bytes(), packet.wire_size()) {
            return cx.drop(packet, DropCause::QueueFull);
        }
        match self.admits_to_low_latency(now, &packet) {
            true => self.low_latency.push(now, packet),
            false => self.classic.push(now, packet),
        }
    }

    fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Packet> {
        self.catch_up(now);
        loop {
            let (taken, low_latency, change) = self.take(now)?;
            let sent = match low_latency {
                true => self.leave_low_latency(now, taken, cx),
                false => self.leave_classic(taken.packet, cx),
            };
            if sent.is_some() {
                self.credit += change;
                return sent;
            }
        }
    }

    fn packets(&self) -> u32 {
        self.low_latency.packets() + self.classic.packets()
    }

    fn bytes(&self) -> u64 {
        self.low_latency.bytes() + self.classic.bytes()
    }

    fn held(&self) -> Held {
        let (l, c) = (self.low_latency.held(), self.classic.held());
        Held { packets: l.packets + c.packets, bytes: l.bytes + c.bytes }
    }

    fn oldest(&self) -> Option<Time> {
        match (self.low_latency.oldest(), self.classic.oldest()) {
            (Some(l), Some(c)) => Some(l.min(c)),
            (l, c) => l.or(c),
        }
    }

    fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        self.catch_up(now);
        self.low_latency.discard(now, limit, cx);
        self.classic.discard(now, limit, cx);
    }

    fn drop_where(&mut self, now: Time, which: super::Which<'_>, cx: &mut Cx<'_>) {
        self.catch_up(now);
        self.low_latency.drop_where(which, cx);
        self.classic.drop_where(which, cx);
    }

    fn for_each_waiting(&mut self, visit: &mut dyn FnMut(&mut Packet)) {
        self.low_latency.for_each(visit);
        self.classic.for_each(visit);
    }

    fn change(&mut self, now: Time, change: QueueChange) -> Result<(), ChangeError> {
        self.catch_up(now);
        match (change, &mut self.config.native) {
            (QueueChange::Target(target), _) => self.pi2.set_target(target),
            (QueueChange::Low(delay), NativeAqm::Ramp { low, .. }) => *low = delay,
            (QueueChange::High(delay), NativeAqm::Ramp { high, .. }) => *high = delay,
            (QueueChange::Threshold(Threshold::Delay(delay)), NativeAqm::Step(step)) => {
                *step = delay;
            }
            _ => return Err(without(change)),
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "dualpi2_tests.rs"]
mod tests;
