//! Who is woken next: a tournament of all nodes.
//!
//! A complete binary tree in one list, in which each entry is the earlier of the two
//! below it; the nodes' own wake-ups are at its foot. A change costs a walk up that ends
//! where it changes nothing.

use airpath_base::{NodeId, Time};

use crate::Class;

/// A pending wake-up: time, class and node in one number that orders by them in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wake(u128);

impl Wake {
    /// No wake-up, after all others.
    const NEVER: Wake = Wake(u128::MAX);

    pub fn new(time: Time, class: Class, node: NodeId) -> Wake {
        let place = u64::from(class as u32) << 32 | u64::from(node.0);
        Wake(u128::from(time.as_nanos()) << 64 | u128::from(place))
    }

    pub fn time(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    pub fn node(self) -> NodeId {
        NodeId(self.0 as u32)
    }
}

/// One pending wake-up at most for each node.
#[derive(Debug)]
pub(crate) struct Agenda {
    /// The root is at 1, below n are 2n and 2n + 1; the second half are the nodes.
    tree: Vec<Wake>,
}

impl Default for Agenda {
    fn default() -> Agenda {
        Agenda { tree: vec![Wake::NEVER; 2] }
    }
}

impl Agenda {
    /// The earliest wake-up.
    #[inline]
    pub fn first(&self) -> Option<Wake> {
        Some(self.tree[1]).filter(|wake| *wake != Wake::NEVER)
    }

    /// Makes room for nodes with numbers up to this one.
    pub fn admit(&mut self, node: NodeId) {
        let before = self.tree.len() / 2;
        if node.index() < before {
            return;
        }
        let half = (node.index() + 1).next_power_of_two();
        let mut tree = vec![Wake::NEVER; 2 * half];
        tree[half..half + before].copy_from_slice(&self.tree[before..]);
        for n in (1..half).rev() {
            tree[n] = tree[2 * n].min(tree[2 * n + 1]);
        }
        self.tree = tree;
    }

    /// Replaces the wake-up of its node, which has been admitted.
    #[inline]
    pub fn set(&mut self, wake: Wake) {
        self.replace(wake.node(), wake);
    }

    /// The node, which has been admitted, is not to be woken.
    #[inline]
    pub fn clear(&mut self, node: NodeId) {
        self.replace(node, Wake::NEVER);
    }

    fn replace(&mut self, node: NodeId, wake: Wake) {
        let tree = self.tree.as_mut_slice();
        let mut at = tree.len() / 2 + node.index();
        let mut least = wake;
        tree[at] = wake;
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_is_the_least(
            changes in prop::collection::vec((0u32..70, prop::option::of(0u64..40)), 0..300)
        ) {
            let (mut agenda, mut expected) = (Agenda::default(), BTreeMap::new());
            for (n, due) in changes {
                let (node, class) = (NodeId(n), [Class::Packets, Class::Radio][n as usize % 2]);
                agenda.admit(node);
                match due.map(Time::from_nanos) {
                    Some(due) => {
                        agenda.set(Wake::new(due, class, node));
                        expected.insert(n, (due, class, n));
                    }
                    None => {
                        agenda.clear(node);
                        expected.remove(&n);
                    }
                }
                let first = agenda.first().map(|wake| (wake.time(), wake.node().0));
                prop_assert_eq!(first, expected.values().min().map(|least| (least.0, least.2)));
            }
        }
    }
}
