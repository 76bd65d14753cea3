//! Test bench of both modes: a bearer, its packets and its books.

use airpath_base::random::Stream;
use airpath_base::{BearerId, Duration, FlowId, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Direction, Leg, Packet, Stage};
use airpath_wire::{Endpoint, Protocol, Tuple};

use super::{Config, HeaderModel, Mode, Pdu};
use crate::bearer::Bearer;
use crate::config::BearerConfig;
use crate::{pdcp, qci};

/// The direction of most tests.
pub const DOWN: Direction = Direction::Downlink;

/// Bytes of PDCP's header in these tests.
const HEADER: u32 = 1;

/// A bearer on a bench.
pub struct Rig {
    pub bench: Bench,
    pub bearer: Bearer,
    /// Packets that have been handed up, in order.
    pub delivered: Vec<Packet>,
    pub offered: u64,
}

/// A bearer whose packets get one byte of PDCP.
pub fn config(mode: Mode) -> BearerConfig {
    let usual = qci::characteristics(9).expect("a QCI").bearer(None);
    BearerConfig {
        ue: UeId(0),
        teid: 1,
        outer_dscp: None,
        pdcp: pdcp::Config { sn: pdcp::SnLength::Seven, ..pdcp::Config::default() },
        rlc: Config { mode, header: HeaderModel::Standard },
        channel: usual.channel,
        full_buffers: [None; 2],
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
    pub fn new(config: &BearerConfig) -> Rig {
        Rig {
            bench: Bench::new(),
            bearer: Bearer::new(BearerId(0), *config, true),
            delivered: Vec::new(),
            offered: 0,
        }
    }

    /// Offers a packet that makes an SDU of `size` bytes, and says whether it was taken.
    pub fn offer(&mut self, now: Time, size: u32) -> bool {
        let (packet, drops) = (packet(self.offered, size - HEADER, now), self.bench.drops.0.len());
        self.offered += 1;
        self.bearer.enqueue(DOWN, now, packet, 0, &mut self.bench.cx(now));
        self.bench.drops.0.len() == drops
    }

    pub fn build(&mut self, direction: Direction, now: Time, room: u32) -> Option<Pdu> {
        self.bearer.build(direction, now, room, &mut self.bench.cx(now))
    }

    pub fn receive(&mut self, direction: Direction, now: Time, pdu: Pdu, first_attempt: Time) {
        let Rig { bench, bearer, delivered, .. } = self;
        let mut out = |_, packet| delivered.push(packet);
        bearer.receive(direction, now, pdu, first_attempt, &mut bench.cx(now), &mut out);
    }

    pub fn lose(&mut self, direction: Direction, now: Time, pdu: Pdu) {
        self.bearer.lost(direction, now, pdu, now, &mut self.bench.cx(now));
    }

    /// The radio link fails with these PDUs on the air, and is re-established at once.
    pub fn reestablish(&mut self, now: Time, air: impl IntoIterator<Item = (Direction, Pdu)>) {
        for (direction, _) in air {
            self.bearer.rlc_mut().void(direction);
        }
        let Rig { bench, bearer, delivered, .. } = self;
        bearer.fail(now, Stage::UplinkAccess);
        bearer.reestablish(
            (now, airpath_net::Stage::Reestablishment),
            &mut bench.cx(now),
            &mut |_, packet| delivered.push(packet),
        );
    }

    /// Drops what has waited for so long.
    pub fn discard(&mut self, now: Time, limit: Duration) {
        self.bearer.discard(DOWN, now, limit, &mut self.bench.cx(now));
    }

    pub fn wake(&mut self, now: Time) {
        let Rig { bench, bearer, delivered, .. } = self;
        bearer.wake(now, &mut bench.cx(now), &mut |_, packet| delivered.push(packet));
    }

    /// Numbers of the packets that have been handed up.
    pub fn numbers(&self) -> Vec<u64> {
        self.delivered.iter().map(|packet| packet.number).collect()
    }

    /// Every packet is somewhere, once, and each packet's stages add up.
    pub fn assert_books_close(&self) {
        let dropped = self.bench.drops.0.len() as u64;
        let known = self.delivered.len() as u64 + dropped + self.bearer.held().packets;
        assert_eq!(known, self.offered);
        assert!(self.delivered.is_sorted_by(|a, b| a.number < b.number), "out of order");
        for packet in &self.delivered {
            assert_eq!(packet.stages.total(), packet.stages.until() - packet.born());
        }
        for packet in &self.bench.drops.1 {
            assert_eq!(packet.stages.total(), packet.at - packet.born, "{packet:?}");
        }
    }
}

/// A radio with random opportunities, losses and delays in both directions.
pub struct Radio {
    pub rig: Rig,
    pub random: Stream,
    pub loss: f64,
    pub air: Vec<(u64, Direction, Pdu)>,
}

impl Radio {
    /// One subframe: what arrives, timers, opportunities.
    pub fn step(&mut self, now: u64) {
        self.rig.wake(Time::from_millis(now));
        let (due, air) = self.air.drain(..).partition(|(at, ..)| *at <= now);
        self.air = air;
        for (_, direction, pdu) in Vec::from_iter::<Vec<_>>(due) {
            match self.random.chance(self.loss) {
                true => self.rig.lose(direction, Time::from_millis(now), pdu),
                false => {
                    self.rig.receive(direction, Time::from_millis(now), pdu, Time::from_millis(now))
                }
            }
        }
        if self.rig.bearer.rlc().failed().is_some() {
            let air = self.air.drain(..).map(|(_, direction, pdu)| (direction, pdu));
            self.rig.reestablish(Time::from_millis(now), air);
        }
        for direction in Direction::ALL {
            let room = self.random.below(700) as u32;
            if let Some(pdu) = self.rig.build(direction, Time::from_millis(now), room) {
                assert!(pdu.size <= room);
                // Up to three HARQ retransmissions overtake.
                let at = now + 4 + 8 * self.random.below(4);
                self.air.push((at, direction, pdu));
            }
        }
        self.rig.assert_books_close();
    }
}
