//! A buffer that is refilled from a reader, and lends what is in it.

use std::io::{self, Read};

/// Bytes that are asked for at a time.
const CHUNK: usize = 1 << 18;

pub(super) struct Buffer<R> {
    input: R,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// Where in the file `start` is.
    offset: u64,
}

impl<R: Read> Buffer<R> {
    pub(super) fn new(input: R) -> Buffer<R> {
        Buffer { input, bytes: vec![0; CHUNK], start: 0, end: 0, offset: 0 }
    }

    /// What is there.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Where in the file that begins.
    pub(super) fn offset(&self) -> u64 {
        self.offset
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
        self.bytes.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.bytes.len() < n {
            self.bytes.resize(n.next_multiple_of(CHUNK), 0);
        }
        while self.end < n {
            match self.input.read(&mut self.bytes[self.end..]) {
                Ok(0) => return Ok(false),
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Steps over `n` bytes that are there.
    pub(super) fn consume(&mut self, n: usize) {
        let n = n.min(self.end - self.start);
        self.start += n;
        self.offset += n as u64;
    }

    /// Steps over `n` bytes that are there, and lends them.
    #[inline]
    pub(super) fn take(&mut self, n: usize) -> &[u8] {
        let start = self.start;
        self.consume(n);
        &self.bytes[start..self.start]
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
