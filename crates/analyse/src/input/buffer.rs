//! A buffer that is refilled from a reader, and lends what is in it.
//!
//! Lent bytes stay in memory: a refill begins another chunk, and the chunk before can be taken,
//! with all packets found in it. Chunks are filled to the end, however little the reader gives at a
//! time. Their ends therefore do not depend on the reader.

use std::io::{self, Read};

pub(super) struct Buffer<R> {
    input: R,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// Offset of `start` in the file.
    offset: u64,
    /// Bytes that are requested at a time.
    chunk: usize,
    /// The chunk before, until it is taken.
    spent: Option<Vec<u8>>,
    spare: Option<Vec<u8>>,
    ended: bool,
    /// Error behind the present bytes, returned after the last of them.
    failure: Option<io::Error>,
}

impl<R: Read> Buffer<R> {
    pub(super) fn new(input: R, chunk: usize) -> Buffer<R> {
        Buffer {
            input,
            bytes: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            chunk: chunk.max(1),
            spent: None,
            spare: None,
            ended: false,
            failure: None,
        }
    }

    /// Present bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// The whole chunk.
    pub(super) fn chunk(&self) -> &[u8] {
        &self.bytes
    }

    /// Offset of `bytes` in the chunk.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Offset of the bytes in the file.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The chunk in which the last frames were found, if another was begun since.
    pub(super) fn take_spent(&mut self) -> Option<Vec<u8>> {
        self.spent.take()
    }

    /// The last chunk.
    pub(super) fn into_chunk(self) -> Vec<u8> {
        self.bytes
    }

    /// A chunk that is no more needed.
    pub(super) fn recycle(&mut self, chunk: Vec<u8>) {
        self.spare = Some(chunk);
    }

    /// Sees to it that `n` bytes are there; false if the file ends before.
    #[inline]
    pub(super) fn fill(&mut self, n: usize) -> io::Result<bool> {
        if self.end - self.start >= n {
            return Ok(true);
        }
        self.refill(n)
    }

    fn refill(&mut self, n: usize) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if let Some(failure) = self.failure.take() {
            self.ended = true;
            return Err(failure);
        }
        self.begin_chunk(n);
        while self.end < self.bytes.len() {
            match self.input.read(&mut self.bytes[self.end..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Bytes before the trouble are read first. A decoder that is called again may not
                // repeat its error.
                Err(error) if self.end >= n => {
                    self.failure = Some(error);
                    break;
                }
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
        }
        Ok(self.end >= n)
    }

    /// Moves what is left to another chunk, which has room for `n` bytes.
    fn begin_chunk(&mut self, n: usize) {
        let mut fresh = self.spare.take().unwrap_or_default();
        let size = n.next_multiple_of(self.chunk);
        if fresh.len() != size {
            fresh = vec![0; size];
        }
        let rest = self.end - self.start;
        fresh[..rest].copy_from_slice(&self.bytes[self.start..self.end]);
        let before = std::mem::replace(&mut self.bytes, fresh);
        (self.start, self.end) = (0, rest);
        match self.spent {
            None => self.spent = Some(before),
            Some(_) => self.spare = Some(before),
        }
    }

    /// Steps over `n` bytes that are there.
    #[inline]
    pub(super) fn consume(&mut self, n: usize) {
        let n = n.min(self.end - self.start);
        self.start += n;
        self.offset += n as u64;
    }

    /// Steps over `n` bytes, there or not; false if the file ends before.
    pub(super) fn skip(&mut self, mut n: u64) -> io::Result<bool> {
        loop {
            let here = n.min((self.end - self.start) as u64);
            self.consume(here as usize);
            n -= here;
            if n == 0 {
                return Ok(true);
            }
            if !self.fill(1)? {
                return Ok(false);
            }
        }
    }
}
