//! UEs that move: positions at defined times, and the gains that follow from them.
//!
//! The network moves its UEs each [`period`](MobilityConfig::period) from zero on, at the begin of the first wake-up of that
//! instant, before jobs and decisions. All gains to all cells are of that instant until the next.
//!
//! A UE keeps the cell that serves it, unless it is [handed over](crate::handover).

use std::sync::Arc;

use airpath_base::{CellId, Duration, Time, UeId};
use airpath_channel::Association;
use airpath_channel::moving::{MovingLinks, Track};
use airpath_channel::route::Motion;
use airpath_net::{Cx, Event, UePosition};

use crate::air::Channel;
use crate::config::Frequency;
use crate::network::{MovingNetwork, NetworkUe};

/// Time after which the loudest neighbours of cells are looked up anew.
const NEIGHBOURS: Duration = Duration::from_secs(1);

/// Configuration of the mobility of a network's UEs.
#[derive(Debug)]
pub struct MobilityConfig {
    /// Time between positions, above zero.
    pub period: Duration,
    /// Time between reports of positions, rounded up to whole periods; none without reports.
    pub positions: Option<Duration>,
    /// Numbers of the UEs that move.
    pub ues: Vec<UeId>,
    /// The network's carrier, and its further carriers.
    pub carriers: Vec<MovingCarrier>,
}

/// A carrier on which UEs move.
#[derive(Debug)]
pub struct MovingCarrier {
    /// Its channel.
    pub channel: Arc<MovingNetwork>,
    /// Its links.
    pub links: MovingLinks,
    /// Factor of all its gains.
    pub factor: f64,
    /// UEs that move, in their order.
    pub tracks: Vec<Track>,
    /// All UEs of the channel.
    pub ues: Vec<NetworkUe>,
}

/// UEs that move.
#[derive(Debug)]
pub struct Mobility {
    config: MobilityConfig,
    next: Time,
    next_positions: Time,
    next_neighbours: Time,
    /// Positions and velocities of UEs that move, none before the first.
    motions: Vec<Option<Motion>>,
    /// UEs whose position has changed at the last instant.
    moved: Vec<UeId>,
    /// Cells on several carriers; none if the carriers of a cell serve its UEs together.
    frequencies: Option<Frequencies>,
}

/// Cells on several carriers, of which one serves a UE.
#[derive(Debug)]
struct Frequencies {
    /// Carrier and position of each cell.
    cells: Vec<Frequency>,
    /// Offset of each carrier in dB.
    offsets: Vec<f64>,
    /// The cell of each UE.
    serving: Vec<CellId>,
    /// Cells that serve UEs without another beside: the first ones.
    anchors: usize,
}

impl Frequencies {
    /// Carrier and position of a cell.
    fn of(&self, cell: CellId) -> (usize, CellId) {
        let Frequency { carrier, position } = self.cells[cell.index()];
        (carrier.into(), position)
    }
}

impl Mobility {
    /// Mobility from time zero on.
    pub fn new(config: MobilityConfig) -> Mobility {
        Mobility {
            motions: vec![None; config.ues.len()],
            moved: Vec::new(),
            next: Time::ZERO,
            next_positions: Time::ZERO,
            next_neighbours: Time::ZERO + NEIGHBOURS,
            frequencies: None,
            config,
        }
    }

    /// Cells have these carriers and positions, and serve UEs like this. A carrier behind the last offset has 0 dB.
    pub(crate) fn follow_cells(
        &mut self,
        cells: Vec<Frequency>,
        offsets: Vec<f64>,
        serving: Vec<CellId>,
    ) {
        let anchors = cells.len();
        self.frequencies = Some(Frequencies { cells, offsets, serving, anchors });
    }

    /// Cells from this number on serve UEs beside others alone.
    pub(crate) fn set_anchors(&mut self, anchors: usize) {
        self.frequencies.iter_mut().for_each(|own| own.anchors = anchors);
    }

    /// Carrier of a cell, and the number by which the carrier's channel knows it.
    fn carrier_of(&self, cell: CellId) -> (usize, CellId) {
        self.frequencies.as_ref().map_or((0, cell), |own| own.of(cell))
    }

    /// The next instant at which UEs move.
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// Moves the UEs, if it is time. Gives those whose position has changed.
    pub(crate) fn act(&mut self, now: Time) -> &[UeId] {
        let MobilityConfig { period, carriers, ues, .. } = &mut self.config;
        self.next = now + (*period).max(Duration::from_nanos(1));
        self.moved.clear();
        let tracks = carriers.first().map_or(&[][..], |first| &first.tracks);
        for (track, (id, motion)) in tracks.iter().zip(ues.iter().zip(&mut self.motions)) {
            let new = track.route().at(now);
            if motion.replace(new).is_none_or(|old| old.at != new.at) {
                self.moved.push(*id);
            }
        }
        for carrier in carriers {
            let links = (&carrier.links, carrier.factor);
            let mut moved = self.moved.iter().peekable();
            for (track, id) in carrier.tracks.iter_mut().zip(ues.iter()) {
                if moved.next_if_eq(&id).is_some() {
                    follow(links, track, now, &mut carrier.ues[id.index()]);
                }
            }
            carrier.channel.update(&self.moved, &carrier.ues);
            if now >= self.next_neighbours {
                carrier.channel.update_neighbours(&carrier.ues);
            }
        }
        if now >= self.next_neighbours {
            self.next_neighbours = now + NEIGHBOURS;
        }
        &self.moved
    }

