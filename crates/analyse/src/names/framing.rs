//! One direction of an HTTP/1 connection: where its messages begin and end (RFC 9112, 6
//! and 7.1).
//!
//! Sequence numbers identify bytes. Bytes that a snap length has cut off, or that were not
//! captured, are skipped if the length of the body is known. If it is not (a chunk's size was cut),
//! the rest counts as the message's body until a segment begins another. A late segment counts as
//! one in time, but its content is not read.

use super::content::Content;
use super::head::{Framing, Head, begins_request, begins_response};

/// Longest head that is put together (bytes).
const LONGEST_HEAD: usize = 16 << 10;
/// Longest line with a chunk's size (bytes).
const LONGEST_LINE: usize = 256;

/// Receiver of messages.
pub(super) trait Notes {
    /// A message begins. Gives how its body ends.
    fn head(&mut self, head: Head) -> Framing;
    /// So many bytes of its body passed.
    fn body(&mut self, content: Content, bytes: u64);
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Between messages, or within a head.
    #[default]
    Head,
    /// So many bytes of body are left.
    Body(u64),
    /// Within the line that has a chunk's size.
    Size,
    /// So many bytes of chunk are left, its end of line included.
    Chunk(u64),
    /// Behind the last chunk, within a line.
    Trailer,
    /// In a body whose end is not known.
    Unframed,
    /// In a body that ends with the connection.
    UntilEnd,
    /// Another protocol.
    Tunnel,
}

/// A direction.
#[derive(Debug, Default)]
pub(super) struct Stream {
    next: Option<u32>,
    state: State,
    /// Gathered bytes of a head or a line.
    gathered: Vec<u8>,
    content: Content,
}

impl Stream {
    /// A segment of `len` bytes, of which `data` was captured.
    pub(super) fn segment(&mut self, seq: u32, len: u32, data: &[u8], notes: &mut impl Notes) {
        let ahead = seq.wrapping_sub(*self.next.get_or_insert(seq)) as i32;
        let known = if ahead > 0 { 0 } else { ahead.unsigned_abs() };
        if ahead > 0 {
            self.unseen(ahead as u64, notes);
        } else if known >= len {
            return;
        }
        self.next = Some(seq.wrapping_add(len));
        let (len, data) = (len - known, data.get(known as usize..).unwrap_or_default());
        if self.state == State::Unframed && (begins_request(data) || begins_response(data)) {
            self.state = State::Head;
        }
        self.bytes(data, notes);
        self.unseen(u64::from(len).saturating_sub(data.len() as u64), notes);
    }

    /// Bytes on the heap.
    pub(super) fn heap(&self) -> usize {
        self.gathered.capacity()
    }

    fn bytes(&mut self, mut data: &[u8], notes: &mut impl Notes) {
        while !data.is_empty() {
            let used = match self.state {
                State::Head => self.head(data, notes),
                State::Size | State::Trailer => self.line(data),
                State::Body(left) | State::Chunk(left) => {
                    let used = left.min(data.len() as u64);
                    self.pass(used, left, notes);
                    used as usize
                }
                State::Unframed | State::UntilEnd => {
                    notes.body(self.content, data.len() as u64);
                    return;
                }
                State::Tunnel => return,
            };
            data = data.get(used..).unwrap_or_default();
        }
    }

    /// Bytes that were not captured.
    fn unseen(&mut self, n: u64, notes: &mut impl Notes) {
        if n == 0 {
            return;
        }
        let known = match self.state {
            State::Body(left) | State::Chunk(left) => {
                let known = n.min(left);
                self.pass(known, left, notes);
                known
            }
            State::Tunnel => return,
            State::Head => {
                self.cut(notes);
                0
            }
            _ => 0,
        };
        if known < n {
            if self.state == State::Head && known > 0 {
                self.content = Content::Unknown; // the next message's head
            }
            if self.state != State::UntilEnd {
                self.state = State::Unframed;
            }
            self.gathered = Vec::new();
            notes.body(self.content, n - known);
        }
    }

    /// `n` of the `left` bytes of a body or chunk pass.
    fn pass(&mut self, n: u64, left: u64, notes: &mut impl Notes) {
        let chunk = matches!(self.state, State::Chunk(_));
        let line_end = |left: u64| if chunk { left.saturating_sub(2) } else { left };
        notes.body(self.content, line_end(left) - line_end(left - n));
        self.state = match (self.state, left - n) {
            (State::Chunk(_), 0) => State::Size,
            (State::Chunk(_), left) => State::Chunk(left),
            (_, 0) => State::Head,
            (_, left) => State::Body(left),
        };
    }

    /// Gathers a head; gives how many bytes were its.
    fn head(&mut self, data: &[u8], notes: &mut impl Notes) -> usize {
        let before = self.gathered.len();
        let room = LONGEST_HEAD.saturating_sub(before);
        let from = before.saturating_sub(3);
        self.gathered.extend_from_slice(&data[..data.len().min(room)]);
        let end = self.gathered[from..].windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let Some(end) = end.map(|at| from + at + 4) else {
            if self.gathered.len() >= LONGEST_HEAD || !self.may_be_head() {
                self.cut(notes);
                self.state = State::Unframed;
                self.gathered = Vec::new();
            }
            return data.len();
        };
        self.gathered.truncate(end);
        self.begin(notes);
        end - before
    }

    /// True if the gathered bytes may become a head.
    fn may_be_head(&self) -> bool {
        self.gathered.len() < 12
            || begins_request(&self.gathered)
            || begins_response(&self.gathered)
    }

    /// Takes the gathered bytes as a whole head.
    fn begin(&mut self, notes: &mut impl Notes) {
        let head = Head::parse(&std::mem::take(&mut self.gathered));
        self.content = head.as_ref().map_or(Content::Unknown, |head| head.content);
        self.state = match head.map(|head| notes.head(head)) {
            Some(Framing::Length(0)) => State::Head,
            Some(Framing::Length(left)) => State::Body(left),
            Some(Framing::Chunked) => State::Size,
            Some(Framing::UntilEnd) => State::UntilEnd,
            Some(Framing::Tunnel) => State::Tunnel,
            None => State::Unframed,
        };
    }

    /// Takes the gathered bytes as all that there will be of a head.
    fn cut(&mut self, notes: &mut impl Notes) {
        self.content = Content::Unknown;
        if let Some(head) = Head::parse(&std::mem::take(&mut self.gathered)) {
            self.content = head.content;
            notes.head(head);
        }
    }

    /// Gathers a line of the chunked coding; gives how many bytes were its.
    fn line(&mut self, data: &[u8]) -> usize {
        let end = data.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let used = end.unwrap_or(data.len());
        if self.gathered.len() + used > LONGEST_LINE {
            (self.state, self.gathered) = (State::Unframed, Vec::new());
            return used;
        }
        self.gathered.extend_from_slice(&data[..used]);
        if end.is_some() {
            let line = std::mem::take(&mut self.gathered);
            let line = core::str::from_utf8(&line).unwrap_or_default().trim_end();
            self.state = match (self.state, line) {
                (State::Trailer, "") => State::Head,
                (State::Trailer, _) => State::Trailer,
                (_, line) => match size(line) {
                    Some(0) => State::Trailer,
                    Some(size) => State::Chunk(size.saturating_add(2)),
                    None => State::Unframed,
                },
            };
        }
        used
    }
}

/// A chunk's size (RFC 9112, 7.1).
fn size(line: &str) -> Option<u64> {
    let digits = line.split(';').next()?.trim();
    let hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| hex)
}

#[cfg(test)]
#[path = "framing_tests.rs"]
mod tests;
