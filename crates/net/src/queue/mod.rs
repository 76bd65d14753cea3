//! Queues: what an active queue management has to do, and those that there are.
//!
//! A queue is handed the time and packets. It knows no link rate: a delay is the wait of packets.
//! The same queue therefore serves a wire, a recorded capacity or a radio bearer. Congestion is
//! signalled by a mark if a packet is ECN-capable, otherwise by a drop (RFC 3168, 5).
//!
//! The packet that a link is transmitting is not in its queue and does not count against its limit.
//! A link takes the next packet out when its transmission begins. A network device under a Linux
//! qdisc or an ns-3 queue disc does the same.

mod classify;
mod codel;
mod config;
mod delay;
mod droptail;
mod dual_scheduler;
mod dualpi2;
mod fifo;
mod fq_codel;
mod hash;
mod l4span;
mod pi2;
mod pie;
mod protection;
mod ramp;
mod red;
#[cfg(test)]
mod samples;
mod signal;
mod step;
mod ticks;

use std::fmt;

use airpath_base::{Duration, Time};

pub use airpath_schema::units::{Length, Limit, Threshold};
pub use classify::Classifier;
pub use codel::{Codel, CodelConfig};
pub use config::QueueConfig;
pub use delay::{Again, AgeConfig, AgeOptions, DelayConfig, DelayQueue, End, RampOptions};
pub use droptail::{DropTail, DropTailConfig};
pub use dual_scheduler::{DualScheduler, DualSchedulerName};
pub use dualpi2::{
    Chance, DualPi2, DualPi2Config, DualPi2Options, DualPi2Preset, NativeAqm, NativeMarking,
};
pub use fifo::{Fifo, Waiting, Which};
pub use fq_codel::{FqCodel, FqCodelConfig};
pub use l4span::{L4Span, L4SpanConfig};
pub use pi2::{Pi2, Pi2Config};
pub use pie::{Pie, PieConfig};
pub use protection::{Protection, ProtectionConfig};
pub use ramp::{Ramp, RampConfig};
pub use red::{Red, RedConfig};
pub use step::{Step, StepConfig};

use crate::{ChangeError, Cx, Held, Packet, QueueChange};

/// A queue in front of a link.
///
/// It owns what it holds: every packet that enters leaves by
/// [`dequeue`](Queue::dequeue) or by [`Cx::drop`], or is counted by
/// [`held`](Queue::held). Packets are marked with [`Cx::mark`], which looks at the
/// outermost ECN field. The occupancy that [`bytes`](Queue::bytes) tells is that
/// on the wire, tunnels included.
pub trait Queue: Send + Sync {
    /// Takes a packet in, or drops it or others.
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>);

    /// Hands out the next packet to send, perhaps dropping some before it; `None`
    /// only if the queue is empty by then.
    fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Packet>;

    /// Packets waiting.
    fn packets(&self) -> u32;

    /// Their bytes on the wire.
    fn bytes(&self) -> u64;

    /// Packets waiting and their bytes of IP.
    fn held(&self) -> Held;

    /// Arrival of the oldest waiting packet. The cost is a look at the head of each internal queue
    /// that has packets; only [`FqCodel`] may have many.
    fn oldest(&self) -> Option<Time>;

    /// Drops every packet that has waited `limit` or longer, as PDCP's discard timer does
    /// (TS 36.323, 5.4; TS 38.323, 5.3). No controller counts it as a signal; to it they
    /// have vanished.
    fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>);

    /// Drops every packet that waits for which `which` has a cause; it is called once for each. No controller counts
    /// it as a signal.
    fn drop_where(&mut self, now: Time, which: Which<'_>, cx: &mut Cx<'_>);

    /// Shows every packet that waits, those of each internal queue oldest first. What is
    /// shown may be booked to, but its size and its headers must stay.
    fn for_each_waiting(&mut self, visit: &mut dyn FnMut(&mut Packet));

    /// True if the queue uses [`set_free_resources`](Queue::set_free_resources).
    fn wants_free_resources(&self) -> bool {
        false
    }

    /// Tells which share of the cell's resource blocks, 0 to 1, has been free since the
    /// last call.
    fn set_free_resources(&mut self, _now: Time, _share: f64) {}

    /// Something about the queue becomes different now; what waits stays.
    ///
    /// # Errors
    ///
    /// If it has no such thing; all is then as it was.
    fn change(&mut self, _now: Time, change: QueueChange) -> Result<(), ChangeError> {
        Err(without(change))
    }

    /// Time of the queue's next wake-up, if there is one (to update a drop probability).
    fn next_wake(&self) -> Option<Time> {
        None
    }

    /// Wakes the queue at the time of [`next_wake`](Queue::next_wake).
    fn wake(&mut self, _now: Time, _cx: &mut Cx<'_>) {}
}

