//! What the tests of both modes share: a bearer, its packets and its books.

use airpath_base::{BearerId, FlowId, Time};
use airpath_net::testing::Bench;
use airpath_net::{Direction, Leg, Packet};
use airpath_wire::{Endpoint, Protocol, Tuple};

use super::{Channel, Config, HeaderModel, Mode, Pdu, QueueLimit};

/// The direction of most tests.
pub const DOWN: Direction = Direction::Downlink;

/// A bearer on a bench.
pub struct Rig {
    pub bench: Bench,
    pub channel: Channel,
    /// What has been handed up, in order.
    pub delivered: Vec<Packet>,
    pub offered: u64,
    refused: u64,
}

pub fn config(mode: Mode) -> Config {
    Config {
        mode,
        header: HeaderModel::Standard,
        downlink_queue: QueueLimit::Unlimited,
        uplink_queue: QueueLimit::Unlimited,
    }
}

pub fn packet(number: u64, size: u32, born: Time) -> Packet {
    let end = Endpoint { addr: core::net::IpAddr::from([10, 0, 0, 1]), port: 1 };
    let tuple = Tuple { src: end, dst: end, protocol: Protocol::UDP };
    let mut packet = Packet::new(FlowId(0), Leg::Data, size, tuple, born);
    packet.number = number;
    packet
}

impl Rig {
    pub fn new(config: &Config) -> Rig {
        Rig {
            bench: Bench::new(),
            channel: Channel::new(BearerId(0), config),
            delivered: Vec::new(),
            offered: 0,
            refused: 0,
        }
    }

    /// Offers a packet of `size` bytes, without PDCP header.
    pub fn offer(&mut self, now: Time, size: u32) -> bool {
        let packet = packet(self.offered, size, now);
        self.offered += 1;
        let accepted = self.channel.enqueue(DOWN, now, packet, 0, &mut self.bench.cx(now)).is_ok();
        self.refused += u64::from(!accepted);
        accepted
    }

    pub fn build(&mut self, direction: Direction, now: Time, room: u32) -> Option<Pdu> {
        self.channel.build(direction, now, room, &mut self.bench.cx(now))
    }

    pub fn receive(&mut self, direction: Direction, now: Time, pdu: Pdu, first_attempt: Time) {
        let Rig { bench, channel, delivered, .. } = self;
        let mut out = |_, packet| delivered.push(packet);
        channel.receive(direction, now, pdu, first_attempt, &mut bench.cx(now), &mut out);
    }

    pub fn lose(&mut self, direction: Direction, now: Time, pdu: Pdu) {
        self.channel.lost(direction, pdu, &mut self.bench.cx(now));
    }

    pub fn wake(&mut self, now: Time) {
        let Rig { bench, channel, delivered, .. } = self;
        channel.wake(now, &mut bench.cx(now), &mut |_, packet| delivered.push(packet));
    }

    /// Numbers of the packets that have been handed up.
    pub fn numbers(&self) -> Vec<u64> {
        self.delivered.iter().map(|packet| packet.number).collect()
    }

    /// Every packet is somewhere, once, and each packet's stages add up.
    pub fn assert_books_close(&self) {
        let dropped = self.bench.drops.0.len() as u64;
        let known =
            self.delivered.len() as u64 + dropped + self.refused + self.channel.held().packets;
        assert_eq!(known, self.offered);
        assert!(self.delivered.is_sorted_by(|a, b| a.number < b.number), "out of order");
        for packet in &self.delivered {
            assert_eq!(packet.stages.total(), packet.stages.until() - packet.born);
        }
    }
}
