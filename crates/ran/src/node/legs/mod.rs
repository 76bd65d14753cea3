//! Legs of UEs in dual connectivity of LTE with NR, EN-DC (TS 37.340).
//!
//! A UE has an anchor, the cell that serves it, and perhaps a leg, a cell of NR on a carrier of its own. It has an entry
//! in both cells. Each has MAC, RLC and a radio link of its own.
//!
//! - **Split bearers** ([`split`]). PDCP is in the master node, and stays there when the leg changes. Reason: packets
//!   that a leg has not delivered come back to the queue from which they went. Nothing is forwarded, and no path is
//!   switched. Price: the usual EN-DC has PDCP in the secondary node, with X2-U in the way of the anchor's packets.
//! - **Duplication** ([`copies`]). Each packet of a split bearer may take both paths (TS 37.340, 4.2.2; TS 38.323, 5.11).
//! - **Addition, change, release** ([`procedure`]), each with its times and failures.
//! - **A handover or failure of the anchor** releases the leg, which is added anew (TS 37.340, 10.7 has a choice).
//! - **Failure of the leg** (SCG failure, TS 37.340, 7.7): it is released, and the anchor goes on.
//!
//! Legs act before cells do, on the thread of the node. Packets that a leg hands up and the failure of its link are
//! heeded behind the stage of the cells. So nothing depends on the number of threads.
//!
//! Left out: SN-terminated and SCG bearers, SRB3, power shared between anchor and leg, RRC states, and the suspension
//! between an SCG failure and its release.

mod copies;
mod flow;
mod measuring;
mod procedure;
mod release;
mod split;

use std::collections::VecDeque;
use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{BearerId, CellId, Time, UeId};
use airpath_net::{Cx, Held, Packet};

use self::procedure::Phase;
use self::split::{Flow, Split};
use super::Ran;
use super::cell::Cell;
use super::serving::Serving;
use crate::air::Channel;
use crate::config::DualConnectivity;
use crate::handover::{Draws, Measuring, Occasions, Steps, Trigger};

/// Legs of all UEs.
pub(super) struct Legs {
    config: DualConnectivity,
    /// Seed of draws of legs.
    seed: Seed,
    preparations: Draws,
    /// Number of the first cell that is a leg: as many cells are anchors.
    first: usize,
    ues: Vec<UeLeg>,
    /// Time of the next work of each UE, and a time that is not later than any of them.
    due: Vec<Time>,
    next: Time,
    /// UEs with a leg, in their order.
    active: Vec<UeId>,
    /// PRACH occasions of each cell, from the first leg on.
    occasions: Vec<Occasions>,
    /// Empty between calls, to be used again.
    rsrp: Vec<f64>,
}

/// A UE as legs have it.
struct UeLeg {
    channel: Arc<dyn Channel>,
    measuring: Measuring,
    addition: Trigger,
    change: Option<Trigger>,
    release: Option<Trigger>,
    phase: Phase,
    /// The change that goes on, or the last one.
    steps: Steps,
    /// The leg that it is to bring; none with a release.
    aim: Option<CellId>,
    /// The leg that it has ended, and packets that have come back from that, downlink and uplink.
    source: Option<CellId>,
    recovered: [u64; 2],
    /// Its split bearers.
    splits: Vec<Split>,
    leg: Option<Leg>,
    /// Changes so far.
    number: u64,
    /// Uplink packets on their way from a leg to the host, with the split bearer and the count of each.
    up: VecDeque<(Time, usize, u64, Packet)>,
}

/// The leg of a UE.
struct Leg {
    cell: CellId,
    /// The anchor at its addition.
    anchor: CellId,
    next_status: Time,
    /// Data of each split bearer.
    flows: Vec<Flow>,
}

impl UeLeg {
    /// Time of the next work.
    fn due(&self) -> Time {
        let triggers = [Some(&self.addition), self.change.as_ref(), self.release.as_ref()];
        let triggers = triggers.into_iter().flatten().filter_map(Trigger::next_due);
        let leg = self.leg.iter().map(Leg::due);
        let up = self.up.front().map(|(at, ..)| *at);
        let own = self.phase.due().into_iter().chain(up).chain(leg);
        triggers.chain(own).fold(self.measuring.next_due(), Time::min)
    }
}

impl Leg {
    fn due(&self) -> Time {
        self.flows.iter().filter_map(Flow::due).fold(self.next_status, Time::min)
    }
}

impl Legs {
    /// Number of cells that can serve a UE alone.
    pub fn anchors(&self) -> usize {
        self.first
    }

    /// Split bearers with duplication of all UEs.
    pub fn duplicating(&self) -> impl Iterator<Item = BearerId> {
        let splits = self.ues.iter().flat_map(|ue| &ue.splits);
        splits.filter(|split| split.duplicates()).map(|split| split.bearer)
    }

    /// The leg of a UE.
    pub fn leg(&self, ue: UeId) -> Option<CellId> {
        self.ues[ue.index()].leg.as_ref().map(|leg| leg.cell)
    }

    /// Time of the next work, or an earlier one.
    pub fn next_due(&self) -> Time {
        self.next
    }