    /// Reports positions, if it is time.
    pub(crate) fn report(&mut self, now: Time, cx: &mut Cx<'_>) {
        let Some(period) = self.config.positions.filter(|_| now >= self.next_positions) else {
            return;
        };
        while self.next_positions <= now {
            self.next_positions += period.max(self.config.period).max(Duration::from_nanos(1));
        }
        let Some(first) = self.config.carriers.first().filter(|_| cx.is_watched()) else { return };
        for (id, motion) in self.config.ues.iter().zip(&self.motions) {
            let Some(Motion { at, velocity }) = *motion else { continue };
            let own = self.frequencies.as_ref().map(|own| own.serving[id.index()]);
            let cell = own.unwrap_or(first.ues[id.index()].cell);
            let (carrier, position) = self.carrier_of(cell);
            let (rsrp_dbm, sinr_db) = self.config.carriers[carrier].channel.serving(*id, position);
            let (at_m, speed) = ([at.x, at.y], velocity.length());
            cx.emit(|| Event::Moved(UePosition { ue: *id, at_m, speed, cell, rsrp_dbm, sinr_db }));
        }
    }

    /// Another cell serves a UE from now on.
    pub(crate) fn serve(&mut self, now: Time, ue: UeId, cell: CellId) {
        if let Some(own) = &mut self.frequencies {
            own.serving[ue.index()] = cell;
        }
        self.serve_beside(now, ue, cell);
    }

    /// A cell on another carrier serves a UE beside its own from now on, as the leg of dual connectivity.
    pub(crate) fn serve_beside(&mut self, now: Time, ue: UeId, cell: CellId) {
        match self.frequencies.as_ref().map(|own| own.of(cell)) {
            None => self.follow_on(now, ue, (None, cell)),
            Some((carrier, position)) => self.follow_on(now, ue, (Some(carrier), position)),
        }
    }

    /// Another cell serves a UE from now on, on one of the carriers that serve it together.
    pub(crate) fn serve_on(&mut self, now: Time, ue: UeId, carrier: usize, cell: CellId) {
        self.follow_on(now, ue, (Some(carrier), cell));
    }

    /// A cell serves a UE on a carrier, or on all.
    fn follow_on(&mut self, now: Time, ue: UeId, (only, cell): (Option<usize>, CellId)) {
        let moving = self.config.ues.iter().position(|own| *own == ue);
        // A carrier that does not serve the UE keeps the cell that has served it last.
        let serves = |n: usize| only.is_none_or(|own| own == n);
        for (_, carrier) in self.config.carriers.iter_mut().enumerate().filter(|(n, _)| serves(*n))
        {
            carrier.ues[ue.index()].cell = cell;
            if let Some(n) = moving {
                let links = (&carrier.links, carrier.factor);
                follow(links, &mut carrier.tracks[n], now, &mut carrier.ues[ue.index()]);
            }
            carrier.channel.update(&[ue], &carrier.ues);
        }
    }

    /// Distance between a UE with a route and a cell at a time in metres.
    pub(crate) fn distance_m(&self, now: Time, ue: UeId, cell: CellId) -> Option<f64> {
        let moving = self.config.ues.iter().position(|own| *own == ue)?;
        let (carrier, position) = self.carrier_of(cell);
        let carrier = self.config.carriers.get(carrier)?;
        carrier.links.distance_m(position.index(), &carrier.tracks.get(moving)?.ue(now))
    }

    /// Present position and velocity of a UE; none of one that does not move.
    pub(crate) fn motion(&self, ue: UeId) -> Option<Motion> {
        let n = self.config.ues.iter().position(|own| *own == ue)?;
        self.motions[n]
    }

    /// The cell with the strongest signal at a UE on the network's carrier; of equals the first. On several carriers with
    /// cells it is that with the largest RSRP and offset of its carrier.
    pub(crate) fn strongest(&self, ue: UeId) -> Option<CellId> {
        if let Some(own) = &self.frequencies {
            let level = |cell: &CellId| {
                let (carrier, position) = own.of(*cell);
                let link = self.config.carriers.get(carrier)?.channel.mean_link(ue, position)?;
                Some(link.rsrp.0 + own.offsets.get(carrier).copied().unwrap_or(0.0))
            };
            let cells = (0..own.anchors).rev().map(|n| CellId(n as u16));
            let levels = cells.filter_map(|cell| Some((level(&cell)?, cell)));
            return levels.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, cell)| cell);
        }
        let gains = &self.config.carriers.first()?.ues[ue.index()].gains;
        Some(CellId(Association::strongest(gains)?.cell as u16))
    }

    /// RSRP in dBm of a UE and of its serving cell, and its ratio to all other cells and noise in dB.
    pub(crate) fn serving(&self, ue: UeId, cell: CellId) -> Option<(f64, f64)> {
        let (carrier, position) = self.carrier_of(cell);
        Some(self.config.carriers.get(carrier)?.channel.serving(ue, position))
    }

    /// Present gains of a UE to all cells as factors, on the carrier of this number; 0 is the network's.
    pub fn gains(&self, ue: UeId, carrier: usize) -> &[f64] {
        &self.config.carriers[carrier].ues[ue.index()].gains
    }
}

/// Gives a UE the gains of its position at a time.
fn follow((links, factor): (&MovingLinks, f64), track: &mut Track, now: Time, ue: &mut NetworkUe) {
    track.gains(links, now, &mut ue.gains);
    ue.gains.iter_mut().for_each(|gain| *gain *= factor);
    ue.direction = links.direction(ue.cell.index(), &track.ue(now));
}

#[cfg(test)]
#[path = "mobility_tests.rs"]
mod tests;
