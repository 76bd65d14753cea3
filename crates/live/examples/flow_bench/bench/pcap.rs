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
    let mut left = all.get(..SIZES[0]).unwrap_or_default().to_vec();
    let late = records(&all).filter(|(header, _)| {
        let [seconds, micros] = [0, 4].map(|at| u64::from(number(header, at)));
        seconds * 1_000_000_000 + micros * 1_000 >= from
    });
    late.for_each(|(header, kept)| left.extend([header, kept].concat()));
    fs::write(path, left)
}

/// Writes the first packets of a capture, with at most so many bytes of each.
///
/// # Errors
///
/// If the file cannot be read or written.
pub fn shorten(path: &Path, out: &Path, most: usize, snap: usize) -> io::Result<()> {
    let all = fs::read(path)?;
    let mut left = all.get(..SIZES[0]).unwrap_or_default().to_vec();
    for (header, kept) in records(&all).take(most) {
        let kept = &kept[..kept.len().min(snap)];
        left.extend(&header[..8]);
        left.extend((kept.len() as u32).to_le_bytes());
        left.extend(&header[12..]);
        left.extend(kept);
    }
    fs::write(out, left)
}

/// Headers of packets, and what was kept of them.
fn records(all: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut at = SIZES[0];
    std::iter::from_fn(move || {
        let header = all.get(at..at + SIZES[1])?;
        let end = at + SIZES[1] + number(header, 8) as usize;
        let kept = all.get(at + SIZES[1]..end)?;
        at = end;
        Some((header, kept))
    })
}

fn number(header: &[u8], at: usize) -> u32 {
    header.get(at..at + 4).map_or(0, |bytes| u32::from_le_bytes(bytes.try_into().expect("four")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_is_in_order_and_loses_its_begin_and_its_payload() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, short] = ["a", "b"].map(|name| folder.path().join(name));
        let taken = |ms: u64| Taken { unix_ns: ms * 1_000_000, bytes: 9, kept: vec![ms as u8; 6] };
        write(&path, 6, vec![taken(7), taken(5), taken(6)]).expect("a file");
        assert_eq!(fs::read(&path).expect("a file").len(), 24 + 3 * 22);
        cut(&path, 6_000_000).expect("a file");
        shorten(&path, &short, 9, 2).expect("a file");
        let all = fs::read(&short).expect("a file");
        let found: Vec<u8> = records(&all).map(|(_, kept)| kept[0]).collect();
        assert_eq!((all.len(), found), (24 + 2 * 18, vec![6, 7]));
    }
}