/// Declares the enum of queues and passes each call on to the one that it is.
macro_rules! queues {
    ($( $(#[$doc:meta])* $name:ident($kind:ty), )*) => {
        /// Any queue.
        pub enum QueueKind {
            $( $(#[$doc])* $name($kind), )*
        }

        impl Queue for QueueKind {
            #[inline]
            fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
                match self { $( QueueKind::$name(queue) => queue.enqueue(now, packet, cx), )* }
            }

            #[inline]
            fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Packet> {
                match self { $( QueueKind::$name(queue) => queue.dequeue(now, cx), )* }
            }

            #[inline]
            fn packets(&self) -> u32 {
                match self { $( QueueKind::$name(queue) => queue.packets(), )* }
            }

            #[inline]
            fn bytes(&self) -> u64 {
                match self { $( QueueKind::$name(queue) => queue.bytes(), )* }
            }

            fn held(&self) -> Held {
                match self { $( QueueKind::$name(queue) => queue.held(), )* }
            }

            #[inline]
            fn oldest(&self) -> Option<Time> {
                match self { $( QueueKind::$name(queue) => queue.oldest(), )* }
            }

            fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
                match self { $( QueueKind::$name(queue) => queue.discard(now, limit, cx), )* }
            }

            fn drop_where(&mut self, now: Time, which: Which<'_>, cx: &mut Cx<'_>) {
                match self { $( QueueKind::$name(queue) => queue.drop_where(now, which, cx), )* }
            }

            fn for_each_waiting(&mut self, visit: &mut dyn FnMut(&mut Packet)) {
                match self { $( QueueKind::$name(queue) => queue.for_each_waiting(visit), )* }
            }

            fn wants_free_resources(&self) -> bool {
                match self { $( QueueKind::$name(queue) => queue.wants_free_resources(), )* }
            }

            fn set_free_resources(&mut self, now: Time, share: f64) {
                match self { $( QueueKind::$name(queue) => queue.set_free_resources(now, share), )* }
            }

            fn change(&mut self, now: Time, change: QueueChange) -> Result<(), ChangeError> {
                match self { $( QueueKind::$name(queue) => queue.change(now, change), )* }
            }

            #[inline]
            fn next_wake(&self) -> Option<Time> {
                match self { $( QueueKind::$name(queue) => queue.next_wake(), )* }
            }

            fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
                match self { $( QueueKind::$name(queue) => queue.wake(now, cx), )* }
            }
        }

        impl fmt::Debug for QueueKind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $( QueueKind::$name(_) => f.write_str(stringify!($name)), )* }
            }
        }
    };
}

queues! {
    /// Drops what arrives when full.
    DropTail(DropTail),
    /// Random early detection.
    Red(Box<Red>),
    /// Controlled delay.
    Codel(Box<Codel>),
    /// Proportional integral controller.
    Pie(Box<Pie>),
    /// A CoDel for each flow.
    FqCodel(Box<FqCodel>),
    /// Coupled queues for L4S and classic traffic.
    DualPi2(Box<DualPi2>),
    /// Marks everything above a threshold.
    Step(Step),
    /// Marks and drops by the age of the oldest packet.
    Delay(Box<DelayQueue>),
    /// Marks by the rate at which packets leave.
    L4Span(Box<L4Span>),
    /// One from outside.
    Custom(Box<dyn Queue>),
}

/// Refusal of a queue that has no such parameter.
fn without(change: QueueChange) -> ChangeError {
    ChangeError::new(match change {
        QueueChange::Marking(_) => "has a queue whose marking cannot be switched",
        QueueChange::Low(_) | QueueChange::High(_) => "has a queue without a ramp",
        QueueChange::Threshold(_) => "has a queue without a step",
        QueueChange::Target(_) => "has a queue without a target that can change",
    })
}

impl From<DropTail> for QueueKind {
    fn from(queue: DropTail) -> QueueKind {
        QueueKind::DropTail(queue)
    }
}

impl Default for QueueKind {
    /// Drop-tail without limit.
    fn default() -> QueueKind {
        DropTail::default().into()
    }
}

#[cfg(test)]
mod operations_tests;
#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
