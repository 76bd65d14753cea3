//! Real transport stacks in virtual time.
//!
//! The code that ships runs inside the network, with the engine's clock instead of a socket and a timer. A stack is a
//! state machine without I/O, [`Stack`]. [`StackEnd`] makes a node of it: datagrams become packets of IP and UDP with all
//! their bytes, and timers wake-ups.
//!
//! - **Time.** A stack has an `Instant` of virtual time ([`Clock`]).
//! - **Random numbers** come from a stream of the end, which counts during each call of its stack ([`random`]). So they do
//!   not depend on other ends, threads or processes.
//! - **Errors** of a stack are the end of its flow ([`Outcome`]), and no end of the run.

mod clock;
mod end;
pub mod quic;
pub mod random;
mod stack;
pub mod webrtc;

pub use airpath_wire::{Ecn, Endpoint};
pub use clock::Clock;
pub use end::{EndConfig, StackEnd};
pub use stack::{Content, Datagram, Outcome, Report, Sending, Stack, Transmit, interned};
