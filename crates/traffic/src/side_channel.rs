//! The side channel: what requests say, while they are on their way.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Between one client and its server: the content that the bytes of requests stand for.
/// Nothing can be read of it before these bytes have arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct SideChannel(Arc<Mutex<BTreeMap<u16, Connection>>>);

/// By the client's port: its latest connection and the requests on it.
#[derive(Debug, Default)]
struct Connection {
    number: u32,
    requests: VecDeque<(u64, u64)>,
}

impl SideChannel {
    fn ports(&self) -> MutexGuard<'_, BTreeMap<u16, Connection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client opens a connection from this port.
    pub fn open(&self, port: u16, connection: u32) {
        self.ports().insert(port, Connection { number: connection, requests: VecDeque::new() });
    }

    /// The latest connection from this port.
    pub fn connection(&self, port: u16) -> Option<u32> {
        self.ports().get(&port).map(|latest| latest.number)
    }

    /// A request of so many bytes for a response of so many leaves.
    pub fn post(&self, port: u16, request: u64, response: u64) {
        if let Some(latest) = self.ports().get_mut(&port) {
            latest.requests.push_back((request, response));
        }
    }

    /// Bytes of the response to the next request of a connection, if of `arrived` bytes all
    /// of its own are there; these are taken off.
    pub fn take(&self, port: u16, connection: u32, arrived: &mut u64) -> Option<u64> {
        let mut ports = self.ports();
        let latest = ports.get_mut(&port).filter(|latest| latest.number == connection)?;
        let (request, response) = latest.requests.pop_front_if(|request| request.0 <= *arrived)?;
        *arrived -= request;
        Some(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_can_be_read_when_all_its_bytes_are_there() {
        let channel = SideChannel::default();
        channel.open(7, 0);
        channel.post(7, 400, 1000);
        channel.post(7, 400, 2000);
        let mut arrived = 399;
        assert_eq!(channel.take(7, 0, &mut arrived), None);
        arrived += 500;
        assert_eq!(channel.take(7, 0, &mut arrived), Some(1000));
        assert_eq!(channel.take(7, 0, &mut arrived), Some(2000));
        assert_eq!((arrived, channel.take(7, 0, &mut arrived)), (99, None));
    }

    #[test]
    fn a_new_connection_has_none_of_the_old_ones_requests() {
        let channel = SideChannel::default();
        channel.open(7, 0);
        channel.post(7, 1, 1000);
        channel.open(7, 16);
        assert_eq!(channel.take(7, 0, &mut 10), None);
        assert_eq!((channel.take(7, 16, &mut 10), channel.connection(7)), (None, Some(16)));
    }
}
