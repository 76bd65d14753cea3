//! Who is woken next: a tournament of all nodes.
//!
//! A complete binary tree in one list for each class, in which each entry is the earlier
//! of the two below it; the nodes' own times are at its foot. A change costs a walk up
//! that ends where it changes nothing, and of equal times the left one wins.

use airpath_base::{NodeId, Time};

use crate::Class;

/// No time, after all others.
const NEVER: Time = Time::MAX;

/// A node's place in the agenda.
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

#[derive(Debug)]
struct List {
    /// The root is at 1, below n are 2n and 2n + 1; the second half are the nodes.
    tree: Vec<Time>,
    nodes: Vec<NodeId>,
}

impl Agenda {
    /// A seat for a node, behind those of its class that have one.
    pub fn admit(&mut self, class: Class, node: NodeId) -> Seat {
        let list = &mut self.lists[class as usize];
        let index = list.nodes.len();
        list.nodes.push(node);
        list.grow();
        Seat { class, index }
    }

    /// When the earliest wake-up is; [`Time::MAX`] if there is none.
    #[inline]
    pub fn first_time(&self) -> Time {
        self.lists[0].tree[1].min(self.lists[1].tree[1])
    }

    /// The node that is woken first at that time.
    #[inline]
    pub fn first_node(&self) -> Option<NodeId> {
        let [packets, radio] = &self.lists;
        let list = if packets.tree[1] <= radio.tree[1] { packets } else { radio };
        list.first_node()
    }

    /// Wakes a node at this time, and at no other; [`Time::MAX`] is never.
    #[inline]
    pub fn set(&mut self, seat: Seat, time: Time) {
        let tree = self.lists[seat.class as usize].tree.as_mut_slice();
        let mut at = tree.len() / 2 + seat.index;
        let mut least = time;
        tree[at] = time;
        while at > 1 {
            least = least.min(tree[at ^ 1]);
            at /= 2;
            if tree[at] == least {
                break;
            }
            tree[at] = least;
        }
    }
}

impl Default for List {
    fn default() -> List {
        List { tree: vec![NEVER; 2], nodes: Vec::new() }
    }
}

impl List {
    fn first_node(&self) -> Option<NodeId> {
        let (half, first) = (self.tree.len() / 2, self.tree[1]);
        let mut at = 1;
        while at < half {
            at = 2 * at + usize::from(self.tree[2 * at] != first);
        }
        self.nodes.get(at - half).copied().filter(|_| first < NEVER)
    }

    /// Makes room for all nodes.
    fn grow(&mut self) {
        let before = self.tree.len() / 2;
        let half = self.nodes.len().next_power_of_two();
        if half <= before {
            return;
        }
        let mut tree = vec![NEVER; 2 * half];
        tree[half..half + before].copy_from_slice(&self.tree[before..]);
        for n in (1..half).rev() {
            tree[n] = tree[2 * n].min(tree[2 * n + 1]);
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
                prop_assert_eq!(agenda.first_node().map(|node| node.0), least.map(|l| l.2));
                let time = least.map_or(NEVER, |l| Time::from_nanos(l.0));
                prop_assert_eq!(agenda.first_time(), time);
            }
        }
    }
}
