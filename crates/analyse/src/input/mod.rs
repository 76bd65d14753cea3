//! Reading captures: pcap and pcapng, of either byte order, from anything that reads.
//!
//! Decision: the reader is airpath's own. Reason: it borrows packets from chunks of the file, and a
//! chunk can be taken whole with all its packets. It names the offset of trouble, and goes on
//! behind it if the format allows.

mod buffer;
mod decompress;
mod pcap;
mod pcapng;

use std::io::{self, Read};

use airpath_base::Time;
use airpath_wire::link::LinkType;

use crate::interfaces::Interfaces;
use crate::warnings::Warnings;
use buffer::Buffer;
pub use decompress::decompressed;

/// Packets and blocks longer than this are taken for corrupt (bytes).
const LONGEST: usize = 16 << 20;

/// A captured frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Time of the capture since 1970; for a packet without a time, that of the one before.
    pub at: Time,
    /// True if the capture has a time for the packet.
    pub timed: bool,
    /// Link type of the frame.
    pub link: LinkType,
    /// Number of the interface among all that were seen.
    pub interface: u32,
    /// Its length on the wire, in bytes.
    pub len: u32,
    /// Captured bytes of the frame.
    pub bytes: &'a [u8],
    /// Offset in the file of the frame's record.
    pub offset: u64,
}

/// Reason for which a file could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It is neither pcap nor pcapng.
    #[error("neither pcap nor pcapng (it begins with {0:02x?})")]
    Unknown(Vec<u8>),
    /// It is empty.
    #[error("an empty file")]
    Empty,
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Time of the first packet of a capture, compressed or not. None if the capture has no packet,
/// none that can be read, or no time for it. Only the bytes up to that packet are read.
///
/// # Errors
///
/// If it is no capture.
pub fn first_time(input: impl Read) -> Result<Option<Time>, OpenError> {
    const CHUNK: usize = 4096;
    let mut interfaces = Interfaces::default();
    let mut reader = Reader::open(decompressed(input)?, CHUNK, &mut interfaces)?;
    let found = reader.step(&mut Warnings::default(), &mut interfaces);
    Ok(found.filter(|found| found.timed).map(|found| found.at()))
}

/// Reads the frames of one capture.
pub(crate) struct Reader<R> {
    buffer: Buffer<R>,
    format: Format,
}

enum Format {
    Pcap(pcap::Pcap),
    Pcapng(pcapng::Pcapng),
}

/// Result of a step of reading.
enum Step {
    /// A frame: its description, and how many bytes from the buffer's beginning it
    /// starts and ends, and how many to consume with it.
    Frame(Found),
    /// Nothing yet; go on.
    Again,
    /// The file ends here.
    End,
}

/// A frame in the current chunk, or, while a format looks for it, from where the buffer is.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    at: Time,
    timed: bool,
    link: LinkType,
    interface: u32,
    len: u32,
    start: usize,
    end: usize,
    consume: usize,
    offset: u64,
}

impl Found {
    /// Time of the capture.
    pub(crate) fn at(&self) -> Time {
        self.at
    }
}

impl<R: Read> Reader<R> {
    /// Begins to read, in chunks of so many bytes.
    ///
    /// # Errors
    ///
    /// If it is no capture.
    pub(crate) fn open(
        input: R,
        chunk: usize,
        interfaces: &mut Interfaces,
    ) -> Result<Reader<R>, OpenError> {
        let mut buffer = Buffer::new(input, chunk);
        let whole = buffer.fill(4)?;
        let magic = buffer.bytes();
        let magic = magic[..magic.len().min(4)].to_vec();
        if magic.is_empty() {
            return Err(OpenError::Empty);
        }
        let pcapng = whole && magic == pcapng::SECTION_HEADER.to_be_bytes();
        let format = if pcapng {
            Some(Format::Pcapng(pcapng::Pcapng::default()))
        } else {
            buffer.fill(pcap::FILE_HEADER)?;
            let parsed = pcap::Pcap::parse(buffer.bytes());
            parsed.map(|pcap| Format::Pcap(pcap.at(interfaces.of_file(0, None))))
        };
        let format = format.ok_or(OpenError::Unknown(magic))?;
        if !pcapng {
            buffer.consume(pcap::FILE_HEADER);
        }
        drop(buffer.take_spent());
        Ok(Reader { buffer, format })
    }

    /// Hands on frames as long as that is easy, with the chunk that they are in.
    #[inline(always)]
    pub(crate) fn run(&mut self, mut found: impl FnMut(&Frame<'_>, &[u8])) {
        let Format::Pcap(pcap) = &self.format else { return };
        let chunk = self.buffer.chunk();
        let run = pcap.run(self.buffer.bytes(), self.buffer.offset(), |frame| found(frame, chunk));
        self.buffer.consume(run);
    }

    /// Finds the next frame; none at the end, or where nothing more can be read.
    pub(crate) fn step(
        &mut self,
        warnings: &mut Warnings,
        interfaces: &mut Interfaces,
    ) -> Option<Found> {
        let found = loop {
            let offset = self.buffer.offset();
            let step = match &mut self.format {
                Format::Pcap(pcap) => pcap.step(&mut self.buffer, warnings),
                Format::Pcapng(pcapng) => pcapng.step(&mut self.buffer, warnings, interfaces),
            };
            match step {
                Ok(Step::Frame(found)) => break found,
                Ok(Step::Again) => {}
                Ok(Step::End) => return None,
                Err(error) => {
                    let here = offset.max(self.buffer.offset());
                    warnings.add(here, &format!("cannot be read further: {error}"));
                    return None;
                }
            }
        };
        let (start, offset) = (self.buffer.start(), self.buffer.offset());
        self.buffer.consume(found.consume);
        Some(Found { start: start + found.start, end: start + found.end, offset, ..found })
    }

    /// The frame that was found last.
    #[inline]
    pub(crate) fn frame(&self, found: &Found) -> Frame<'_> {
        let Found { at, timed, link, interface, len, start, end, offset, .. } = *found;
        let bytes = &self.buffer.chunk()[start..end];
        Frame { at, timed, link, interface, len: len.max(bytes.len() as u32), bytes, offset }
    }

    /// The chunk in which frames are found.
    #[inline]
    pub(crate) fn chunk(&self) -> &[u8] {
        self.buffer.chunk()
    }

    /// The chunk in which frames were found before the last one, if that is in another.
    #[inline]
    pub(crate) fn take_spent(&mut self) -> Option<Vec<u8>> {
        self.buffer.take_spent()
    }

    /// The last chunk.
    pub(crate) fn into_chunk(mut self) -> Vec<u8> {
        let spent = self.buffer.take_spent();
        spent.unwrap_or_else(|| self.buffer.into_chunk())
    }

    /// A chunk that is no more needed.
    pub(crate) fn recycle(&mut self, chunk: Vec<u8>) {
        self.buffer.recycle(chunk);
    }
}

/// True if `len` bytes are there; otherwise it warns, unless the file ends cleanly.
fn whole<R: Read>(buffer: &mut Buffer<R>, len: usize, warnings: &mut Warnings) -> io::Result<bool> {
    if buffer.fill(len)? {
        return Ok(true);
    }
    if !buffer.bytes().is_empty() {
        warnings.add(buffer.offset(), "the file ends within this record");
    }
    Ok(false)
}

#[cfg(test)]
#[path = "../input_tests.rs"]
mod tests;
