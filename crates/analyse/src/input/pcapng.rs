//! pcapng (draft-ietf-opsawg-pcapng): sections of either byte order, several
//! interfaces with their own clocks; enhanced, simple and obsolete packet blocks.
//! Other blocks are stepped over.

use std::borrow::Cow;
use std::io::{self, Read};

use airpath_base::Time;
use airpath_wire::link::LinkType;
pub(super) use airpath_wire::pcapng::SECTION_HEADER;
use airpath_wire::pcapng::{
    ENHANCED_PACKET, IF_NAME, IF_TSOFFSET, IF_TSRESOL, INTERFACE_DESCRIPTION, OBSOLETE_PACKET,
    SIMPLE_PACKET,
};

use super::buffer::Buffer;
use super::pcap::number;
use super::{Found, LONGEST, Step, whole};
use crate::interfaces::Interfaces;
use crate::warnings::Warnings;

/// Interfaces of a section that are distinguished.
const MOST_INTERFACES: usize = 1 << 16;

#[derive(Default)]
pub(super) struct Pcapng {
    big_endian: bool,
    interfaces: Vec<Interface>,
    /// The time of the last packet: simple packets have none of their own.
    last: Time,
}

#[derive(Clone, Copy)]
struct Interface {
    link: LinkType,
    snap: u32,
    /// Units of time in a second: 10^n, or 2^n.
    resolution: Resolution,
    /// Added to all times, in seconds.
    offset: i64,
    /// Number among all interfaces that were seen.
    id: u32,
}

#[derive(Clone, Copy)]
enum Resolution {
    Decimal(u32),
    Binary(u32),
}

impl Pcapng {
    pub(super) fn step<R: Read>(
        &mut self,
        buffer: &mut Buffer<R>,
        warnings: &mut Warnings,
        interfaces: &mut Interfaces,
    ) -> io::Result<Step> {
        if !whole(buffer, 12, warnings)? {
            return Ok(Step::End);
        }
        let head = buffer.bytes();
        let kind = number(head, 0, self.big_endian);
        if kind == SECTION_HEADER {
            match number(head, 8, true) {
                0x1a2b_3c4d => self.big_endian = true,
                0x4d3c_2b1a => self.big_endian = false,
                _ => return Ok(lost(buffer, warnings, "a section without byte order")),
            }
            self.interfaces.clear();
        }
        let len = number(buffer.bytes(), 4, self.big_endian);
        if len < 12 || !len.is_multiple_of(4) {
            return Ok(lost(buffer, warnings, "a block of impossible length"));
        }
        let wanted = matches!(
            kind,
            INTERFACE_DESCRIPTION | OBSOLETE_PACKET | SIMPLE_PACKET | ENHANCED_PACKET
        );
        if !wanted {
            if !buffer.skip(u64::from(len))? {
                warnings.add(buffer.offset(), "the file ends within this block");
                return Ok(Step::End);
            }
            return Ok(Step::Again);
        }
        if len as usize > LONGEST {
            return Ok(lost(buffer, warnings, "a packet of impossible length"));
        }
        if !buffer.fill(len as usize)? {
            warnings.add_cut(buffer.offset());
        }
        let found = self.block(kind, len as usize, buffer.bytes(), interfaces);
        let there = buffer.bytes().len().min(len as usize);
        match found {
            Ok(Some(found)) => Ok(Step::Frame(Found { consume: there, ..found })),
            Ok(None) => {
                buffer.consume(there);
                Ok(Step::Again)
            }
            Err(what) => {
                warnings.add_unreadable(buffer.offset(), what);
                buffer.consume(there);
                Ok(Step::Again)
            }
        }
    }

