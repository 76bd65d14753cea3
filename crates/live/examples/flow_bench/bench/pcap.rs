//! Captures in pcap's classic format: written in the relay, and cut to what is to be there.

use std::fs;
use std::io;
use std::path::Path;

/// Version, time zone, accuracy of times: the header between magic number and snap length.
const HEADER: [u32; 3] = [0x0004_0002, 0, 0];
const MAGIC: u32 = 0xa1b2_c3d4;
/// Link type of IP packets without a link.
const RAW: u32 = 101;
/// Bytes of the headers of a file and of a packet.
const SIZES: [usize; 2] = [24, 16];

/// A packet of a capture.
pub struct Taken {
    /// Nanoseconds since 1970.
    pub unix_ns: u64,
    /// Bytes of the packet on its way.
    pub bytes: u32,
    /// Its first bytes.
    pub kept: Vec<u8>,
}

/// Writes packets in the order of their times.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write(path: &Path, snap: u32, mut all: Vec<Taken>) -> io::Result<()> {
    all.sort_by_key(|taken| taken.unix_ns);
    let mut bytes = Vec::new();
    let mut put = |number: u32| bytes.extend(number.to_le_bytes());
    [MAGIC].into_iter().chain(HEADER).chain([snap, RAW]).for_each(&mut put);
    for taken in &all {
        let micros = taken.unix_ns / 1000;
        let [seconds, micros] = [micros / 1_000_000, micros % 1_000_000].map(|n| n as u32);
        let numbers = [seconds, micros, taken.kept.len() as u32, taken.bytes];
        bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(&taken.kept);
    }
    fs::write(path, bytes)
}

/// Takes out what was captured before a time, in nanoseconds since 1970.
///
/// # Errors
///
/// If the file cannot be read or written.
pub fn cut(path: &Path, from: u64) -> io::Result<()> {
    let all = fs::read(path)?;
    let number = |at: usize| Some(u32::from_le_bytes(all.get(at..at + 4)?.try_into().ok()?));
    let (mut at, mut left) = (SIZES[0], all.get(..SIZES[0]).unwrap_or_default().to_vec());
    while let (Some(seconds), Some(micros), Some(kept)) = (number(at), number(at + 4), number(at + 8)) {
        let end = (at + SIZES[1] + kept as usize).min(all.len());
        if u64::from(seconds) * 1_000_000_000 + u64::from(micros) * 1_000 >= from {
            left.extend(&all[at..end]);
        }
        at = end;
    }
    fs::write(path, left)
}
