//! A cell: its construction from a configuration, its decisions, and the scheme of a transport block.

use std::collections::VecDeque;
use std::sync::Arc;

use airpath_base::{CellId, Time, UeId};
use airpath_net::Direction;

use super::control::ControlChannel;
use super::downlink::Waiting;
use super::free::FreeBlocks;
use super::harq::{self, Harq};
use super::jobs::Jobs;
use super::links::{Expected, Links};
use super::steps::{Steps, Work};
use super::tables::Tables;
use super::{Cell, MEAN_RATE_WINDOW, configured};
use crate::air::Link;
use crate::config::{CellConfig, DownlinkPlacement, SchedulerConfig};
use crate::mac::{MeanRates, Placement, ResourceBlocks, RoundRobin, SchedulerKind, group_size};
use crate::rates::Scheme;
use crate::ue::{Ue, UeSet};

impl Cell {
    pub(super) fn new(id: CellId, config: CellConfig, ues: &[Ue], tables: Arc<Tables>) -> Cell {
        let control = config.adaptation.control_symbols;
        let config = CellConfig { duplex: config.duplex.with_control(control), ..config };
        let all = (0..).map(UeId).zip(ues);
        let members: Vec<UeId> =
            all.filter(|(_, ue)| ue.config.cell == id).map(|(n, _)| n).collect();
        let own = members.iter().map(|ue| &ues[ue.index()]);
        let least = config.uplink.min_resource_blocks;
        let (reserved, configured_before) = configured::reserved(&config, own);
        let window = match config.scheduler {
            SchedulerConfig::ProportionalFair { window } => window,
            _ => MEAN_RATE_WINDOW,
        };
        let carrier = config.resource_blocks;
        let expected = [Direction::Downlink, Direction::Uplink].map(|direction| {
            members.iter().map(|ue| expected((*ue, carrier), ues, direction)).collect()
        });
        let round_trips = harq::round_trips(&config);
        let (down_processes, up_processes) = harq::processes(&config, round_trips);
        Cell {
            links: Links::new(&config, expected, tables),
            down_processes,
            up_processes,
            steps: Steps::new(&config, round_trips[0]),
            down: SchedulerKind::new(&config),
            up: RoundRobin::new(config.allocation, 1, least.min(config.resource_blocks), None),
            control: ControlChannel::new(config.control),
            next: None,
            undecided: 0,
            failed: [VecDeque::new(), VecDeque::new()],
            reserved,
            configured_before,
            means: [window, window].map(|window| MeanRates::new(window, members.len())),
            placement: match config.downlink_placement {
                DownlinkPlacement::Blocks => Placement::Blocks,
                DownlinkPlacement::Groups => Placement::Groups(group_size(config.resource_blocks)),
            },
            backlogged: UeSet::new(members.len()),
            waiting: vec![Waiting::default(); members.len()],
            stale: UeSet::new(members.len()),
            pending_bsr: UeSet::new(members.len()),
            reported: UeSet::new(members.len()),
            harq: vec![Harq::default(); members.len()],
            jobs: Jobs::new(config.tti.length()),
            id,
            members,
            retransmission_debt: (0, 0),
            free: FreeBlocks::default(),
            config,
        }
    }

    /// Asks for work in the first TTI that starts at or after `at` and may have such work.
    #[inline(always)]
    pub(super) fn call(&mut self, work: Work, at: Time) {
        let tti = self.config.tti;
        let n = self.steps.next_decision(work, tti.number_from(at).max(self.undecided));
        let due = tti.start(n);
        self.next = Some(self.next.map_or(due, |next| next.min(due)));
    }

    /// MCS and bytes of a transport block for TTI `tti` on the air that is decided at `decided`.
    pub(super) fn scheme(
        &self,
        decided: Time,
        (direction, tti): (Direction, u64),
        place: usize,
        blocks: &ResourceBlocks,
    ) -> Scheme {
        match direction {
            Direction::Uplink if !self.config.uplink.is_sounded(decided) => {
                self.links.unsounded().scheme(blocks.count())
            }
            _ => self.links.scheme((direction, self.steps.symbols(tti, direction)), place, blocks),
        }
    }

    /// Resource blocks of the carrier.
    pub(super) fn carrier(&self) -> f32 {
        f32::from(self.config.resource_blocks)
    }

    pub(super) fn tti_number(&self, now: Time) -> u64 {
        self.config.tti.number(now)
    }
}

/// The link of a UE in a direction at the beginning.
fn expected((ue, carrier): (UeId, u16), ues: &[Ue], direction: Direction) -> Expected {
    let one = &ues[ue.index()];
    let (measured, full_power) = match (&one.config.link, direction) {
        (Link::Network(channel), Direction::Uplink) => (true, channel.full_power(ue)),
        (Link::Network(_), Direction::Downlink) => (true, f32::INFINITY),
        (Link::Fixed { full_power, .. }, Direction::Uplink) => (false, *full_power as f32),
        (Link::Fixed { .. }, Direction::Downlink) => (false, f32::INFINITY),
    };
    let (sinr, number) = (one.ratio(direction, carrier), one.config.number);
    Expected { number, sinr, measured, full_power }
}
