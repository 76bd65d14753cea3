//! A connection of an end.

use std::collections::VecDeque;
use std::sync::Arc;

use airpath_base::{Duration, Time};
use airpath_net::StackEvent;
use bytes::Bytes;
use quinn_proto::{Connection, ConnectionHandle, StreamId};

use super::application::Writing;
use super::watched::Seen;
use crate::stack::Report;

/// Bytes that an application writes ahead, beside twice the congestion window.
const AHEAD: u64 = 65_536;

/// A connection.
pub(super) struct Own {
    pub handle: ConnectionHandle,
    pub connection: Connection,
    /// Its number, from 0, and the time of its begin.
    number: u32,
    begun: Time,
    connected: bool,
    writing: Writing,
    seen: Arc<Seen>,
    /// Counts at the last report.
    reported: Counts,
}

/// Counts of a connection that are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Packets that were declared lost, and of probes of path MTU discovery.
    lost: u64,
    probes: u64,
    /// Frames DATA_BLOCKED and STREAM_DATA_BLOCKED (RFC 9000, 19.12 and 19.13).
    blocked: u64,
    cwnd: u64,
    in_flight: u64,
}

impl Own {
    pub fn new(
        handle: ConnectionHandle,
        connection: Connection,
        (number, begun): (u32, Time),
        seen: Arc<Seen>,
    ) -> Own {
        let (writing, reported) = (Writing::default(), Counts::default());
        Own { handle, connection, number, begun, connected: false, writing, seen, reported }
    }

    /// Its handshake is complete.
    pub fn connect(&mut self, now: Time) -> StackEvent {
        self.connected = true;
        StackEvent::Handshake { took: now.saturating_since(self.begun) }
    }

    /// True if an application can use it.
    pub fn is_ready(&self) -> bool {
        self.connected && !self.connection.is_closed()
    }

    /// Its number, from 0.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Opens the streams of a source once: it has one part of as many as there are connections.
    pub fn begin(&mut self, data: (Option<u64>, u32), connections: u32) {
        if self.is_ready() {
            self.writing.begin(&mut self.connection, data, (self.number, connections));
        }
    }

    /// Adds so many bytes behind a head to a stream, which ends with them.
    pub fn push(&mut self, id: StreamId, head: Bytes, bytes: u64) {
        self.writing.push(id, head, Some(bytes));
    }

    /// The application writes as much as the transport takes.
    pub fn write(&mut self) {
        if self.is_ready() {
            self.writing.write(&mut self.connection);
        }
    }

    /// A stream takes data again.
    pub fn writable(&mut self, id: StreamId) {
        self.writing.writable(id);
    }

    /// All data of a stream have been acknowledged.
    pub fn acknowledged(&mut self, id: StreamId) {
        self.writing.acknowledged(id);
    }

    /// True if its handshake was complete, and all that its application has written was acknowledged.
    pub fn is_acknowledged(&self) -> bool {
        self.connected && self.writing.is_acknowledged()
    }

    /// Congestion window in bytes.
    pub fn cwnd(&self) -> u64 {
        self.reported.cwnd
    }

    /// Bytes in flight at the last ACK.
    pub fn in_flight(&self) -> u64 {
        self.reported.in_flight
    }

    /// Smoothed RTT.
    pub fn srtt(&self) -> Duration {
        nanos(self.connection.rtt())
    }

    /// Fault of its congestion controller with which it would stand still. A closed connection has none.
    pub fn fault(&self) -> Option<&'static str> {
        self.seen.fault().filter(|_| !self.connection.is_closed())
    }

    /// Reports what has changed. True if window or bytes in flight have.
    pub fn observe(&mut self, reports: &mut VecDeque<Report>) -> bool {
        let stats = self.connection.stats();
        let before = self.reported;
        self.reported = Counts {
            lost: stats.path.lost_packets,
            probes: stats.path.lost_plpmtud_probes,
            blocked: stats.frame_tx.data_blocked + stats.frame_tx.stream_data_blocked,
            cwnd: stats.path.cwnd,
            in_flight: self.seen.in_flight(),
        };
        let now = self.reported;
        let lost = now.lost.saturating_sub(before.lost);
        let probes = now.probes.saturating_sub(before.probes);
        if lost > 0 || probes > 0 {
            reports.push_back(Report::Event(StackEvent::Lost { packets: lost, probes }));
        }
        let blocked = now.blocked.saturating_sub(before.blocked);
        if blocked > 0 {
            reports.push_back(Report::Event(StackEvent::Blocked { frames: blocked }));
        }
        reports.extend((0..self.seen.take_recoveries()).map(|_| Report::Recovery));
        let rtt = self.seen.take_rtt().map(|rtt| Report::Rtt(Duration::from_nanos(rtt)));
        reports.extend(rtt);
        if now.cwnd != before.cwnd {
            // Data that wait in the connection cannot be taken back, so they are few.
            self.connection.set_send_window(2 * now.cwnd + AHEAD);
        }
        (now.cwnd, now.in_flight) != (before.cwnd, before.in_flight)
    }
}

fn nanos(own: std::time::Duration) -> Duration {
    Duration::from_nanos(u64::try_from(own.as_nanos()).unwrap_or(u64::MAX))
}
