//! Handover of UEs between cells, cell selection after failures, and cell reselection of idle UEs.
//!
//! A UE measures all cells. A connected one reports by events, and its cell prepares a handover to the best
//! reported cell. The steps are those of [`crate::handover`]; each has its time and its failure:
//!
//! - A report is lost if the UE is out of range uplink. Events repeat reports.
//! - The command is lost if the UE is out of range downlink. RLC of the signalling bearer repeats it, until it
//!   fails as a data bearer does (TS 36.331, 9.2.1.1).
//! - From the command on, the UE listens to no cell. Its packets wait in the stage `handover`.
//! - Random access has occasions, preambles, contention and failures. T304 limits it.
//! - Downlink packets that come to the source cell until the path is switched are forwarded, or dropped
//!   ([`forwarding`]).
//! - After a failure the UE selects the strongest suitable cell ([`selection`]).
//! - With conditional handover the UE decides when it leaves ([`conditional`]).
//! - With DAPS it keeps its source cell until the target has it ([`daps`]).
//! - Cells exchange their loads, and move offsets by them ([`balancing`]).
//! - A target without room refuses the UE ([`refusals`]).
//! - Secondary cells have events of their own ([`secondaries`]).
//! - An inactive UE resumes its connection in the cell that it has reselected ([`resume`]).
//!
//! Handovers act before cells do, on the thread of the node.

mod balancing;
mod carriers;
mod conditional;
mod daps;
mod forwarding;
mod gaps;
mod messages;
mod neighbours;
mod procedure;
mod refusals;
mod reports;
mod resume;
mod secondaries;
mod selection;

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{CellId, Dbm, Duration, Time, UeId, math};
use airpath_net::{Cx, DapsHandover, Handover, HandoverCause, Held};

use self::balancing::Exchanges;
use self::carriers::Carriers;
use self::conditional::Conditional;
use self::forwarding::Path;
pub(super) use self::forwarding::Route;
pub(super) use self::procedure::{PREAMBLE_BLOCKS, Transmitted};
use self::reports::Abroad;
use self::secondaries::Watch;
use super::Ran;
use super::serving::Serving;
use crate::air::{Channel, Link, MeanLink, mean_ratio};
use crate::config::HandoverSetup;
use crate::handover::{
    Access, Draws, Failure, Measurements, Neighbours, Occasions, Sample, Steps, Trigger,
};
use crate::ue::Ue;

/// A stay shorter than this between two handovers is a ping-pong (TR 36.839, 5.2.1). A failure so early after a
/// handover is due to it (`Tstore_UE_cntxt` of TS 36.300, 22.4.2.2, has no value).
const SHORT_STAY: Duration = Duration::from_secs(1);

/// Handovers of all UEs.
pub(super) struct Handovers {
    config: HandoverSetup,
    seed: Seed,
    preparations: Draws,
    path_switches: Draws,
    carriers: Carriers,
    ues: Vec<UeHandover>,
    /// Time of the next work of each UE, and the earliest of all.
    due: Vec<Time>,
    next: Time,
    /// Load balancing; none with fixed offsets.
    exchanges: Option<Exchanges>,
    /// PRACH occasions of each cell.
    occasions: Vec<Occasions>,
    /// Empty between calls, to be used again.
    rsrp: Vec<f64>,
}

