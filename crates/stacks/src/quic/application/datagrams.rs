//! Datagrams of an application (RFC 9221).

use airpath_base::{Duration, Time};
use bytes::Bytes;
use quinn_proto::{Connection, SendDatagramError};

/// Datagrams at equal intervals.
#[derive(Debug)]
pub(in super::super) struct Datagrams {
    payload: Bytes,
    interval: Duration,
    next: Option<Time>,
    paused: bool,
}

impl Datagrams {
    pub fn new(payload: u32, interval: Duration) -> Datagrams {
        let payload = Bytes::from(vec![0; payload as usize]);
        Datagrams { payload, interval, next: None, paused: false }
    }

    /// Sends the datagrams that are due on a connection, which is ready. Gives the reason if there can be none.
    pub fn send(&mut self, now: Time, connection: &mut Connection) -> Result<(), &'static str> {
        if self.paused {
            return Ok(());
        }
        let mut next = *self.next.get_or_insert(now);
        while next <= now {
            match connection.datagrams().send(self.payload.clone(), true) {
                Ok(()) | Err(SendDatagramError::Blocked(_)) => {}
                Err(SendDatagramError::TooLarge) => return Err("a datagram is above the path MTU"),
                Err(_) => return Err("the peer takes no datagrams"),
            }
            next += self.interval;
        }
        self.next = Some(next);
        Ok(())
    }

    /// Sends no datagram, or goes on from now.
    pub fn set_active(&mut self, active: bool) {
        (self.paused, self.next) = (!active, None);
    }

    pub fn next_wake(&self) -> Option<Time> {
        self.next
    }
}