    /// Packets between the nodes.
    pub fn held(&self) -> Held {
        let of = |own: &UeLeg| {
            let up = own.up.iter().map(|(.., packet)| packet);
            let down = own.leg.iter().flat_map(|leg| &leg.flows).flat_map(Flow::packets);
            Held::of(up.chain(down))
        };
        self.ues.iter().map(of).fold(Held::default(), Held::plus)
    }

    fn ue(&mut self, ue: UeId) -> &mut UeLeg {
        &mut self.ues[ue.index()]
    }

    /// The number of a cell on the carrier of legs.
    fn position(&self, cell: CellId) -> CellId {
        CellId((cell.index() - self.first) as u16)
    }

    /// The time of a UE's next work has changed.
    fn rearm(&mut self, ue: UeId) {
        self.due[ue.index()] = self.ues[ue.index()].due();
        self.next = self.next.min(self.due[ue.index()]);
    }
}

/// Marks the cells that are legs.
pub(super) fn mark(cells: &mut [Cell], config: Option<&DualConnectivity>) {
    let Some(DualConnectivity { carrier, .. }) = config else { return };
    for cell in cells {
        cell.is_leg = cell.config.frequency.is_some_and(|own| own.carrier == *carrier);
    }
}

impl Ran {
    /// UEs may have legs from now on; none has one.
    pub(super) fn begin_legs(&mut self, config: DualConnectivity, seed: Seed) {
        let first = self.cells.iter().filter(|cell| !cell.is_leg).count();
        let count = self.cells.iter().count() - first;
        let seed = Seed(seed.keyed("legs").bits([0; 3]));
        let ues: Vec<UeLeg> = (0..self.serving.len())
            .map(|n| self.without_leg(&config, (UeId(n as u32), seed), count))
            .collect();
        for &Split { bearer, config, .. } in ues.iter().flat_map(|ue| &ue.splits) {
            self.bearer_mut(bearer).into_iter().for_each(|host| host.host(config.duplicates));
        }
        let mut legs = Legs {
            preparations: Draws::new(seed, "secondary node preparation"),
            due: ues.iter().map(UeLeg::due).collect(),
            next: Time::MAX,
            active: Vec::new(),
            occasions: (0..count).map(|_| Occasions::new()).collect(),
            rsrp: Vec::with_capacity(count),
            first,
            config,
            seed,
            ues,
        };
        legs.next = legs.due.iter().copied().min().unwrap_or(Time::MAX);
        self.legs = Some(Box::new(legs));
    }

    /// A UE without a leg, among so many cells that can be one.
    fn without_leg(
        &self,
        config: &DualConnectivity,
        (ue, seed): (UeId, Seed),
        cells: usize,
    ) -> UeLeg {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let own = &self.cells[cell.index()].ues[index.index()];
        let all = config.bearers.iter().filter(|split| own.config.bearers.contains(&split.bearer));
        UeLeg {
            channel: Arc::clone(&own.config.frequencies[usize::from(config.carrier)]),
            measuring: Measuring::new(&config.measurement, ue, cells, seed),
            addition: Trigger::new(&config.addition),
            change: config.change.as_ref().map(Trigger::new),
            release: config.release.as_ref().map(Trigger::new),
            phase: Phase::Still,
            steps: Steps::default(),
            aim: None,
            source: None,
            recovered: [0; 2],
            splits: all.map(|split| Split::new(split, &own.config.bearers)).collect(),
            leg: None,
            number: 0,
            up: VecDeque::new(),
        }
    }

    /// Does the work of legs that is due.
    pub(super) fn act_on_legs(&mut self, now: Time, cx: &mut Cx<'_>) {
        let Some(mut legs) = self.legs.take() else { return };
        while legs.next <= now {
            for n in 0..legs.ues.len() {
                if legs.due[n] <= now {
                    let ue = UeId(n as u32);
                    self.carry(&mut legs, (now, ue), cx);
                    self.measure_legs(&mut legs, (now, ue));
                    self.step_leg(&mut legs, (now, ue), cx);
                    legs.due[n] = legs.ues[n].due();
                }
            }
            legs.next = legs.due.iter().copied().min().unwrap_or(Time::MAX);
        }
        self.legs = Some(legs);
    }

    /// Behind the stage of the cells: heeds what legs have handed up, and ends legs whose link or anchor is lost.
    pub(super) fn follow_legs(&mut self, now: Time, cx: &mut Cx<'_>) {
        let Some(mut legs) = self.legs.take() else { return };
        for n in 0..legs.active.len() {
            let ue = legs.active[n];
            self.collect(&mut legs, (now, ue), cx);
            self.share_uplink(&mut legs, (now, ue), cx);
            legs.rearm(ue);
        }
        let mut n = 0;
        while let Some(&ue) = legs.active.get(n) {
            self.look_at_leg(&mut legs, (now, ue), cx);
            n += usize::from(legs.active.get(n) == Some(&ue));
            legs.rearm(ue);
        }
        self.legs = Some(legs);
    }

    /// A packet of a UE has come to its host.
    pub(super) fn feed_leg(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        let Some(mut legs) = self.legs.take() else { return };
        if legs.ue(ue).leg.is_some() {
            self.share_downlink(&mut legs, (now, ue), cx);
            self.share_uplink(&mut legs, (now, ue), cx);
            legs.rearm(ue);
        }
        self.legs = Some(legs);
    }
}
