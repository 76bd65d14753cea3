//! A writer of pcapng captures (draft-ietf-opsawg-pcapng): one section, one
//! interface for each named point, enhanced packet blocks.
//!
//! Packets are raw IP, or what Wireshark exports, with times in nanoseconds. Left out: name resolution,
//! statistics and secrets blocks, and reading.

use std::io::{self, Write};

use airpath_base::Time;

/// Packets begin with an IPv4 or IPv6 header (LINKTYPE_RAW).
const LINKTYPE_RAW: u16 = 101;
/// Packets begin with tags that say who dissects them (LINKTYPE_WIRESHARK_UPPER_PDU).
const LINKTYPE_EXPORTED_PDU: u16 = 252;

/// Section header block (draft-ietf-opsawg-pcapng, 4.1).
pub const SECTION_HEADER: u32 = 0x0a0d_0d0a;
/// Interface description block (4.2).
pub const INTERFACE_DESCRIPTION: u32 = 1;
/// Obsolete packet block (appendix A).
pub const OBSOLETE_PACKET: u32 = 2;
/// Simple packet block (4.4).
pub const SIMPLE_PACKET: u32 = 3;
/// Enhanced packet block (4.3).
pub const ENHANCED_PACKET: u32 = 6;

/// Option that ends a list of options (3.5).
const OPT_END: u16 = 0;
/// Option with a comment (3.5).
const OPT_COMMENT: u16 = 1;
/// Option of a section with the application that wrote it (4.1).
const SHB_USERAPPL: u16 = 4;
/// Option of an interface with its name (4.2).
pub const IF_NAME: u16 = 2;
/// Option of an interface with the resolution of its times (4.2).
pub const IF_TSRESOL: u16 = 9;
/// Option of an interface with the offset of its times in seconds (4.2).
pub const IF_TSOFFSET: u16 = 14;

/// Link type: the header with which packets of an interface begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// An IPv4 or IPv6 header.
    Raw,
    /// Tags of Wireshark, as [`exported`](crate::radio::exported) has them.
    ExportedPdu,
}

/// An interface of a capture: a point at which packets were seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfaceId(u32);

/// Writes a capture.
///
/// Each block is handed to `W` with one call, so buffering pays.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    interfaces: u32,
    block: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a capture, made by `application`.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn new(out: W, application: &str) -> io::Result<Writer<W>> {
        let mut writer = Writer { out, interfaces: 0, block: Vec::new() };
        writer.begin(SECTION_HEADER);
        writer.block.extend(0x1a2b_3c4d_u32.to_le_bytes());
        writer.block.extend(1u16.to_le_bytes()); // version 1.0
        writer.block.extend(0u16.to_le_bytes());
        writer.block.extend(u64::MAX.to_le_bytes()); // length of the section unknown
        writer.option(SHB_USERAPPL, application.as_bytes());
        writer.end()?;
        Ok(writer)
    }

    /// Adds an interface of raw IP; packets there are cut to `snap` bytes, zero for never.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn add_interface(&mut self, name: &str, snap: u32) -> io::Result<InterfaceId> {
        self.add_interface_of(LinkType::Raw, name, snap)
    }

    /// Adds an interface of a link type.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn add_interface_of(
        &mut self,
        link: LinkType,
        name: &str,
        snap: u32,
    ) -> io::Result<InterfaceId> {
        let link: u16 = match link {
            LinkType::Raw => LINKTYPE_RAW,
            LinkType::ExportedPdu => LINKTYPE_EXPORTED_PDU,
        };
        self.begin(INTERFACE_DESCRIPTION);
        self.block.extend(link.to_le_bytes());
        self.block.extend(0u16.to_le_bytes());
        self.block.extend(snap.to_le_bytes());
        self.option(IF_NAME, name.as_bytes());
        self.option(IF_TSRESOL, &[9]); // 10^-9 s
        self.end()?;
        self.interfaces += 1;
        Ok(InterfaceId(self.interfaces - 1))
    }

    /// Writes a packet of `len` bytes, of which the first are `captured`.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn packet(
        &mut self,
        interface: InterfaceId,
        at: Time,
        captured: &[u8],
        len: u32,
        comment: Option<&str>,
    ) -> io::Result<()> {
        let nanos = at.as_nanos();
        self.begin(ENHANCED_PACKET);
        self.block.extend(interface.0.to_le_bytes());
        self.block.extend(((nanos >> 32) as u32).to_le_bytes());
        self.block.extend((nanos as u32).to_le_bytes());
        self.block.extend((captured.len() as u32).to_le_bytes());
        self.block.extend(len.to_le_bytes());
        self.block.extend(captured);
        self.pad();
        if let Some(comment) = comment {
            self.option(OPT_COMMENT, comment.as_bytes());
        }
        self.end()
    }

    /// Hands out what is buffered, and the output.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.block.extend(kind.to_le_bytes());
        self.block.extend([0; 4]); // length, filled in at the end
    }

    /// Appends an option; a value too long for its length field is cut, text not
    /// within a character.
    fn option(&mut self, code: u16, value: &[u8]) {
        let mut len = value.len().min(usize::from(u16::MAX));
        while len < value.len() && value[len] & 0xc0 == 0x80 {
            len -= 1;
        }
        self.block.extend(code.to_le_bytes());
        self.block.extend((len as u16).to_le_bytes());
        self.block.extend(&value[..len]);
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn end(&mut self) -> io::Result<()> {
        self.block.extend(OPT_END.to_le_bytes());
        self.block.extend(0u16.to_le_bytes());
        let len = (self.block.len() as u32 + 4).to_le_bytes();
        self.block[4..8].copy_from_slice(&len);
        self.block.extend(len);
        self.out.write_all(&self.block)
    }
}

#[cfg(test)]
#[path = "pcapng_tests.rs"]
mod tests;