/// A UE as handovers have it.
struct UeHandover {
    /// Its channel on each carrier.
    channels: Vec<Arc<dyn Channel>>,
    measuring: Measurements,
    events: Vec<Trigger>,
    neighbours: Neighbours,
    /// Events of cells on other carriers, and begin and end of the measurement of those.
    abroad: Vec<Abroad>,
    others: Neighbours,
    /// Measurements and events of secondary cells by carrier; none without events.
    watches: Vec<Watch>,
    /// Begin of the gaps that the UE has; none without gaps.
    gaps_from: Option<Time>,
    phase: Phase,
    /// The handover that goes on, or the last one.
    steps: Steps,
    cause: HandoverCause,
    /// The last handover that succeeded.
    last: Option<Steps>,
    /// The cell of a re-establishment, then the one that serves the UE.
    reached: Option<CellId>,
    /// A failure that has not been classified.
    failure: Option<Failure>,
    /// Ratio of the source cell in dB at the command or the failure.
    geometry_db: Option<f32>,
    /// Handovers so far.
    number: u64,
    path: Path,
    /// The cell that ranks above the serving one of an idle or inactive UE, and since when.
    better: Option<(usize, Time)>,
    conditional: Option<Box<Conditional>>,
    /// Facts of the DAPS handover that goes on.
    daps: Option<DapsHandover>,
    /// True while the UE has a command and keeps its source cell.
    keeps_source: bool,
    /// Cells of the last report that may be targets behind the present one, the best first; none with room for each UE.
    next_targets: Vec<usize>,
    /// Cells that keep room for the UE.
    rooms: Vec<CellId>,
}

/// Targets of a handover by a measurement report.
struct Targets {
    best: usize,
    /// Further cells of the report, the best first; none with room for each UE.
    others: Vec<usize>,
    cause: HandoverCause,
}

/// Step of a UE's handover.
enum Phase {
    /// A cell serves the UE, or the UE is idle or inactive in it.
    Served,
    /// The source cell prepares the handover.
    Preparing { ready: Time },
    /// The source cell sends the command, for this time.
    Commanding { due: Time, attempt: u32 },
    /// The command is on the air.
    Commanded { received: Time },
    /// The condition of a candidate is fulfilled; the UE leaves its cell soon.
    Executing { leave: Time },
    /// The UE has the command and tunes to the target cell.
    Switching { access: Time, t304: Time },
    /// Random access; it may have failed.
    Accessing { access: Box<Access>, t304: Time },
    /// The UE seeks a suitable cell.
    Seeking { next: Time, t311: Time },
    /// The connection is being re-established in the target cell.
    Reestablishing { done: Time, t311: Time },
}

impl Phase {
    fn due(&self) -> Option<Time> {
        match self {
            Phase::Served => None,
            Phase::Preparing { ready } => Some(*ready),
            Phase::Commanding { due, .. } => Some(*due),
            Phase::Commanded { received } => Some(*received),
            Phase::Executing { leave } => Some(*leave),
            Phase::Switching { access, t304 } => Some(*access.min(t304)),
            Phase::Accessing { access, t304 } => {
                Some(access.next_due().map_or(*t304, |due| due.min(*t304)))
            }
            Phase::Seeking { next, .. } => Some(*next),
            Phase::Reestablishing { done, .. } => Some(*done),
        }
    }
}

impl UeHandover {
    /// Time of the next work.
    fn due(&self) -> Time {
        let events = self
            .events
            .iter()
            .chain(self.abroad.iter().map(|one| &one.trigger))
            .filter_map(Trigger::next_due);
        let conditional = self.conditional.as_ref().and_then(|own| own.due());
        let own = self.phase.due().into_iter().chain(self.path.due()).chain(conditional);
        let neighbours = self.neighbours.next_due().into_iter().chain(self.others.next_due());
        let secondaries = self.watches.iter().filter_map(Watch::due);
        let others = events.chain(neighbours).chain(own).chain(secondaries);
        others.fold(self.measuring.next_due(), Time::min)
    }
}

