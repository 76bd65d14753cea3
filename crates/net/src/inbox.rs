//! Packets between nodes, first in, first out.

use std::collections::VecDeque;

use airpath_base::{NodeId, Port};

use crate::Packet;

/// Packets with the nodes and ports that they are about to enter.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    /// The front, if it came when nothing waited: most do.
    front: Option<(NodeId, Port, Packet)>,
    rest: VecDeque<(NodeId, Port, Packet)>,
}

impl Inbox {
    #[inline]
    pub fn push(&mut self, node: NodeId, port: Port, packet: Packet) {
        if self.front.is_none() && self.rest.is_empty() {
            self.front = Some((node, port, packet));
        } else {
            self.rest.push_back((node, port, packet));
        }
    }

    #[inline]
    pub fn pop(&mut self) -> Option<(NodeId, Port, Packet)> {
        match self.front.take() {
            Some(front) => Some(front),
            None if self.rest.is_empty() => None,
            None => self.rest.pop_front(),
        }
    }

    pub fn clear(&mut self) {
        self.front = None;
        self.rest.clear();
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::{FlowId, Time};
    use airpath_wire::{Endpoint, Protocol, Tuple};
    use proptest::prelude::*;

    use super::*;
    use crate::Leg;

    proptest! {
        #[test]
        fn first_in_first_out(steps in prop::collection::vec(any::<bool>(), 0..60)) {
            let end = Endpoint::new([10, 0, 0, 1], 1);
            let tuple = Tuple { src: end, dst: end, protocol: Protocol::UDP };
            let (mut inbox, mut expected) = (Inbox::default(), VecDeque::new());
            for (n, push) in (0..).zip(steps) {
                if push {
                    let packet = Packet::new(FlowId(0), Leg::Data, 100, tuple, Time::ZERO);
                    inbox.push(NodeId(n), Port(0), packet);
                    expected.push_back(n);
                } else {
                    let popped = inbox.pop().map(|(node, ..)| node.0);
                    prop_assert_eq!(popped, expected.pop_front());
                }
            }
        }
    }
}
