//! Requests and responses, each pair on a bidirectional stream.

use airpath_base::{Duration, Time};
use airpath_net::Exchange;
use airpath_traffic::Behaviour;
use bytes::Bytes;
use quinn_proto::{ConnectionHandle, Dir, StreamId};

use super::super::connection::Own;
use super::{LEAST_REQUEST, read};
use crate::stack::Report;

/// The client of requests.
#[derive(Debug)]
pub(in super::super) struct Asking {
    behaviour: Behaviour,
    request: u64,
    /// Most requests at a time on a connection.
    streams: usize,
    open: Vec<Open>,
    /// Requests so far.
    asked: u64,
    begun: bool,
    paused: bool,
    stopped: bool,
}

/// A request without its whole response.
#[derive(Debug)]
struct Open {
    handle: ConnectionHandle,
    id: StreamId,
    /// Object of the request, in the application's own numbers.
    about: u64,
    exchange: Exchange,
}

impl Asking {
    pub fn new(behaviour: Behaviour, request: u64, streams: u32) -> Asking {
        Asking {
            behaviour,
            request: request.max(LEAST_REQUEST),
            streams: streams as usize,
            open: Vec::new(),
            asked: 0,
            begun: false,
            paused: false,
            stopped: false,
        }
    }

    pub fn begin(&mut self, now: Time) {
        self.begun = true;
        self.behaviour.begin(now);
    }

    /// Time has gone on.
    pub fn wake(&mut self, now: Time) {
        match (self.begun && !self.stopped, self.paused) {
            (true, false) => self.behaviour.wake(now),
            (true, true) => self.behaviour.wake_paused(now),
            (false, _) => {}
        }
    }

    pub fn next_wake(&self) -> Option<Time> {
        match (self.begun && !self.stopped, self.paused) {
            (true, false) => self.behaviour.next_wake(),
            (true, true) => self.behaviour.next_wake_paused(),
            (false, _) => None,
        }
    }

    /// No further request; open ones are still answered.
    pub fn stop(&mut self) {
        self.stopped = true;
        self.behaviour.stop();
    }

    /// Sends no further request, or goes on.
    pub fn set_active(&mut self, now: Time, active: bool) {
        if std::mem::replace(&mut self.paused, !active) && active {
            self.behaviour.resume(now);
        }
    }

    /// Sends the requests that the application has now, each on the connection with the fewest.
    pub fn ask(&mut self, now: Time, connections: &mut [Own]) {
        while self.begun && !self.stopped && !self.paused && self.behaviour.wants() {
            let count = |own: &Own| self.open.iter().filter(|o| o.handle == own.handle).count();
            let free = |own: &&mut Own| own.is_ready() && count(own) < self.streams;
            let Some(own) = connections.iter_mut().filter(free).min_by_key(|own| count(own)) else {
                return;
            };
            let Some(id) = own.connection.streams().open(Dir::Bi) else { return };
            let ask = self.behaviour.ask();
            own.push(id, Bytes::copy_from_slice(&ask.bytes.to_be_bytes()), self.request - 8);
            let exchange = Exchange {
                number: self.asked,
                connection: own.number(),
                request: self.request,
                response: ask.bytes,
                asked: now,
                first: None,
                done: None,
            };
            self.open.push(Open { handle: own.handle, id, about: ask.about, exchange });
            self.asked += 1;
        }
    }

    /// Reads what has come of a response.
    pub fn read(&mut self, now: Time, own: &mut Own, id: StreamId, to: &mut impl Extend<Report>) {
        let of = |open: &Open| open.handle == own.handle && open.id == id;
        let Some(n) = self.open.iter().position(of) else { return };
        let mut bytes = 0;
        let ended = read(&mut own.connection, id, |part| bytes += part.len() as u64);
        if bytes > 0 {
            self.open[n].exchange.first.get_or_insert(now);
            self.behaviour.received(now, bytes);
            to.extend([Report::Delivered { bytes }]);
        }
        if ended {
            let Open { about, exchange, .. } = self.open.remove(n);
            self.behaviour.completed(now, about);
            to.extend([Report::Exchange(Exchange { done: Some(now), ..exchange })]);
            to.extend(self.behaviour.take_page().map(Report::Page));
        }
    }

    /// True if the application has all that it requests.
    pub fn is_finished(&self) -> bool {
        self.behaviour.is_finished()
    }

    /// True if no response is to come.
    pub fn is_over(&self) -> bool {
        (self.stopped || self.is_finished()) && self.open.is_empty()
    }

    /// Requests and pages that are open at the end.
    pub fn unanswered(&mut self) -> impl Iterator<Item = Report> {
        let open = std::mem::take(&mut self.open).into_iter();
        let pages = self.behaviour.open_pages().into_iter().map(Report::Page);
        open.map(|open| Report::Exchange(open.exchange)).chain(pages)
    }
}

/// The server of requests.
#[derive(Debug)]
pub(in super::super) struct Answering {
    reply_delay: Duration,
    /// Requests that have not come whole, with the bytes that hold the size of the response.
    coming: Vec<(ConnectionHandle, StreamId, Vec<u8>)>,
    /// Responses in the order of their times.
    due: std::collections::VecDeque<(Time, ConnectionHandle, StreamId, u64)>,
}

impl Answering {
    pub fn new(reply_delay: Duration) -> Answering {
        Answering { reply_delay, coming: Vec::new(), due: Default::default() }
    }

    /// Reads what has come of a request.
    pub fn read(&mut self, now: Time, own: &mut Own, id: StreamId) {
        let of = |(handle, open, _): &(ConnectionHandle, StreamId, _)| {
            *handle == own.handle && *open == id
        };
        let n = self.coming.iter().position(of).unwrap_or_else(|| {
            self.coming.push((own.handle, id, Vec::new()));
            self.coming.len() - 1
        });
        let head = &mut self.coming[n].2;
        let ended = read(&mut own.connection, id, |part| {
            let lacks = (LEAST_REQUEST as usize).saturating_sub(head.len());
            head.extend(&part[..part.len().min(lacks)]);
        });
        if ended {
            let (handle, id, head) = self.coming.swap_remove(n);
            let bytes = <[u8; 8]>::try_from(&head[..]).map_or(0, u64::from_be_bytes);
            self.due.push_back((now.saturating_add(self.reply_delay), handle, id, bytes));
        }
    }

    /// Writes the responses that are due.
    pub fn answer(&mut self, now: Time, connections: &mut [Own]) {
        while let Some((_, handle, id, bytes)) = self.due.pop_front_if(|due| due.0 <= now) {
            if let Some(own) = connections.iter_mut().find(|own| own.handle == handle) {
                own.push(id, Bytes::new(), bytes);
            }
        }
    }

    /// True if no request has come of which the response is to be written.
    pub fn is_over(&self) -> bool {
        self.coming.is_empty() && self.due.is_empty()
    }

    pub fn next_wake(&self) -> Option<Time> {
        self.due.front().map(|due| due.0)
    }
}