impl Handovers {
    /// Handovers of these UEs among the cells of these carriers; none if a UE's link is not of a network.
    fn new(
        config: &HandoverSetup,
        ues: &[&Ue],
        carriers: Carriers,
        seed: Seed,
    ) -> Option<Handovers> {
        let handover = &config.handover;
        let moving = |ue: &&Ue| {
            let Link::Network(channel) = &ue.config.link else { return None };
            let serving = carriers.of(ue.config.cell).0;
            Some(UeHandover {
                channels: match &ue.config.frequencies[..] {
                    [] => vec![Arc::clone(channel)],
                    all => all.to_vec(),
                },
                measuring: Measurements::new(handover, (ue.id, seed), carriers.cells(), serving),
                events: handover.events.iter().map(Trigger::new).collect(),
                neighbours: Neighbours::new(&handover.neighbours),
                abroad: Abroad::all(handover, carriers.cells().len()),
                others: Neighbours::new(&handover.other_carriers.begin),
                watches: Watch::all(handover, (ue, seed), carriers.count()),
                gaps_from: None,
                phase: Phase::Served,
                steps: Steps::default(),
                cause: HandoverCause::A3,
                last: None,
                reached: None,
                failure: None,
                geometry_db: None,
                number: 0,
                path: Path::new(ue.config.cell),
                better: None,
                conditional: handover
                    .conditional
                    .as_ref()
                    .map(|own| Box::new(Conditional::new(own))),
                daps: None,
                keeps_source: false,
                next_targets: Vec::new(),
                rooms: Vec::new(),
            })
        };
        let ues: Vec<UeHandover> = ues.iter().map(moving).collect::<Option<_>>()?;
        let cells = carriers.count();
        let mut all = Handovers {
            preparations: Draws::new(seed, "handover preparation"),
            path_switches: Draws::new(seed, "path switch"),
            carriers,
            due: ues.iter().map(UeHandover::due).collect(),
            next: Time::MAX,
            exchanges: Exchanges::new(&config.handover, cells),
            occasions: (0..cells).map(|_| Occasions::new()).collect(),
            rsrp: Vec::with_capacity(cells),
            config: config.clone(),
            ues,
            seed,
        };
        all.find_next();
        Some(all)
    }

    /// Time of the next work.
    pub fn next_due(&self) -> Time {
        self.next
    }

    /// Packets on their way between cells.
    pub fn held(&self) -> Held {
        self.ues.iter().map(|ue| ue.path.held()).fold(Held::default(), Held::plus)
    }

    /// The time of a UE's next work has changed.
    fn rearm(&mut self, ue: UeId) {
        self.due[ue.index()] = self.ues[ue.index()].due();
        self.find_next();
    }

    /// Looks up the time of the next work of all.
    fn find_next(&mut self) {
        let exchange = self.exchanges.as_ref().map(Exchanges::next_due);
        self.next = self.due.iter().copied().chain(exchange).min().unwrap_or(Time::MAX);
    }

    /// Load balancing that counts what cells send, if there is any.
    pub fn exchanges(&mut self) -> Option<&mut Exchanges> {
        self.exchanges.as_mut()
    }

    fn ue(&mut self, ue: UeId) -> &mut UeHandover {
        &mut self.ues[ue.index()]
    }

    /// Ratio of a cell to noise and all other cells at a UE as a factor, with all sending and without fading.
    fn ratio(&self, ue: UeId, cell: usize) -> f64 {
        let (carrier, position) = self.carriers.of(CellId(cell as u16));
        let channel = self.ues[ue.index()].channels.get(carrier);
        let count = self.carriers.beside(cell).len();
        channel.map_or(0.0, |own| mean_ratio(own.as_ref(), ue, position, count))
    }

    /// The link of a UE to a cell on average.
    fn link(&self, ue: UeId, cell: usize) -> Option<MeanLink> {
        let (carrier, position) = self.carriers.of(CellId(cell as u16));
        self.ues[ue.index()].channels.get(carrier)?.mean_link(ue, position)
    }

    /// The ratio of a cell at a UE in dB.
    fn geometry_db(&self, ue: UeId, cell: usize) -> f32 {
        (10.0 * math::log10(self.ratio(ue, cell))) as f32
    }

    /// Takes a sample of all cells of the carriers that have one now.
    fn measure(&mut self, now: Time, ue: UeId) {
        let due = self.ues[ue.index()].measuring.due(now);
        let serving = self.ues[ue.index()].measuring.serving();
        for carrier in due.other.into_iter().chain(due.own.then_some(serving)) {
            self.rsrp.clear();
            let mut noise = Dbm(-200.0);
            for n in self.carriers.cells()[carrier].clone() {
                let Some(link) = self.link(ue, n) else { continue };
                self.rsrp.push(link.rsrp.0);
                noise = link.noise;
            }
            let sample = Sample { rsrp: &self.rsrp, noise: noise.0 };
            self.ues[ue.index()].measuring.sample(now, carrier, &sample);
        }
    }

