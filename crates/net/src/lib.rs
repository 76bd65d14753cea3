//! Packets, nodes, probes, the engine, and queues.
//!
//! Vocabulary of all models. A [`Node`] is a state machine. The engine hands it the time and a
//! packet or a wake-up. The node answers through its [`Cx`], and names the time of its next
//! wake-up. No node looks at a clock, so the same node runs in virtual time, in real time and in a
//! unit test. The [`Engine`] moves packets between nodes and wakes them in a total order. A
//! [`Probe`] receives events, and nothing that a probe does can change what happens.

mod agenda;
mod application;
mod block;
mod change;
mod cx;
mod deferred;
mod drop_cause;
mod dscp;
mod dual;
mod engine;
mod event;
mod exposed;
pub mod filter;
mod handover;
mod inbox;
pub mod layers;
mod ledger;
mod link;
mod node;
mod packet;
mod pattern;
pub mod queue;
mod radio_end;
mod secondary;
mod set;
mod stage;
mod tcp_header;
pub mod testing;
mod tunnel;

pub use airpath_base::Direction;
pub use application::{
    AppEvent, Exchange, FrameMade, MediaState, PageLoad, Playback, PlaybackState, StackEvent,
};
pub use block::{CarriedPdu, Content, Piece, Transmission};
pub use change::{BearerQueue, Change, ChangeError, ChangeFailed, QueueChange};
pub use cx::Cx;
pub use deferred::Deferred;
pub use drop_cause::DropCause;
pub use dscp::Dscp;
pub use dual::{LegChange, LegOutcome};
pub use engine::{Arrival, Class, Door, Engine, RunError};
pub use event::{
    Event, PathModel, PathPhase, PointId, Probe, QueueEvent, RadioEvent, Reason, TcpEvent,
};
pub use exposed::ExposedRate;
pub use handover::{
    ConditionalHandover, DapsHandover, Handover, HandoverCause, HandoverOutcome, MobilityProblem,
    PathEvent, UePosition,
};
pub use ledger::{Account, Ledger};
pub use link::{LinkChange, LinkFailure};
pub use node::{Held, Node};
pub use packet::{Encapsulation, Leg, Outer, Packet, PacketFields, Payload, Tunnel, TunnelKind};
pub use pattern::Pattern;
pub use radio_end::RadioEnd;
pub use secondary::{SecondaryEnd, SecondaryStay};
pub use set::PduSet;
pub use stage::{Stage, Stages};
pub use tcp_header::TcpHeader;
pub use tunnel::decapsulate;
