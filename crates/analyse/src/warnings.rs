//! Faults of a capture, and their offsets.
//!
//! There is one warning for each kind of trouble and file, with its first offset and its count. A
//! file full of trouble therefore does not fill the memory.

use std::fmt;

/// Greatest number of kinds of trouble; further ones are counted together.
const MOST: usize = 256;

/// One kind of trouble in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The file.
    pub file: String,
    /// Offset of the first occurrence: bytes from the beginning of the (decompressed) file.
    pub offset: u64,
    /// Description of the trouble.
    pub what: String,
    /// Number of occurrences.
    pub count: u64,
}

/// All trouble, in the order of first occurrence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings {
    file: String,
    list: Vec<Warning>,
    /// Index in the list of the first warning of the current file.
    current: usize,
    /// The packet within which the current file ends.
    cut: Option<u64>,
}

impl Warnings {
    /// Begins another file for the following trouble.
    pub(crate) fn begin(&mut self, file: &str) {
        file.clone_into(&mut self.file);
        self.current = self.list.len();
        self.cut = None;
    }

    /// Notes that the file ends within the packet at `offset`.
    pub(crate) fn add_cut(&mut self, offset: u64) {
        self.cut = Some(offset);
        self.add(offset, "the file ends within this packet");
    }

    /// Notes a packet that cannot be read, unless that is because the file ends within it.
    pub(crate) fn add_unreadable(&mut self, offset: u64, what: &str) {
        if self.cut != Some(offset) {
            self.add(offset, what);
        }
    }

    /// Notes trouble.
    pub(crate) fn add(&mut self, offset: u64, what: &str) {
        self.add_many(offset, what, 1);
    }

    /// Notes trouble that was met so often.
    pub(crate) fn add_many(&mut self, offset: u64, what: &str, count: u64) {
        if let Some(known) = self.list[self.current..].iter_mut().find(|w| w.what == what) {
            known.count += count;
        } else if self.list.len() < MOST {
            let file = self.file.clone();
            self.list.push(Warning { file, offset, what: what.into(), count });
        } else if let Some(last) = self.list.last_mut() {
            last.count += count;
            "further trouble, from here on".clone_into(&mut last.what);
        }
    }

    pub(crate) fn into_list(self) -> Vec<Warning> {
        self.list
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: byte {}: {}", self.file, self.offset, self.what)?;
        match self.count {
            1 => Ok(()),
            n => write!(f, " ({n} times)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_trouble_is_counted_at_its_first_place() {
        let mut warnings = Warnings::default();
        warnings.begin("a.pcap");
        warnings.add(24, "cut");
        warnings.add(99, "cut");
        warnings.begin("b.pcap");
        warnings.add(7, "cut");
        let list: Vec<String> = warnings.into_list().iter().map(ToString::to_string).collect();
        assert_eq!(list, ["a.pcap: byte 24: cut (2 times)", "b.pcap: byte 7: cut"]);
    }

    #[test]
    fn a_packet_that_is_cut_is_one_trouble() {
        let mut warnings = Warnings::default();
        warnings.begin("a.pcap");
        warnings.add_unreadable(24, "header");
        warnings.add_cut(99);
        warnings.add_unreadable(99, "header");
        warnings.begin("b.pcap");
        warnings.add_unreadable(99, "header");
        let list: Vec<String> = warnings.into_list().iter().map(ToString::to_string).collect();
        let cut = "a.pcap: byte 99: the file ends within this packet";
        assert_eq!(list, ["a.pcap: byte 24: header", cut, "b.pcap: byte 99: header"]);
    }

    #[test]
    fn no_amount_of_trouble_fills_the_memory() {
        let mut warnings = Warnings::default();
        warnings.begin("a.pcap");
        for n in 0..10_000 {
            warnings.add(n, &format!("trouble {n}"));
        }
        assert_eq!(warnings.into_list().len(), MOST);
    }
}
