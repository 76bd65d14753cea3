//! Queues with active queue management, and recorded capacity.

use core::fmt;
use std::sync::Arc;

use airpath_base::{Bytes, Duration};
use airpath_path::Recording as Trace;
use airpath_schema::units::{Length, Limit, Threshold};
use airpath_schema::{
    Decoder, Field, Json, Node, above, above_to, at_least, between, choice, json, kinds, record,
};

use super::words::Dscp;

/// Controllers are not updated more often than this.
const SHORTEST_UPDATE: Duration = Duration::from_micros(10);

kinds! {
    /// What waits in front of a link, and how it is managed.
    pub enum LinkQueue or "a limit for drop-tail, as \"100 packets\"" {
        /// Drops what arrives when full.
        DropTail(DropTailQueue) = "drop-tail",
        /// Random early detection (Floyd and Jacobson, 1993).
        Red(RedQueue) = "red",
        /// Controlled delay (RFC 8289).
        Codel(CodelQueue) = "codel",
        /// Proportional integral controller enhanced (RFC 8033).
        Pie(PieQueue) = "pie",
        /// A CoDel for each flow (RFC 8290).
        FqCodel(FqCodelQueue) = "fq-codel",
        /// Dual-queue coupled AQM for L4S (RFC 9332).
        DualPi2(DualPi2Queue) = "dualpi2",
        /// Marks all that finds the queue above a threshold.
        Step(StepQueue) = "step",
        /// Marks with a probability that rises with the delay (D. Brunello, "L4S in 5G
        /// networks", 2020, chapter 4.2).
        Ramp(RampQueue) = "ramp",
        /// Drops what has waited too long (there, chapter 4.3).
        Age(AgeQueue) = "age",
        /// Marks by the rate at which packets have left (H. Wan and K. Jamieson, "L4Span",
        /// 2025).
        L4Span(L4SpanQueue) = "l4span",
    }
}

record! {
    /// A queue that drops what arrives when it is full.
    pub struct DropTailQueue(limit) {
        /// What it may hold: "100 packets", "64 KiB" or "unlimited". Default:
        /// 1000 packets (Linux, `DEFAULT_TX_QUEUE_LEN`).
        limit: Limit = Limit::Packets(1000);
    }
}

record! {
    /// Random early detection.
    pub struct RedQueue {
        /// Average length below which nothing is done. Default: 5 packets (Floyd, 1997).
        min: Length = Length::Packets(5);
        /// Average length from which the probability is no longer that of the slope, in
        /// the unit of `min`. Default: 15 packets, three times the lower one (Floyd, 1997).
        max: Length = Length::Packets(15);
        /// Weight of the present length in the average. Default: 0.002 (Floyd and
        /// Jacobson, 1993).
        weight: f64 = 0.002 => above_to(0.0, 1.0);
        /// Probability when the average reaches `max`. Default: 0.1 (Floyd, 1997).
        max_probability: f64 = 0.1 => above_to(0.0, 1.0);
        /// Whether the probability rises to 1 between `max` and twice that, in place of a
        /// jump. Default: true (Floyd, 2000).
        gentle: bool = true;
        /// Whether ECN-capable packets are marked rather than dropped. Default: true
        /// (RFC 3168, 7).
        ecn: bool = true;
        /// What it may hold. Default: 1000 packets, as without RED.
        limit: Limit = Limit::Packets(1000);
    }
}

record! {
    /// Controlled delay.
    pub struct CodelQueue {
        /// Standing delay that is accepted. Default: 5 ms (RFC 8289, 4.3).
        target: Duration = Duration::from_millis(5) => above(Duration::ZERO);
        /// Time within which senders are expected to react. Default: 100 ms
        /// (RFC 8289, 4.2).
        interval: Duration = Duration::from_millis(100) => above(Duration::ZERO);
        /// Whether ECN-capable packets are marked rather than dropped. Default: true
        /// (RFC 8290, 5.2.6, for the CoDel of each flow there).
        ecn: bool = true;
        /// What it may hold. Default: 1000 packets (Linux, `sch_codel`).
        limit: Limit = Limit::Packets(1000);
    }
}