    /// Reads a block of `len` bytes, of which perhaps not all are there.
    fn block(
        &mut self,
        kind: u32,
        len: usize,
        bytes: &[u8],
        interfaces: &mut Interfaces,
    ) -> Result<Option<Found>, &'static str> {
        let body = &bytes[..bytes.len().min(len)];
        match kind {
            INTERFACE_DESCRIPTION => self.describe(body, interfaces).map(|()| None),
            SIMPLE_PACKET => self.simple(len, body).map(Some),
            kind => self.packet(kind, len, body).map(Some),
        }
    }

    fn describe(&mut self, block: &[u8], all: &mut Interfaces) -> Result<(), &'static str> {
        if block.len() < 20 {
            return Err("an interface without description");
        }
        if self.interfaces.len() >= MOST_INTERFACES {
            return Err("too many interfaces");
        }
        let (link, snap) = (half(block, 8, self.big_endian), number(block, 12, self.big_endian));
        let (link, resolution) = (LinkType(link), Resolution::Decimal(6));
        let mut interface = Interface { link, snap, resolution, offset: 0, id: 0 };
        let name = self.options(&block[16..block.len() - 4], &mut interface);
        interface.id = all.of_file(self.interfaces.len() as u32, name.as_deref());
        self.interfaces.push(interface);
        Ok(())
    }

    /// Reads an interface's options; gives its name, if it has one.
    fn options<'a>(
        &self,
        mut options: &'a [u8],
        interface: &mut Interface,
    ) -> Option<Cow<'a, str>> {
        let mut name = None;
        while options.len() >= 4 {
            let code = half(options, 0, self.big_endian);
            let len = usize::from(half(options, 2, self.big_endian));
            let Some(value) = options.get(4..4 + len) else { break };
            match (code, value) {
                (0, _) => break,
                (IF_NAME, value) if !value.is_empty() => {
                    name = Some(String::from_utf8_lossy(value.trim_ascii()));
                }
                (IF_TSRESOL, &[bits]) => {
                    let power = u32::from(bits & 0x7f);
                    interface.resolution = match bits & 0x80 {
                        0 => Resolution::Decimal(power),
                        _ => Resolution::Binary(power),
                    };
                }
                (IF_TSOFFSET, value) if len == 8 => {
                    let (a, b) =
                        (number(value, 0, self.big_endian), number(value, 4, self.big_endian));
                    let (high, low) = if self.big_endian { (a, b) } else { (b, a) };
                    interface.offset = (u64::from(high) << 32 | u64::from(low)) as i64;
                }
                _ => {}
            }
            options = options.get(4 + len.next_multiple_of(4)..).unwrap_or_default();
        }
        name
    }

    fn simple(&mut self, len: usize, block: &[u8]) -> Result<Found, &'static str> {
        let interface = self.interfaces.first().ok_or("a packet of an unknown interface")?;
        let whole = number(block, 8, self.big_endian);
        let room = (len - 16.min(len)) as u32;
        let snap = if interface.snap == 0 { u32::MAX } else { interface.snap };
        let captured = whole.min(snap).min(room) as usize;
        let end = (12 + captured).min(block.len());
        let at = self.last;
        Ok(Found {
            at,
            timed: false,
            link: interface.link,
            interface: interface.id,
            len: whole,
            start: 12,
            end,
            consume: 0,
            offset: 0,
        })
    }

    fn packet(&mut self, kind: u32, len: usize, block: &[u8]) -> Result<Found, &'static str> {
        if block.len() < 28 || len < 32 {
            return Err("a packet without its header");
        }
        let word = |at| number(block, at, self.big_endian);
        let interface = match kind {
            OBSOLETE_PACKET => u32::from(half(block, 8, self.big_endian)),
            _ => word(8),
        };
        let known = self.interfaces.get(interface as usize);
        let known = known.ok_or("a packet of an unknown interface")?;
        let at = known.time(u64::from(word(12)) << 32 | u64::from(word(16)));
        let captured = word(20) as usize;
        if captured > len - 32 {
            return Err("a packet longer than its block");
        }
        let (link, interface) = (known.link, known.id);
        let end = (28 + captured).min(block.len());
        self.last = at;
        let len = word(24);
        let timed = true;
        Ok(Found { at, timed, link, interface, len, start: 28, end, consume: 0, offset: 0 })
    }
}

impl Interface {
    /// A time in nanoseconds, as far as they go.
    fn time(&self, units: u64) -> Time {
        let nanos = match self.resolution {
            Resolution::Decimal(n) if n <= 9 => u128::from(units) * 10u128.pow(9 - n),
            Resolution::Decimal(n) => match 10u128.checked_pow(n - 9) {
                Some(divisor) => u128::from(units) / divisor,
                None => 0,
            },
            Resolution::Binary(n) => (u128::from(units) * 1_000_000_000) >> n,
        };
        let nanos = i128::try_from(nanos).unwrap_or(i128::MAX);
        let nanos = nanos.saturating_add(i128::from(self.offset) * 1_000_000_000);
        // Up to the year 2262, so that differences and signed columns hold it.
        Time::from_nanos(nanos.clamp(0, i128::from(i64::MAX)) as u64)
    }
}

/// Ends the reading with a warning: nothing more can be found.
fn lost<R: Read>(buffer: &Buffer<R>, warnings: &mut Warnings, what: &str) -> Step {
    warnings.add(buffer.offset(), &format!("{what}; what follows cannot be found"));
    Step::End
}

fn half(bytes: &[u8], at: usize, big_endian: bool) -> u16 {
    let bytes = [bytes[at], bytes[at + 1]];
    if big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
}
