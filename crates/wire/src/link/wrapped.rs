//! Headers before the frame of another link type: Apple's PKTAP, PPI and messages of Linux's
//! netfilter log. Sources: CACE Technologies, "Per-Packet Information Header Specification", 1.0.7;
//! tcpdump.org, LINKTYPE_NFLOG; linux/netfilter/nfnetlink_log.h.

use super::{Carried, LinkType, ParseError};
use crate::bytes::{array, rest, u16_at};

/// Length of a PKTAP header as far as the frame's type and the interface's name stand in it.
const PKTAP_NAME: core::ops::Range<usize> = 12..36;
/// Attributes of a netfilter log message that are looked through at most.
const MOST_ATTRIBUTES: usize = 256;
/// The attribute that has the packet, NFULA_PAYLOAD.
const PAYLOAD: u16 = 9;

/// The frame behind a header of PKTAP or PPI: its link type, and where it begins.
pub(super) fn inner(
    link: LinkType,
    frame: &[u8],
    at: usize,
) -> Result<(LinkType, usize), ParseError> {
    let word = |n: usize| array(frame, at + n).map(u32::from_le_bytes);
    let (len, link, least) = if link == LinkType::PPI {
        (usize::from(u16_at(frame, at + 2)?.swap_bytes()), word(4)?, 8)
    } else {
        (word(0)? as usize, word(8)?, PKTAP_NAME.end)
    };
    if len < least {
        return Err(ParseError::Malformed);
    }
    let link = u16::try_from(link).map_err(|_| ParseError::Malformed)?;
    let next = at.checked_add(len).filter(|next| *next <= frame.len());
    Ok((LinkType(link), next.ok_or(ParseError::Truncated)?))
}

/// The name of the interface at which a frame passed, if the frame says it (PKTAP).
pub fn interface_name(link: LinkType, frame: &[u8]) -> Option<&str> {
    if link != LinkType::PKTAP {
        return None;
    }
    let name = frame.get(PKTAP_NAME)?.split(|byte| *byte == 0).next()?;
    core::str::from_utf8(name).ok().filter(|name| !name.is_empty())
}

/// The packet of a netfilter log message. The message has the address family, a version of zero and
/// a resource. Attributes of length and type follow, in the byte order of the host that wrote them.
pub(super) fn nflog(frame: &[u8], at: usize) -> Result<Carried, ParseError> {
    const IPV4: u8 = 2;
    const IPV6: u8 = 10;
    let [family, version] = array(frame, at)?;
    if version != 0 {
        return Err(ParseError::Malformed);
    }
    let found = payload(frame, at + 4, u16::from_le_bytes);
    let place =
        found.or_else(|error| payload(frame, at + 4, u16::from_be_bytes).map_err(|_| error))?;
    Ok(match place {
        Some(place) if matches!(family, IPV4 | IPV6) => Carried::Ip(place),
        Some(_) => Carried::Family(family.into()),
        None => Carried::Nflog,
    })
}

/// Offset of the packet, if there is one, with numbers of this byte order.
fn payload(
    frame: &[u8],
    mut at: usize,
    number: fn([u8; 2]) -> u16,
) -> Result<Option<usize>, ParseError> {
    for _ in 0..MOST_ATTRIBUTES {
        if rest(frame, at).is_empty() {
            return Ok(None);
        }
        let (len, kind) = (number(array(frame, at)?), number(array(frame, at + 2)?));
        if len < 4 {
            return Err(ParseError::Malformed);
        }
        if kind & 0x7fff == PAYLOAD {
            return Ok(Some(at + 4));
        }
        if at + usize::from(len) > frame.len() {
            return Err(ParseError::Truncated);
        }
        at += usize::from(len).next_multiple_of(4);
    }
    Ok(None)
}