record! {
    /// Proportional integral controller enhanced.
    pub struct PieQueue {
        /// Delay that it aims at. Default: 15 ms (RFC 8033, 4.2).
        target: Duration = Duration::from_millis(15) => above(Duration::ZERO);
        /// Distance of updates. Default: 15 ms (RFC 8033, 4.2).
        update: Duration = Duration::from_millis(15) => at_least(SHORTEST_UPDATE);
        /// Length of a burst that passes unharmed. Default: 150 ms (RFC 8033, 4.4).
        burst: Duration = Duration::from_millis(150);
        /// Weight of the distance from the target, in hertz. Default: 0.125
        /// (RFC 8033, 4.2).
        alpha: f64 = 0.125 => between(0.0, 1_000.0);
        /// Weight of the change of the delay, in hertz. Default: 1.25 (RFC 8033, 4.2).
        beta: f64 = 1.25 => between(0.0, 1_000.0);
        /// Whether ECN-capable packets are marked rather than dropped. Default: true
        /// (RFC 8033, 5.1).
        ecn: bool = true;
        /// Probability above which they are dropped all the same. Default: 0.1
        /// (RFC 8033, 5.1).
        ecn_threshold: f64 = 0.1 => between(0.0, 1.0);
        /// Whether drops keep a distance from each other. Default: true (RFC 8033, 5.4).
        derandomise: bool = true;
        /// What it may hold. Default: 1000 packets (Linux, `sch_pie`).
        limit: Limit = Limit::Packets(1000);
    }
}

record! {
    /// A CoDel for each flow.
    pub struct FqCodelQueue {
        /// CoDel's target. Default: 5 ms (RFC 8290, 5.2.2).
        target: Duration = Duration::from_millis(5) => above(Duration::ZERO);
        /// CoDel's interval. Default: 100 ms (RFC 8290, 5.2.1).
        interval: Duration = Duration::from_millis(100) => above(Duration::ZERO);
        /// Whether ECN-capable packets are marked rather than dropped. Default: true
        /// (RFC 8290, 5.2.6).
        ecn: bool = true;
        /// What all flows may hold together. Default: 10240 packets (RFC 8290, 5.2.3).
        limit: Limit = Limit::Packets(10_240);
        /// Bytes that a flow may send in a round. Default: 1514 B (RFC 8290, 5.2.4).
        quantum: Bytes = Bytes(1_514) => between(Bytes(1), Bytes(1_000_000));
        /// Flows that are told apart. Default: 1024 (RFC 8290, 5.2.5).
        flows: u32 = 1_024 => between(1, 65_536);
    }
}