    /// The strongest cell of a UE by its filtered measurements and the offsets of carriers, of those for which `suits`
    /// gives true.
    fn strongest(&self, ue: UeId, mut suits: impl FnMut(usize) -> bool) -> Option<usize> {
        let count = self.ues[ue.index()].measuring.values().len();
        let cells = (0..count).filter(|cell| suits(*cell));
        cells.max_by(|one, other| self.rank(ue, *one).total_cmp(&self.rank(ue, *other)))
    }

    /// The filtered measurement of a cell by a UE and the offset of its carrier.
    fn rank(&self, ue: UeId, cell: usize) -> f64 {
        self.ues[ue.index()].measuring.values()[cell] + self.carrier_offset(cell)
    }
}

impl Ran {
    /// Handovers of all UEs; none if a UE's link is not of a network.
    pub(super) fn handovers(&self, config: &HandoverSetup, seed: Seed) -> Option<Handovers> {
        let ue = |serving: &Serving| &self.cells[serving.cell.index()].ues[serving.ue.index()];
        let ues: Vec<&Ue> = self.serving.iter().map(ue).collect();
        // Legs of dual connectivity serve no UE alone.
        let anchors = self.cells.iter().filter(|cell| !cell.is_leg);
        Handovers::new(config, &ues, Carriers::of_cells(anchors), seed)
    }

    /// Does the work of handovers that is due.
    pub(super) fn act_on_handovers(&mut self, now: Time, cx: &mut Cx<'_>) {
        let Some(mut all) = self.handovers.take() else { return };
        while all.next <= now {
            self.exchange_loads(&mut all, now, cx);
            for n in 0..all.ues.len() {
                if all.due[n] <= now {
                    let ue = UeId(n as u32);
                    self.act_on_handover(&mut all, (now, ue), cx);
                    all.due[n] = all.ues[n].due();
                }
            }
            all.find_next();
        }
        self.handovers = Some(all);
    }

    /// Does the work of a UE that is due.
    fn act_on_handover(&mut self, all: &mut Handovers, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        self.deliver_forwarded(all, (now, ue), cx);
        let sampled = all.ue(ue).measuring.next_due() <= now;
        if sampled {
            self.end_gap(all, (now, ue), cx);
            all.restart_neighbours(now, ue, self.serving[ue.index()].cell.index());
            all.measure(now, ue);
            self.follow_link(all, (now, ue), cx);
        }
        self.follow_neighbours(all, (now, sampled), ue);
        self.follow_secondaries(all, (now, sampled), ue, cx);
        if all.ue(ue).conditional.is_some() {
            self.act_on_conditional(all, (now, sampled), ue, cx);
        } else {
            let serving = self.serving[ue.index()].cell;
            let reported = all.report((now, sampled), ue, serving.index());
            if let (Some(targets), Phase::Served) = (reported, &all.ue(ue).phase) {
                self.take_measurement_report(all, (now, ue), targets);
            }
        }
        while all.ue(ue).phase.due().is_some_and(|due| due <= now) {
            self.next_step(all, (now, ue), cx);
        }
        if all.carriers.cells().len() > 1 {
            self.follow_carrier(all, now, ue);
        }
        self.keep_rooms(all, ue);
    }

    /// Reports a handover, or a re-establishment in another cell, at its end.
    fn report_handover(all: &mut Handovers, ue: UeId, record: Handover, cx: &mut Cx<'_>) {
        let own = all.ue(ue);
        (own.path.count, own.daps) = (Default::default(), None);
        all.end_candidates(ue, cx);
        cx.emit(|| airpath_net::Event::Handover(&record));
    }
}

#[cfg(test)]
mod tests;
