//! The first message of a TLS client (RFC 8446, 4.1.2): whom it means to speak to (server
//! name, RFC 6066, 3) and what (ALPN, RFC 7301, 3.1). What is cut short is read as far as
//! it is there.

/// Longest message that is put together (bytes): with a post-quantum key share it takes
/// two segments.
const LONGEST: usize = 8 << 10;
/// Protocols that are kept, and how long each may be (bytes).
const MOST_PROTOCOLS: usize = 8;
const LONGEST_PROTOCOL: usize = 32;
/// Extensions.
const SERVER_NAME: u16 = 0;
const ALPN: u16 = 16;

/// A message in the course of being read.
#[derive(Debug, Default)]
pub(crate) struct ClientHello {
    gathered: Vec<u8>,
    next: Option<u32>,
    pub(super) said: Said,
    done: bool,
}

/// Content of a hello: server name and protocols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) server_name: Option<Box<str>>,
    /// The first protocols that it wants to speak.
    pub(crate) alpn: Vec<Box<str>>,
}

impl Said {
    /// True if the hello offers HTTP over TCP.
    pub(super) fn is_http(&self) -> bool {
        self.alpn.iter().any(|name| matches!(&**name, "h2" | "http/1.1" | "http/1.0"))
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let names = self.alpn.iter().map(|name| name.len() + size_of::<Box<str>>()).sum::<usize>();
        names + self.server_name.as_ref().map_or(0, |name| name.len())
    }
}

/// True if these bytes begin a client's or server's first message: a handshake record (RFC 8446,
/// 5.1) with a hello.
pub(super) fn begins(bytes: &[u8]) -> bool {
    matches!(*bytes, [22, 3, 0..=4, _, _, 1 | 2, ..])
}

impl ClientHello {
    /// A segment from the client; its first has begun the message.
    pub(super) fn segment(&mut self, seq: u32, len: u32, data: &[u8]) {
        let expected = *self.next.get_or_insert(seq);
        if self.done || seq != expected {
            return;
        }
        self.next = Some(seq.wrapping_add(len));
        let room = LONGEST.saturating_sub(self.gathered.len());
        self.gathered.extend_from_slice(&data[..data.len().min(room)]);
        let whole = self.gathered.get(3..5).map_or(0, |len| 5 + number(len));
        let cut = (data.len() as u64) < u64::from(len) || data.len() > room;
        if cut || self.gathered.len() >= whole {
            self.said = said(&self.gathered).unwrap_or_default();
            (self.done, self.gathered) = (true, Vec::new());
        }
    }

    /// The message was not seen to its end: what is there has to do.
    pub(super) fn given_up(&self) -> Said {
        match self.done {
            true => self.said.clone(),
            false => said(&self.gathered).unwrap_or_default(),
        }
    }

    /// Bytes on the heap.
    pub(super) fn heap(&self) -> usize {
        self.gathered.capacity() + self.said.heap()
    }
}

/// Reads a message with its record header, as [`hello`] does.
fn said(bytes: &[u8]) -> Option<Said> {
    hello(bytes.get(5..)?)
}

/// Reads a message; none if it is not a client's, or cut before its extensions.
pub(crate) fn hello(bytes: &[u8]) -> Option<Said> {
    if *bytes.first()? != 1 {
        return None;
    }
    // Message (4), version and random (34); session, suites, compression.
    let rest = behind(bytes.get(38..)?, 1)?;
    let rest = behind(behind(rest, 2)?, 1)?;
    let mut rest = rest.get(2..)?;
    let mut said = Said::default();
    while let (Some(kind), Some(_)) = (rest.get(..2), rest.get(2..4)) {
        let (content, behind) = split(rest.get(2..)?, 2)?;
        match number(kind) as u16 {
            SERVER_NAME => said.server_name = server_name(content),
            ALPN => said.alpn = alpn(content).unwrap_or_default(),
            _ => {}
        }
        rest = behind;
    }
    Some(said)
}

/// The first name of a list that is a host's (type 0).
fn server_name(content: &[u8]) -> Option<Box<str>> {
    let (list, _) = split(content, 2)?;
    let [0, entry @ ..] = list else { return None };
    let (name, _) = split(entry, 2)?;
    let name = core::str::from_utf8(name).ok()?;
    (name.is_ascii() && !name.is_empty() && name.len() <= 255).then(|| name.into())
}

/// The first protocols of a list that is there to its end, or as many as there are.
fn alpn(content: &[u8]) -> Option<Vec<Box<str>>> {
    let (mut list, _) = split(content, 2)?;
    let mut names = Vec::new();
    while let Some((len, rest)) = list.split_first() {
        let Some((name, rest)) = rest.split_at_checked((*len).into()) else { break };
        let printed = name.iter().all(u8::is_ascii_graphic) && name.len() <= LONGEST_PROTOCOL;
        if let Some(name) = core::str::from_utf8(name).ok().filter(|_| printed) {
            names.push(name.into());
        }
        if names.len() == MOST_PROTOCOLS {
            break;
        }
        list = rest;
    }
    Some(names)
}

/// Bytes behind a field with a length of `n` bytes.
fn behind(bytes: &[u8], n: usize) -> Option<&[u8]> {
    bytes.get(n + number(bytes.get(..n)?)..)
}

/// A field with a length of `n` bytes, cut where the bytes end, and what follows it.
fn split(bytes: &[u8], n: usize) -> Option<(&[u8], &[u8])> {
    let (len, rest) = (number(bytes.get(..n)?), bytes.get(n..)?);
    Some(rest.split_at(len.min(rest.len())))
}

fn number(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}

#[cfg(test)]
#[path = "tls_tests.rs"]
pub(crate) mod tests;