record! {
    /// Dual-queue coupled AQM.
    pub struct DualPi2Queue {
        /// Whose defaults count where both differ: `marking`, `decision` and `dscp`.
        /// Default: "rfc9332".
        preset: DualPi2Preset = DualPi2Preset::Rfc;
        /// Delay that the classic queue's controller aims at. Default: 15 ms
        /// (RFC 9332, A.1; Linux).
        target: Duration = Duration::from_millis(15) => above(Duration::ZERO);
        /// Distance of updates. Default: 16 ms (RFC 9332, A.1; Linux).
        update: Duration = Duration::from_millis(16) => at_least(SHORTEST_UPDATE);
        /// Integral gain, in hertz. Default: 0.16 (RFC 9332, A.1; Linux).
        alpha: f64 = 0.16 => between(0.0, 1_000.0);
        /// Proportional gain, in hertz. Default: 3.2 (RFC 9332, A.1; Linux).
        beta: f64 = 3.2 => between(0.0, 1_000.0);
        /// How many times the controller's probability the low-latency queue marks with
        /// at least. Default: 2 (RFC 9332, 2.1; Linux).
        coupling: f64 = 2.0 => between(1.0, 100.0);
        /// How the low-latency queue marks on its own account. Default: "ramp"
        /// (RFC 9332, A.1), with the preset "linux" "step".
        marking: Option<NativeMarking>;
        /// Delay at which the ramp begins. Default: 800 us (RFC 9332, A.1).
        ramp_low: Duration = Duration::from_micros(800);
        /// Delay at which the ramp reaches 1. Default: 1200 us (RFC 9332, A.1).
        ramp_high: Duration = Duration::from_micros(1_200) => above(Duration::ZERO);
        /// Threshold of the step. Default: 1 ms (Linux, `step_thresh`).
        step: Duration = Duration::from_millis(1);
        /// How a probability becomes a decision. Default: "recur" (RFC 9332, A.1), with the
        /// preset "linux" "random".
        decision: Option<Decision>;
        /// Which queue sends next. Default: "weighted" (Linux; RFC 9332, 4.2.2, leaves it
        /// open).
        scheduler: DualScheduler = DualScheduler::Weighted;
        /// Percent of the bytes that the weighted scheduler leaves to the classic queue.
        /// Default: 10 (Linux, `classic_protection`).
        classic_percent: u8 = 10 => between(1, 50);
        /// How much earlier the time-shifted scheduler takes low-latency packets to have
        /// come. Default: 30 ms, twice the target; no specification has a value.
        time_shift: Duration = Duration::from_millis(30);
        /// Whether ECT(1) and CE lead to the low-latency queue. Default: true
        /// (RFC 9331, 5.1).
        l4s: bool = true;
        /// Code points that lead to the low-latency queue. Default: NQB (RFC 9956), with
        /// the preset "linux" none.
        dscp: Option<Vec<Dscp>>;
        /// Whether flows that build a queue are moved to the classic one. Default: false.
        protection: bool = false;
        /// Delay of the low-latency queue below which nobody is moved. Default: 1 ms
        /// (RFC 9957, 4.1).
        critical_delay: Duration = Duration::from_millis(1);
        /// Score of a flow that is moved at that delay. Default: 4 ms (RFC 9957, 4.1).
        critical_score: Duration = Duration::from_millis(4);
        /// Binary logarithm of the rate at which scores fall, in bytes a second. Default:
        /// 19 (RFC 9957, 4.1).
        lg_aging: u8 = 19 => between(1, 30);
        /// What both queues may hold together. Default: 10000 packets (Linux).
        limit: Limit = Limit::Packets(10_000);
    }
}

choice! {
    /// Whose defaults count.
    pub enum DualPi2Preset {
        /// Those of RFC 9332, appendix A.
        Rfc = "rfc9332",
        /// Those of Linux, `sch_dualpi2`.
        Linux = "linux",
    }
}

choice! {
    /// How a low-latency queue marks on its own account.
    pub enum NativeMarking {
        /// With a probability that rises with the delay.
        Ramp = "ramp",
        /// All that has waited longer than a threshold.
        Step = "step",
    }
}

choice! {
    /// How a probability becomes a decision.
    pub enum Decision {
        /// Whenever the probabilities summed up pass one.
        Recur = "recur",
        /// At random.
        Random = "random",
    }
}

choice! {
    /// Which of two queues sends next.
    pub enum DualScheduler {
        /// By credit, with a least share for the classic queue.
        Weighted = "weighted",
        /// In order of arrival, low-latency packets taken to have come earlier.
        TimeShifted = "time-shifted",
    }
}

record! {
    /// Step marking.
    pub struct StepQueue {
        /// Above this everything is marked: time that a packet has waited when it leaves, or
        /// packets or bytes that it finds when it arrives. Default: 1 ms (Linux,
        /// `sch_dualpi2`).
        threshold: Threshold = Threshold::Time(Duration::from_millis(1));
        /// What it may hold. Default: 1000 packets.
        limit: Limit = Limit::Packets(1000);
    }
}

