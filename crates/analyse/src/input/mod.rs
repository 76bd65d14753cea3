//! Reading captures: pcap and pcapng, of either byte order, from anything that reads.
//!
//! The reader is airpath's own: it borrows each packet from one buffer that it refills,
//! says where in the file trouble lies, and goes on behind it where the format allows.

mod buffer;
mod decompress;
mod pcap;
mod pcapng;

use std::io::{self, Read};

use airpath_base::Time;
use airpath_wire::link::LinkType;

use crate::warnings::Warnings;
use buffer::Buffer;
pub use decompress::decompressed;

/// Packets and blocks longer than this are taken for corrupt (bytes).
const LONGEST: usize = 16 << 20;

/// A captured frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// When it was captured, since 1970.
    pub at: Time,
    /// How to read it.
    pub link: LinkType,
    /// Number of the interface within its file.
    pub interface: u32,
    /// Its length on the wire, in bytes.
    pub len: u32,
    /// As much of it as was captured.
    pub bytes: &'a [u8],
    /// Where in the file its record begins.
    pub offset: u64,
}

/// Why a file could not be read at all.
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

/// Reads the frames of one capture.
pub(crate) struct Reader<R> {
    buffer: Buffer<R>,
    format: Format,
}

enum Format {
    Pcap(pcap::Pcap),
    Pcapng(pcapng::Pcapng),
}

/// What a step of reading came to.
enum Step {
    /// A frame: its description, and how many bytes from the buffer's beginning it
    /// starts and ends, and how many to consume with it.
    Frame(Found),
    /// Nothing yet; go on.
    Again,
    /// The file ends here.
    End,
}

/// A frame in the buffer.
#[derive(Clone, Copy)]
struct Found {
    at: Time,
    link: LinkType,
    interface: u32,
    len: u32,
    start: usize,
    end: usize,
    consume: usize,
}

impl<R: Read> Reader<R> {
    /// Begins to read.
    ///
    /// # Errors
    ///
    /// If it is no capture.
    pub(crate) fn open(input: R) -> Result<Reader<R>, OpenError> {
        let mut buffer = Buffer::new(input);
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
            pcap::Pcap::parse(buffer.bytes()).map(Format::Pcap)
        };
        let format = format.ok_or(OpenError::Unknown(magic))?;
        if !pcapng {
            buffer.consume(pcap::FILE_HEADER);
        }
        Ok(Reader { buffer, format })
    }

    /// The next frame; none at the end, or where nothing more can be read.
    pub(crate) fn next(&mut self, warnings: &mut Warnings) -> Option<Frame<'_>> {
        let found = loop {
            let offset = self.buffer.offset();
            let step = match &mut self.format {
                Format::Pcap(pcap) => pcap.step(&mut self.buffer, warnings),
                Format::Pcapng(pcapng) => pcapng.step(&mut self.buffer, warnings),
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
        let Found { at, link, interface, len, start, end, consume } = found;
        let offset = self.buffer.offset();
        let bytes = &self.buffer.take(consume)[start..end];
        Some(Frame { at, link, interface, len: len.max(bytes.len() as u32), bytes, offset })
    }
}

/// Whether `len` bytes are there; if not, warns unless the file ends cleanly.
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
