//! DNS: questions, answers, and the time between them (RFC 1035, 4).
//!
//! An answer belongs to the open question with its number, name and type. A question that
//! comes again with the same number is a retry, and the time counts from the first. A
//! resolver that asks again from another port makes another flow: there the first
//! question stays without an answer.

use std::fmt::Write;

use airpath_base::Time;
use serde::Serialize;

use crate::sketch::{Sketch, Spread};

/// Questions of a flow that wait for answers; the oldest makes way.
const MOST_OPEN: usize = 64;
/// Answered questions that are listed.
const MOST_LISTED: usize = 16;
/// Bytes of a header.
const HEADER: usize = 12;

/// DNS lookup of a flow: question and answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Dns {
    /// Questions, repeated ones left out.
    pub queries: u64,
    /// Questions that were repeated.
    pub retries: u64,
    /// Answers to questions that were seen.
    pub answers: u64,
    /// From the question to the answer at the capture point.
    pub time_ms: Option<Spread>,
    /// The first lookups with an answer, at most 16.
    pub listed: Vec<Lookup>,
}

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lookup {
    /// The name in question.
    pub name: Box<str>,
    /// Type of the requested records (RFC 1035, 3.2.2: 1 is A, 28 AAAA, 65 HTTPS).
    #[serde(rename = "type")]
    pub kind: u16,
    /// Response code (RFC 1035, 4.1.1: 0 is without error, 3 no such name).
    pub rcode: u8,
    /// From the first question to the answer.
    pub time_ms: f64,
    /// Number of repetitions of the question.
    pub retries: u32,
}

/// Lookups of a flow.
#[derive(Debug, Default)]
pub(crate) struct Lookups {
    open: Vec<Open>,
    dns: Dns,
    times: Sketch,
}

#[derive(Debug)]
struct Open {
    question: Question,
    at: Time,
    retries: u32,
}

/// The head of a message and its first question.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Question {
    id: u16,
    name: Box<str>,
    kind: u16,
}

impl Lookups {
    /// A message passes.
    pub(super) fn message(&mut self, at: Time, bytes: &[u8]) {
        let Some((question, answer)) = parse(bytes) else { return };
        let known = self.open.iter().position(|open| open.question == question);
        match (answer, known) {
            (None, Some(known)) => {
                self.open[known].retries = self.open[known].retries.saturating_add(1);
                self.dns.retries += 1;
            }
            (None, None) => {
                if self.open.len() >= MOST_OPEN {
                    self.open.remove(0);
                }
                self.open.push(Open { question, at, retries: 0 });
                self.dns.queries += 1;
            }
            (Some(rcode), Some(known)) => {
                let open = self.open.remove(known);
                self.answered(open, at, rcode);
            }
            (Some(_), None) => {}
        }
    }

    pub(super) fn dns(&self) -> Dns {
        Dns { time_ms: self.times.spread(), ..self.dns.clone() }
    }

    /// Bytes on the heap.
    pub(super) fn heap(&self) -> usize {
        let names = self.open.iter().map(|open| open.question.name.len()).sum::<usize>()
            + self.dns.listed.iter().map(|lookup| lookup.name.len()).sum::<usize>();
        let open = self.open.capacity() * size_of::<Open>();
        let listed = self.dns.listed.capacity() * size_of::<Lookup>();
        open + listed + names + self.times.heap()
    }

    fn answered(&mut self, open: Open, at: Time, rcode: u8) {
        let time = at.saturating_since(open.at).as_nanos();
        self.dns.answers += 1;
        self.times.add(time);
        if self.dns.listed.len() < MOST_LISTED {
            let Open { question: Question { name, kind, .. }, retries, .. } = open;
            let time_ms = time as f64 / 1e6;
            self.dns.listed.push(Lookup { name, kind, rcode, time_ms, retries });
        }
    }
}

/// Reads a message: its first question, and how it is answered if it is an answer.
fn parse(bytes: &[u8]) -> Option<(Question, Option<u8>)> {
    let word = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let (id, flags, questions) = (word(0)?, word(2)?, word(4)?);
    if questions == 0 || flags >> 11 & 0xf != 0 {
        return None; // a standard query (opcode 0) has one
    }
    let (name, end) = name(bytes, HEADER)?;
    let question = Question { id, name, kind: word(end)? };
    let answer = (flags & 0x8000 != 0).then_some((flags & 0xf) as u8);
    Some((question, answer))
}

/// A name without compression, which in a first question there cannot be, and where it
/// ends. Lower case, as letters of either case are the same (RFC 4343); what is not
/// printable is written as RFC 4343, 2.1 has it.
fn name(bytes: &[u8], mut at: usize) -> Option<(Box<str>, usize)> {
    let mut text = String::new();
    loop {
        let len = usize::from(*bytes.get(at)?);
        if len == 0 {
            return Some((text.into(), at + 1));
        }
        if len > 63 || at - HEADER > 255 {
            return None; // RFC 1035, 2.3.4
        }
        if !text.is_empty() {
            text.push('.');
        }
        for byte in bytes.get(at + 1..at + 1 + len)? {
            match byte {
                b'.' | b'\\' => text.extend(['\\', char::from(*byte)]),
                b'!'..=b'~' => text.push(char::from(byte.to_ascii_lowercase())),
                _ => write!(text, "\\{byte:03}").ok()?,
            }
        }
        at += 1 + len;
    }
}

#[cfg(test)]
#[path = "dns_tests.rs"]
mod tests;
