//! HTTP/1 in a TCP connection: requests, responses, and what they carried.

use std::collections::VecDeque;

use serde::Serialize;

use super::content::{Content, Contents};
use super::framing::{Notes, Stream};
use super::head::{Framing, Head, begins_request, begins_response};

/// Responses that are listed of a flow.
const MOST_LISTED: usize = 16;
/// Requests with HEAD that wait for their responses.
const MOST_WAITING: usize = 64;

/// HTTP messages of a flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Http {
    /// Requests.
    pub requests: u64,
    /// Responses, interim ones (1xx) left out.
    pub responses: u64,
    /// Of them, those with a status of 400 or more.
    pub errors: u64,
    /// Content of the requests.
    pub up: Contents,
    /// Content of the responses.
    pub down: Contents,
    /// The first responses, at most 16.
    pub listed: Vec<Response>,
}

/// A response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Content of the message.
    pub content: Content,
    /// Bytes of its body, as far as they passed.
    pub bytes: u64,
}

/// A connection that speaks HTTP.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    streams: [Stream; 2],
    told: Told,
}

#[derive(Debug, Default)]
struct Told {
    http: Http,
    host: Option<Box<str>>,
    /// Numbers of the requests whose responses have no body.
    bodiless: VecDeque<u64>,
    /// True if the last message downward is the last of the list.
    open: bool,
}

/// True if these bytes begin a message.
pub(super) fn begins(bytes: &[u8]) -> bool {
    begins_request(bytes) || begins_response(bytes)
}

impl Connection {
    /// A segment of `len` bytes, upward if `up`.
    pub(super) fn segment(&mut self, up: bool, seq: u32, len: u32, data: &[u8]) {
        let [requests, responses] = &mut self.streams;
        match up {
            true => requests.segment(seq, len, data, &mut Up(&mut self.told)),
            false => responses.segment(seq, len, data, &mut Down(&mut self.told)),
        }
    }

    pub(super) fn http(&self) -> Http {
        self.told.http.clone()
    }

    /// Host of the first request.
    pub(super) fn host(&self) -> Option<&str> {
        self.told.host.as_deref()
    }

    /// Bytes on the heap.
    pub(super) fn heap(&self) -> usize {
        let streams: usize = self.streams.iter().map(Stream::heap).sum();
        let told = &self.told;
        let listed = told.http.listed.capacity() * size_of::<Response>();
        streams + listed + 8 * told.bodiless.capacity() + told.host.as_ref().map_or(0, |h| h.len())
    }
}

/// Notes on requests, and on responses.
struct Up<'a>(&'a mut Told);
struct Down<'a>(&'a mut Told);

impl Notes for Up<'_> {
    fn head(&mut self, head: Head) -> Framing {
        let told = &mut *self.0;
        if head.bodiless && told.bodiless.len() < MOST_WAITING {
            told.bodiless.push_back(told.http.requests);
        }
        told.http.requests += 1;
        told.http.up.message(head.content);
        if told.host.is_none() {
            told.host = head.host;
        }
        head.framing
    }

    fn body(&mut self, content: Content, bytes: u64) {
        self.0.http.up.bytes(content, bytes);
    }
}

impl Notes for Down<'_> {
    fn head(&mut self, head: Head) -> Framing {
        let told = &mut *self.0;
        let status = head.status.unwrap_or_default();
        if (100..200).contains(&status) {
            return head.framing; // it is the next that answers (RFC 9110, 15.2)
        }
        let number = told.http.responses;
        told.http.responses += 1;
        told.http.errors += u64::from(status >= 400);
        told.http.down.message(head.content);
        told.open = told.http.listed.len() < MOST_LISTED;
        if told.open {
            told.http.listed.push(Response { status, content: head.content, bytes: 0 });
        }
        while told.bodiless.front().is_some_and(|waiting| *waiting < number) {
            told.bodiless.pop_front();
        }
        match told.bodiless.front() {
            Some(waiting) if *waiting == number => Framing::Length(0),
            _ => head.framing,
        }
    }

    fn body(&mut self, content: Content, bytes: u64) {
        let told = &mut *self.0;
        told.http.down.bytes(content, bytes);
        if let (true, Some(last)) = (told.open, told.http.listed.last_mut()) {
            last.bytes += bytes;
        }
    }
}
