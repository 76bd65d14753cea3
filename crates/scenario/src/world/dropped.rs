//! The UEs of a network where they have been dropped, and the channels of its carriers.

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{CellId, Db};
use airpath_ran::{Channel, Mobility, UeCarrier};

use super::moving::Movers;
use super::{NetworkDrop, links};
use crate::file::{Carrier, Cell, Scenario};

/// A network's UEs where they have been dropped, and its channels.
pub(super) struct Dropped {
    pub drop: NetworkDrop,
    pub channel: Arc<dyn Channel>,
    /// The further carriers.
    carriers: Vec<links::OnCarrier>,
}

/// Drops the UEs of a scenario with a network, and gives their mobility if any moves.
///
/// # Errors
///
/// Values out of the range of a model; none in a scenario that was read from a file.
pub(super) fn network(
    (scenario, cell): (&Scenario, &Cell),
    seed: Seed,
) -> Result<(Option<Dropped>, Option<Mobility>), Box<dyn core::error::Error>> {
    let (Some(file), Some(drop)) = (&scenario.network, NetworkDrop::new(scenario, seed)?) else {
        return Ok((None, None));
    };
    let (moves, of) = (drop.moves.clone(), (scenario, file, cell));
    let mut movers = Movers::new(&moves, seed);
    let own = links::links(of, (&drop, None), &moves, seed)?;
    let channel = movers.channel(own, (&drop, &drop), Db(0.0));
    let carrier = |carrier: &Carrier| links::carrier(carrier, of, (&drop, &mut movers), seed);
    let carriers = scenario.carrier.iter().map(carrier).collect::<Result<_, _>>()?;
    let mobility = movers.mobility();
    Ok((Some(Dropped { drop, channel, carriers }), mobility))
}

/// The cell that serves a UE at first.
pub(super) struct First {
    pub cell: CellId,
    pub rsrp_dbm: f64,
    /// To its site, on the ground.
    pub distance_m: f64,
}

impl Dropped {
    /// Channels of all carriers.
    pub fn channels(&self) -> Vec<Arc<dyn Channel>> {
        let others = self.carriers.iter().map(|own| own.channel.clone());
        core::iter::once(self.channel.clone()).chain(others).collect()
    }

    /// The cell that serves a UE at first. With cells on several carriers it is the strongest by RSRP and the offset of the
    /// carrier; of equals the first.
    pub fn serving(&self, scenario: &Scenario, n: usize) -> First {
        let (own, cells) = (&self.drop.ues[n], self.drop.network.cells().len());
        let (rsrp_dbm, distance_m) = (own.rsrp.0, own.link.span.ground_m);
        let mut best = First { cell: CellId(own.cell as u16), rsrp_dbm, distance_m };
        let mut most = rsrp_dbm;
        for (k, (carrier, there)) in scenario.carrier.iter().zip(&self.carriers).enumerate() {
            let rsrp_dbm = there.rsrp_dbm[n];
            if carrier.serves() && rsrp_dbm + carrier.offset_db() > most {
                most = rsrp_dbm + carrier.offset_db();
                let (position, distance_m) = there.cells[n];
                let cell = CellId(((k + 1) * cells + position) as u16);
                best = First { cell, rsrp_dbm, distance_m };
            }
        }
        best
    }

    /// Links of a UE in the further carriers, and whether it sends there.
    pub fn ue_carriers(&self, sends_on: &[bool]) -> Vec<UeCarrier> {
        let link = |(own, uplink): (&links::OnCarrier, &bool)| UeCarrier {
            channel: Some(own.channel.clone()),
            uplink: *uplink,
            ..UeCarrier::ALIKE
        };
        self.carriers.iter().zip(sends_on).map(link).collect()
    }

    /// RSRP of a UE in the further carriers in dBm.
    pub fn rsrp_of_carriers(&self, n: usize) -> Vec<Option<f64>> {
        self.carriers.iter().map(|own| Some(own.rsrp_dbm[n])).collect()
    }
}
