//! The methods of "An In-depth Study of LTE: Effect of Network Protocol and Application Behavior on
//! Performance" (Huang et al., SIGCOMM 2013). Each is a small state machine. Its input is a
//! monitor's view of one flow; it knows nothing of packets.
//!
//! They work in either direction: "data" is what one end sends, "ACKs" what comes back.

mod bandwidth;
mod clock;
mod concurrency;
mod periodic;
mod promotion;
mod rto;
mod series;
mod slow_start;

pub use bandwidth::{Bandwidth, DEFAULT_MOST_BANDWIDTH, Point, Sample};
pub use clock::{Clock, Period, Slope};
pub use concurrency::{ACTIVE, Concurrency, LEVELS};
pub use periodic::{Periodic, periodic};
pub use promotion::{IDLE, promotion_delay};
pub use rto::Rto;
pub use series::{Cell, Series};
pub use slow_start::{Duplicate, Episode, SlowStarts, THRESHOLD};
