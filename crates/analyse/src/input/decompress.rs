//! Compressed captures, recognised by how they begin: gzip and Zstandard.

use std::io::{self, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

/// First bytes of gzip (RFC 1952, 2.3.1) and Zstandard (RFC 8878, 3.1.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Bytes of compressed input that are requested at a time.
const CHUNK: usize = 1 << 18;

/// Content of `input`, decompressed if it is compressed.
///
/// # Errors
///
/// Those of `input`, and if a Zstandard frame cannot be begun.
pub fn decompressed<'a>(mut input: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let mut head = Vec::with_capacity(4);
    input.by_ref().take(4).read_to_end(&mut head)?;
    let (gzip, zstd) = (head.starts_with(&GZIP), head == ZSTD);
    let whole = Cursor::new(head).chain(input);
    Ok(match (gzip, zstd) {
        (true, _) => Box::new(MultiGzDecoder::new(BufReader::with_capacity(CHUNK, whole))),
        (_, true) => {
            Box::new(Frames { state: State::Between(BufReader::with_capacity(CHUNK, whole)) })
        }
        _ => Box::new(whole),
    })
}

/// Zstandard frames, one after the other.
struct Frames<R: Read> {
    state: State<R>,
}

enum State<R: Read> {
    Between(BufReader<R>),
    Within(Box<StreamingDecoder<BufReader<R>, ruzstd::decoding::FrameDecoder>>),
    Done,
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.state, State::Done) {
                State::Done => return Ok(0),
                State::Between(mut input) => {
                    if io::BufRead::fill_buf(&mut input)?.is_empty() {
                        return Ok(0);
                    }
                    let decoder = StreamingDecoder::new(input).map_err(io::Error::other)?;
                    self.state = State::Within(Box::new(decoder));
                }
                State::Within(mut decoder) => match decoder.read(out)? {
                    0 if !out.is_empty() => {
                        let (input, frame) = decoder.into_parts();
                        // RFC 8878, 3.1.1: of the frame's content, if it has one.
                        let said = frame.get_checksum_from_data();
                        if said.is_some() && said != frame.get_calculated_checksum() {
                            let what = "corrupt Zstandard frame: its checksum does not match";
                            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
                        }
                        self.state = State::Between(input);
                    }
                    read => {
                        self.state = State::Within(decoder);
                        return Ok(read);
                    }
                },
            }
        }
    }
}
