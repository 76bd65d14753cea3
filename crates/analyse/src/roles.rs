//! Client of a flow.
//!
//! The reader of a capture names the client of each packet before the packet's flow is known. One
//! thread analyses all flows of a client. Options and ports need no memory. A SYN that contradicts
//! the ports is remembered, and so is the first sender if the ports do not decide. The number of
//! remembered flows is bounded, and the ones not seen for longest are forgotten first.

use airpath_base::{Duration, Time};
use airpath_wire::{Protocol, TcpFlags};
use hashbrown::HashMap;

use crate::key::Key;
use crate::options::Options;

/// Ports of servers: the well-known ones, and below those that clients choose (IANA; RFC
/// 6335, 6).
const WELL_KNOWN: u16 = 1024;
const DYNAMIC: u16 = 32_768;
/// Two SYNs from both ends within this begin one connection (RFC 9293, 3.5).
const SIMULTANEOUS: Duration = Duration::from_secs(10);
/// SYNs that are remembered, by a number of their flow; later ones replace them.
const RECENT: usize = 4_096;
/// Part of the memory that is for what is remembered, and what each of it takes, in bytes.
const PART: usize = 16;
const EACH: usize = 128;

/// Tells who is the client.
#[derive(Debug)]
pub(crate) struct Roles {
    options: Options,
    young: HashMap<Key, Learnt>,
    old: HashMap<Key, Learnt>,
    most: usize,
    /// SYNs that say what the ports say: a number of the flow, and when it passed.
    recent: Vec<(u64, Time)>,
}

#[derive(Clone, Copy, Debug)]
struct Learnt {
    client: u8,
    /// Time of the SYN that decided.
    syn: Option<Time>,
}

impl Roles {
    pub(crate) fn new(options: &Options) -> Roles {
        let most = (options.memory / PART / EACH / 2).max(8);
        let (young, old) = (HashMap::new(), HashMap::new());
        Roles { options: options.clone(), young, old, most, recent: Vec::new() }
    }

    /// True if a packet of this end's is of those that count.
    #[inline]
    pub(crate) fn counts(&self, key: &Key, side: usize) -> bool {
        let Options { port, select, .. } = &self.options;
        port.is_none_or(|port| [key.port(0), key.port(1)].contains(&port))
            && select.as_ref().is_none_or(|filter| filter.holds(key, side))
    }

    /// The client's side, given who sent this packet, and with which flags if it is TCP.
    #[inline]
    pub(crate) fn client(
        &mut self,
        key: &Key,
        sender: usize,
        at: Time,
        flags: Option<TcpFlags>,
    ) -> usize {
        let ports = by_port(key);
        let flags = flags.unwrap_or(TcpFlags(0));
        if let Some(side) = self.told(key) {
            return side;
        }
        if flags.contains(TcpFlags::SYN) {
            let ack = flags.contains(TcpFlags::ACK);
            return self.syn(key, if ack { 1 - sender } else { sender }, ports, at, ack);
        }
        self.remembered(key).map_or_else(
            || ports.unwrap_or_else(|| self.learn(key, sender, None)),
            |learnt| usize::from(learnt.client),
        )
    }

    /// Client by the options.
    fn told(&self, key: &Key) -> Option<usize> {
        let nets = &self.options.clients;
        if !nets.is_empty() {
            let within = |side| nets.iter().any(|net| net.contains(key.end(side).addr));
            match (within(0), within(1)) {
                (true, false) => return Some(0),
                (false, true) => return Some(1),
                _ => {}
            }
        }
        let port = self.options.port?;
        let has = |side| key.port(side) == port;
        (has(0) != has(1)).then(|| usize::from(has(0)))
    }

    fn syn(&mut self, key: &Key, said: usize, ports: Option<usize>, at: Time, ack: bool) -> usize {
        if let Some(known) = self.remembered(key) {
            let side = usize::from(known.client);
            let recent = |syn: Time| at.saturating_since(syn) < SIMULTANEOUS;
            if side == said || ack || known.syn.is_some_and(recent) {
                return side;
            }
        } else if ports == Some(said) {
            self.note(key, at);
            return said;
        } else if let Some(side) = ports.filter(|_| self.noted(key, at)) {
            return side;
        }
        self.learn(key, said, Some(at))
    }

    /// Notes a SYN that says what the ports say.
    fn note(&mut self, key: &Key, at: Time) {
        if self.recent.is_empty() {
            self.recent = vec![(0, Time::ZERO); RECENT];
        }
        let number = number(key);
        self.recent[number as usize % RECENT] = (number, at);
    }

    /// True if such a SYN has passed recently.
    fn noted(&self, key: &Key, at: Time) -> bool {
        let number = number(key);
        let place = self.recent.get(number as usize % RECENT);
        place.is_some_and(|(own, syn)| *own == number && at.saturating_since(*syn) < SIMULTANEOUS)
    }

    fn learn(&mut self, key: &Key, side: usize, syn: Option<Time>) -> usize {
        if self.young.len() >= self.most {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(*key, Learnt { client: side as u8, syn });
        side
    }

    fn remembered(&mut self, key: &Key) -> Option<Learnt> {
        if let Some(known) = self.young.get(key) {
            return Some(*known);
        }
        if self.old.is_empty() {
            return None; // the common case, without a hash
        }
        let known = self.old.remove(key)?;
        self.learn(key, usize::from(known.client), known.syn);
        Some(known)
    }
}

/// A number for a flow, whose lowest bits are spread.
fn number(key: &Key) -> u64 {
    let spread = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = key.words().into_iter().fold(1, |hash, word| spread(hash, word).rotate_left(29));
    hash ^ hash >> 32
}

/// Client by the ports.
#[inline]
fn by_port(key: &Key) -> Option<usize> {
    let server_below = |bound| match (key.port(0) < bound, key.port(1) < bound) {
        (true, false) => Some(1),
        (false, true) => Some(0),
        _ => None,
    };
    server_below(WELL_KNOWN).or_else(|| server_below(DYNAMIC))
}

/// The flags of a TCP segment, looked at before it is read as a whole.
#[inline]
pub(crate) fn flags(protocol: Protocol, below: &[u8]) -> Option<TcpFlags> {
    let flags = (protocol == Protocol::TCP).then(|| below.get(13)).flatten()?;
    Some(TcpFlags(u16::from(*flags)))
}

#[cfg(test)]
#[path = "roles_tests.rs"]
mod tests;
