//! One end of a transfer over the kernel's TCP, as a program of its own.
//!
//! It is started in a namespace with a [`Transfer`] as its order. It keeps to the clock of the
//! world, and writes a [`Report`] to its output when the run ends. It ignores signals that end
//! programs, as it ends by itself.
//!
//! It may keep the kernel's state of the connection every 10 ms ([`Reading`]), and act as
//! applications do ([`Step`]). The waits of a flow are then known.
//!
//! Source: tcp(7), socket(7); `struct tcp_info` of the kernel's `include/uapi/linux/tcp.h`.

mod play;
mod reading;
mod socket;

use std::env;
use std::io::{self, Write as _};
use std::net::SocketAddrV4;

use serde::{Deserialize, Serialize};

use play::play;
pub use reading::Reading;

/// Order to one end. Times are of the world, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// True if it sends; else it receives.
    pub sends: bool,
    /// True if it opens the connection.
    pub opens: bool,
    /// Its address and port.
    pub local: SocketAddrV4,
    /// The other end's.
    pub remote: SocketAddrV4,
    /// Time at which the connection is opened.
    pub start: u64,
    /// From then on nothing more is written.
    pub stop: Option<u64>,
    /// End of the run.
    pub end: u64,
    /// Number of bytes to send; none for as many as TCP takes.
    pub bytes: Option<u64>,
    /// Congestion control, as the kernel calls it.
    pub controller: String,
    /// DSCP of its packets.
    pub dscp: u8,
    /// Maximum segment size in bytes, options included.
    pub mss: u32,
    /// Bytes count for [`Report::counted`] from then on.
    pub counts_from: u64,
    /// Steps of its application, over and over; empty for writing or reading all it can.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// Bytes of the socket's receive buffer; none for as many as the kernel finds right.
    #[serde(default)]
    pub receive_buffer: Option<u32>,
    /// Bytes of the socket's send buffer; none for as many as the kernel finds right.
    #[serde(default)]
    pub send_buffer: Option<u32>,
    /// Largest pacing rate in bytes a second; none for the congestion control's own.
    #[serde(default)]
    pub pacing: Option<u32>,
    /// True if small segments do not wait for acknowledgements (Nagle's rule is off).
    #[serde(default)]
    pub nodelay: bool,
    /// True if the report has the readings.
    #[serde(default)]
    pub readings: bool,
}

/// A step of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Writes so many bytes.
    Write(u64),
    /// Reads so many bytes.
    Read(u64),
    /// Waits so many nanoseconds.
    Wait(u64),
}

/// Time of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// In nanoseconds of the world's time.
    pub at: u64,
    /// Index of the step.
    pub step: usize,
}

/// Report of one end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Bytes of the application: written, or read.
    pub bytes: u64,
    /// Those of them since the time from which they count.
    pub counted: u64,
    /// Time at which it opened the connection or began to listen, in nanoseconds of the world's
    /// time.
    pub began: u64,
    /// Time at which the last bytes of the application were written or read.
    pub last: Option<u64>,
    /// Time at which all bytes of a transfer with a size were there.
    pub finish: Option<u64>,
    /// Smoothed RTT in milliseconds, mean of readings at equal distances.
    pub rtt_ms: Option<f64>,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Segments with data sent, repeated ones too.
    pub segments: u64,
    /// Readings of the kernel, every 10 ms, if the order has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Reading>,
    /// Steps that were done, in their order, if the order has readings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<Done>,
    /// Begin of the world's time, in nanoseconds since 1970, if the order has readings: the clock
    /// of captures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin_unix_ns: Option<u64>,
    /// Reason for which it could not go on.
    pub error: Option<String>,
}

/// Main function of a program that is started with a [`Transfer`] as JSON; returns its exit code.
pub fn main(order: &str) -> u8 {
    socket::ignore_the_end();
    let origin = env::var("AIRPATH_ORIGIN").ok().and_then(|text| text.parse().ok());
    let report = match (serde_json::from_str::<Transfer>(order), origin) {
        (Ok(order), Some(origin)) => play(&order, origin),
        _ => failed("it is started by airpath only"),
    };
    let code = u8::from(report.error.is_some());
    let text = serde_json::to_string(&report).unwrap_or_default();
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => code,
        Err(_) => 1,
    }
}

/// A report of nothing but what went wrong.
pub(crate) fn failed(why: impl ToString) -> Report {
    Report { error: Some(why.to_string()), ..Report::default() }
}
