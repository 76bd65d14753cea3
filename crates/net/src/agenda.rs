//! The next wake-up of all nodes, by a tournament.
//!
//! One list for each class holds a complete binary tree, in which each entry is the earlier of the
//! two below it. The nodes' own times are at its foot. A change costs a walk up that ends at the
//! first entry that stays. Of equal times the left one wins.

use airpath_base::{NodeId, Time};

use crate::Class;

/// No time, after all others.
const NEVER: Time = Time::MAX;

/// Position of a node in the agenda.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    class: Class,
    index: usize,
}

/// One pending wake-up at most for each node.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    /// By class.
    lists: [List; 2],
}

/// A node with its time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    time: Time,
    node: NodeId,
}

#[derive(Debug)]
struct List {
    /// The root is at 1, below n are 2n and 2n + 1; the second half are the nodes.
    tree: Vec<Entry>,
    nodes: usize,
}

/// A foot of the tree without a node.
const VACANT: Entry = Entry { time: NEVER, node: NodeId(u32::MAX) };

impl Agenda {
    /// A seat for a node, behind those of its class that have one.
    pub fn admit(&mut self, class: Class, node: NodeId) -> Seat {
        let list = &mut self.lists[class as usize];
        let index = list.nodes;
        list.nodes += 1;
        list.grow();
        let foot = list.tree.len() / 2;
        list.tree[foot + index].node = node;
        Seat { class, index }
    }

    /// The earliest wake-up and whose it is.
    #[inline]
    pub fn first(&self) -> Option<(Time, NodeId)> {
        let [packets, radio] = &self.lists;
        let Entry { time, node } = packets.tree[1].before(radio.tree[1]);
        (time < NEVER).then_some((time, node))
    }

    /// Wakes a node at this time, and at no other; [`Time::MAX`] is never.
    #[inline]
    pub fn set(&mut self, seat: Seat, time: Time) {
        let tree = self.lists[seat.class as usize].tree.as_mut_slice();
        let mut at = tree.len() / 2 + seat.index;
        tree[at].time = time;
        while at > 1 {
            at /= 2;
            let (pairs, _) = tree.as_chunks();
            let [left, right]: [Entry; 2] = pairs[at];
            let (first, known) = (left.before(right), &mut tree[at]);
            if *known == first {
                break;
            }
            *known = first;
        }
    }
}

impl Entry {
    /// The earlier of the two, and this one of equals.
    #[inline]
    fn before(self, other: Entry) -> Entry {
        if self.time <= other.time { self } else { other }
    }
}

impl Default for List {
    fn default() -> List {
        List { tree: vec![VACANT; 2], nodes: 0 }
    }
}

impl List {
    /// Makes room for all nodes.
    fn grow(&mut self) {
        let before = self.tree.len() / 2;
        let half = self.nodes.next_power_of_two();
        if half <= before {
            return;
        }
        let mut tree = vec![VACANT; 2 * half];
        tree[half..half + before].copy_from_slice(&self.tree[before..]);
        for n in (1..half).rev() {
            tree[n] = tree[2 * n].before(tree[2 * n + 1]);
        }
        self.tree = tree;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_is_the_least(
            nodes in 1u32..40,
            changes in prop::collection::vec((0u32..40, prop::option::of(0u64..20)), 0..200),
        ) {
            let (mut agenda, mut expected) = (Agenda::default(), BTreeMap::new());
            let class = |n: u32| if n % 3 == 1 { Class::Radio } else { Class::Packets };
            let mut seats = Vec::new();
            for (step, (n, due)) in changes.into_iter().enumerate() {
                if step % 2 == 0 && seats.len() < nodes as usize || seats.is_empty() {
                    let node = seats.len() as u32;
                    seats.push(agenda.admit(class(node), NodeId(node)));
                }
                let n = n % seats.len() as u32;
                agenda.set(seats[n as usize], due.map_or(NEVER, Time::from_nanos));
                match due {
                    Some(due) => _ = expected.insert(n, (due, class(n), n)),
                    None => _ = expected.remove(&n),
                }
                let least = expected.values().min();
                let first = agenda.first().map(|(time, node)| (time.as_nanos(), node.0));
                prop_assert_eq!(first, least.map(|(time, _, node)| (*time, *node)));
            }
        }
    }
}