record! {
    /// A marking ramp.
    pub struct RampQueue {
        /// Delay up to which nothing is marked. Default: 5 ms (chapter 5.3).
        low: Duration = Duration::from_millis(5);
        /// Delay from which everything is marked. Default: 10 ms (chapter 5.3).
        high: Duration = Duration::from_millis(10);
        /// Weight of the present delay in the probability. Default: 0.25 (chapter 5.3).
        alpha: f64 = 0.25 => above_to(0.0, 1.0);
        /// Distance of updates. Default: 5 ms (chapter 4.2).
        update: Duration = Duration::from_millis(5) => at_least(SHORTEST_UPDATE);
        /// Which packets are marked. Default: "tail" (chapter 4.2).
        end: QueueEnd = QueueEnd::Tail;
        /// Whether packets that cannot be marked are dropped in place of that. Default:
        /// false: the ramp only marks.
        drop_not_ect: bool = false;
        /// Share of the cell's resource blocks: while more is free, only packets that find the
        /// oldest above `high` count for the probability (no source: chapter 7.2 has the idea
        /// alone). For a queue of a bearer. Default: none, the share does not count.
        free_above: Option<f64> => between(0.0, 1.0);
        /// Drops of what has waited too long. Default: none.
        age: Option<AgeDrop>;
        /// What it may hold. Default: "unlimited" (chapter 4.3).
        limit: Limit = Limit::Unlimited;
    }
}

choice! {
    /// One end of a queue.
    pub enum QueueEnd {
        /// Packets that leave.
        Head = "head",
        /// Packets that arrive.
        Tail = "tail",
    }
}

record! {
    /// When packets are too old.
    pub struct AgeDrop {
        /// Age above which the oldest packet, and no other, is dropped each time that a
        /// packet is to be sent. Default: 100 ms (chapter 4.3).
        one: Duration = Duration::from_millis(100);
        /// Age above which all packets are dropped. Default: 500 ms (chapter 4.3).
        all: Duration = Duration::from_millis(500);
        /// Least distance of drops of one packet. Default: 0 s; the thesis has none.
        spacing: Duration = Duration::ZERO;
    }
}

record! {
    /// A queue that drops what has waited too long.
    pub struct AgeQueue {
        /// As `age` of a ramp.
        one: Duration = Duration::from_millis(100);
        /// As there.
        all: Duration = Duration::from_millis(500);
        /// As there.
        spacing: Duration = Duration::ZERO;
        /// What it may hold. Default: "unlimited" (chapter 4.3).
        limit: Limit = Limit::Unlimited;
    }
}

record! {
    /// Marking by the rate at which packets have left.
    pub struct L4SpanQueue {
        /// Time in which the queue is to be emptied. Default: 10 ms (the authors' program).
        target: Duration = Duration::from_millis(10) => above(Duration::ZERO);
        /// Departures whose rates count. Default: 50 (there).
        window: u32 = 50 => between(1, 10_000);
        /// Bytes above which packets with ECT(0) are marked. Default: 225000 B (there, for one
        /// UE).
        long_queue: Bytes = Bytes(225_000);
        /// Whether packets that are not ECN-capable are dropped where one with ECT(0) would be
        /// marked. Default: false.
        drop_not_ect: bool = false;
        /// What it may hold. Default: "unlimited".
        limit: Limit = Limit::Unlimited;
    }
}

impl LinkQueue {
    /// Whether its marks are all that it signals by, and can be switched off.
    pub(crate) fn marks(&self) -> bool {
        matches!(self, LinkQueue::Ramp(_) | LinkQueue::Step(_) | LinkQueue::L4Span(_))
    }
}

/// A file with recorded capacity, by its path relative to the scenario's.
#[derive(Clone, PartialEq)]
pub struct Capacity {
    file: String,
    recording: Option<Arc<Trace>>,
}

impl Capacity {
    /// The path as the scenario has it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// What is in the file, once it has been read.
    pub fn recording(&self) -> Option<&Arc<Trace>> {
        self.recording.as_ref()
    }

    pub(crate) fn set(&mut self, recording: Trace) {
        self.recording = Some(Arc::new(recording));
    }
}

impl fmt::Debug for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Capacity({:?})", self.file)
    }
}

impl Field for Capacity {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "the path of a file with recorded capacity";
        let file = cx.text(node, allowed)?;
        match file.is_empty() {
            true => cx.fail(&node.place, "is empty", format!("it must be {allowed}")),
            false => Some(Capacity { file: file.to_owned(), recording: None }),
        }
    }
    fn encode(&self) -> Json {
        self.file.clone().into()
    }
    fn schema() -> Json {
        json!({"type": "string", "minLength": 1})
    }
}
