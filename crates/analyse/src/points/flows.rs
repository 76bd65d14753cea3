//! The flows of two points.

use hashbrown::HashMap;

use super::clocks::Clocks;
use super::feed::Passed;
use super::identity::Invariants;
use super::matching::Waiting;
use super::survey::Toward;
use super::way::Way;
use crate::key::Key;
use crate::options::Options;
use crate::roles::Roles;

/// Greatest number of flows; packets of others are left out.
const MOST: usize = 100_000;

/// Packets of a flow that are kept to find its direction once the clocks are known.
const MOST_SIGHTS: usize = 32;

/// A flow, and what became of its packets.
#[derive(Debug)]
pub(super) struct PairFlow {
    /// Keys at the two points, if seen there; a key contains the client's side.
    pub(super) keys: [Option<Key>; 2],
    /// First packet, by the first point's clock.
    pub(super) start: i64,
    /// Packets at each point.
    pub(super) seen: [u64; 2],
    /// True if packets of the lesser end pass the first point first; none if unknown.
    toward: Option<bool>,
    /// Sides of packets that passed both points, and the two stamps, while the direction is
    /// unknown.
    sights: Vec<(usize, [i64; 2])>,
    /// True if any packet passed both points.
    pub(super) common: bool,
    /// By how much the last packet of each side was later at the second point.
    last: [Option<i64>; 2],
    /// By side.
    pub(super) ways: [Way; 2],
    /// The flow that this is, seen behind an address translator; whether sides are exchanged.
    same: Option<(u32, bool)>,
}

/// All flows.
pub(super) struct Flows {
    by: Invariants,
    known: HashMap<(usize, Key), u32>,
    pub(super) list: Vec<PairFlow>,
    roles: Roles,
    /// Directions of flows, from samples.
    toward: Toward,
    /// True if the points have one clock.
    pub(super) one_clock: bool,
    /// Packets that are left out.
    pub(super) left_out: u64,
}

impl Flows {
    pub(super) fn new(options: &Options, by: Invariants, toward: Toward) -> Flows {
        let (known, list) = (HashMap::new(), Vec::new());
        let roles = Roles::new(options);
        Flows { by, known, list, roles, toward, one_clock: false, left_out: 0 }
    }

    /// Number of reported flows with an unknown direction.
    pub(super) fn unplaced(&self) -> u64 {
        let unplaced = |flow: &&PairFlow| flow.is_told() && flow.toward.is_none();
        self.list.iter().filter(unplaced).count() as u64
    }

    /// True if flows with other ports, or beyond the greatest number, are left out.
    pub(super) fn counts(&self, passed: &Passed) -> bool {
        self.roles.counts(&passed.key, passed.side)
    }

    /// The flow of a packet, and which of its sides sent it; none if there are too many.
    pub(super) fn of(&mut self, passed: &Passed, point: usize, at: i64) -> Option<(u32, usize)> {
        let place = if self.by.has_addresses() { 0 } else { point };
        let number = match self.known.get(&(place, passed.key)) {
            Some(number) => *number,
            None => self.begin(passed, (place, point), at)?,
        };
        let (number, side) = self.real(number, passed.side);
        let flow = &mut self.list[number as usize];
        if flow.keys[point].is_none() && self.by.has_addresses() {
            flow.keys[point] = flow.keys[1 - point];
        }
        Some((number, side))
    }

    fn begin(&mut self, passed: &Passed, (place, point): (usize, usize), at: i64) -> Option<u32> {
        if self.list.len() >= MOST {
            self.left_out += 1;
            return None;
        }
        let number = self.list.len() as u32;
        let time = airpath_base::Time::from_nanos(at.unsigned_abs());
        let client = self.roles.client(&passed.key, passed.side, time, passed.flags);
        let mut keys = [None; 2];
        keys[point] = Some(passed.key.with_client(client));
        let toward = self.toward.of(passed);
        self.list.push(PairFlow {
            keys,
            start: at,
            seen: [0; 2],
            toward,
            sights: Vec::new(),
            common: false,
            last: [None; 2],
            ways: [Way::default(), Way::default()],
            same: None,
        });
        self.known.insert((place, passed.key), number);
        Some(number)
    }

    /// The flow that stands for one, and the side there.
    pub(super) fn real(&self, number: u32, side: usize) -> (u32, usize) {
        match self.list[number as usize].same {
            Some((other, exchanged)) => (other, if exchanged { 1 - side } else { side }),
            None => (number, side),
        }
    }

    /// By how much the packet before a waiting one was later at the second point.
    pub(super) fn last(&self, waiting: &Waiting) -> Option<i64> {
        let (number, side) = self.real(waiting.flow, waiting.side);
        self.list[number as usize].last[side]
    }

    /// A packet passed both points: `first` the first one. Gives its flow and side.
    pub(super) fn found(&mut self, first: &Waiting, second: &Waiting) -> (u32, usize) {
        let (number, side) = self.real(first.flow, first.side);
        let (other, other_side) = self.real(second.flow, second.side);
        if other != number {
            self.list[other as usize].same = Some((number, side != other_side));
            let key = self.list[other as usize].keys[1];
            let seen = self.list[other as usize].seen;
            let flow = &mut self.list[number as usize];
            flow.keys[1] = key.map(|key| client_as(key, flow.keys[0], side != other_side));
            flow.seen = [flow.seen[0] + seen[0], flow.seen[1] + seen[1]];
        }
        let flow = &mut self.list[number as usize];
        let under_way = second.at - first.at;
        flow.common = true;
        if flow.toward.is_none() {
            // Each hop lowers the TTL. Without any, only a clock that is known tells.
            let ahead = match first.ttl.cmp(&second.ttl) {
                core::cmp::Ordering::Equal => self.one_clock.then_some(under_way >= 0),
                order => Some(order.is_gt()),
            };
            flow.toward = ahead.map(|ahead| ahead == (side == 0));
            if flow.toward.is_none() && flow.sights.len() < MOST_SIGHTS {
                flow.sights.push((side, [first.stamp, second.stamp]));
            }
        }
        flow.last[side] = Some(under_way);
        (number, side)
    }

    /// Finds the direction of the flows for which it is unknown, after the other flows have set the
    /// clocks. All packets of one direction must pass the same point later.
    pub(super) fn placed_by(&mut self, clocks: Clocks) {
        for flow in self.list.iter_mut().filter(|flow| flow.toward.is_none()) {
            let sights = std::mem::take(&mut flow.sights);
            let ways = || {
                sights.iter().filter_map(|(side, [first, second])| {
                    let later = clocks.to_first(*second) - first;
                    (later != 0).then_some((later > 0) == (*side == 0))
                })
            };
            flow.toward = ways().next().filter(|toward| ways().all(|way| way == *toward));
        }
    }
}

/// Key of a flow with the client that the other point's key has.
fn client_as(key: Key, other: Option<Key>, exchanged: bool) -> Key {
    let client = other.map_or(key.client(), |other| other.client());
    key.with_client(if exchanged { 1 - client } else { client })
}

impl PairFlow {
    /// True if packets of this side pass the first point first; none if unknown.
    pub(super) fn goes_forward(&self, side: usize) -> Option<bool> {
        self.toward.map(|toward| toward == (side == 0))
    }

    /// True if the flow is reported: it passes both points, and is not another flow's second sight.
    pub(super) fn is_told(&self) -> bool {
        self.common && self.same.is_none()
    }

    /// The side of its client.
    pub(super) fn client(&self) -> usize {
        self.keys.iter().flatten().next().map_or(0, Key::client)
    }
}
