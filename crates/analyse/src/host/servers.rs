//! Times of a host's requests to its servers, to find requests at even intervals. Requests within a
//! second after one another are one, as a page needs many.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};
use airpath_wire::Endpoint;

use super::record::PeriodicRequests;
use crate::methods::periodic;

/// Servers of a host that are kept: those with the latest requests.
const MOST_SERVERS: usize = 32;
/// Requests to a server that are kept, the last ones.
const MOST_REQUESTS: usize = 64;
/// Requests closer to the one before are the same.
const TOGETHER: Duration = Duration::from_secs(1);

/// Servers of a host, in the order of their latest requests.
#[derive(Debug, Default)]
pub(crate) struct Servers {
    list: Vec<Server>,
}

#[derive(Debug)]
struct Server {
    end: Endpoint,
    last: Time,
    /// Milliseconds since the host was first seen.
    requests: VecDeque<u32>,
    /// Requests, kept or not.
    total: u64,
}

impl Servers {
    /// The host, first seen at `first`, asks a server.
    pub(crate) fn request(&mut self, end: Endpoint, at: Time, first: Time) {
        let known = self.list.iter().rposition(|server| server.end == end);
        let at = at.max(first);
        if let Some(n) = known {
            let server = &mut self.list[n];
            if at.saturating_since(server.last) >= TOGETHER {
                server.add(at, first);
            }
            server.last = at.max(server.last);
            self.list[n..].rotate_left(1);
            return;
        }
        if self.list.len() == MOST_SERVERS {
            self.list.remove(0);
        }
        let mut server = Server { end, last: at, requests: VecDeque::new(), total: 0 };
        server.add(at, first);
        self.list.push(server);
    }

    /// Servers with requests at even intervals, in the order of their addresses.
    pub(crate) fn periodic(&self) -> Vec<PeriodicRequests> {
        let mut found: Vec<PeriodicRequests> =
            self.list.iter().filter_map(Server::periodic).collect();
        found.sort_by_key(|periodic| periodic.server);
        found
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let requests = self.list.iter().map(|server| 4 * server.requests.capacity() + 16);
        size_of::<Server>() * self.list.capacity() + requests.sum::<usize>()
    }
}

impl Server {
    fn add(&mut self, at: Time, first: Time) {
        if self.requests.len() == MOST_REQUESTS {
            self.requests.pop_front();
        }
        let millis = at.saturating_since(first).as_nanos() / 1_000_000;
        self.requests.push_back(u32::try_from(millis).unwrap_or(u32::MAX));
        self.total += 1;
    }

    fn periodic(&self) -> Option<PeriodicRequests> {
        let times: Vec<f64> = self.requests.iter().map(|ms| f64::from(*ms) / 1e3).collect();
        periodic(&times).map(|found| PeriodicRequests {
            server: self.end,
            period_s: found.period,
            jitter_s: found.jitter,
            requests: self.total,
            confidence: found.confidence,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(n: u16) -> Endpoint {
        Endpoint::new([192, 0, 2, 1], n)
    }

    fn ms(ms: u64) -> Time {
        Time::from_millis(1_000_000 + ms)
    }

    #[test]
    fn bursts_of_requests_are_one_each_and_servers_are_told_apart() {
        let mut servers = Servers::default();
        for beat in 0..10 {
            for request in 0..8 {
                servers.request(end(443), ms(30_000 * beat + 300 * request), ms(0));
            }
            servers.request(end(80), ms(30_000 * beat * beat + 77), ms(0));
        }
        let found = servers.periodic();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].server, found[0].requests), (end(443), 10));
        assert!((found[0].period_s - 30.0).abs() < 1e-9);
    }

    #[test]
    fn servers_and_requests_are_bounded() {
        let mut servers = Servers::default();
        for n in 0..100_000u64 {
            servers.request(end((n % 50) as u16), ms(2000 * n), ms(0));
            servers.request(end(60_000), ms(2000 * n), ms(0));
        }
        assert!(servers.heap() < 16_384, "{}", servers.heap());
        let found = servers.periodic();
        assert_eq!((found.len(), found[0].server, found[0].requests), (1, end(60_000), 100_000));
    }
}
