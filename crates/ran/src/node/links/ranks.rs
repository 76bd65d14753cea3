//! Layers of a link: reports of each rank, and the rank that follows.

use airpath_base::math;
use airpath_net::Direction;

use super::{DOWN, Links, Range};
use crate::config::CellConfig;
use crate::index::UeIndex;
use crate::node::prediction::Relation;
use crate::phy::{Capacity, STREAMS, Technology, stream};

/// Reports whose rates count for the rank, as a time constant. Networks have ranks reported each M_RI-th time of
/// CQIs, with M_RI from 1 to 32 (TS 36.213, 7.2.2).
const RANK_REPORTS: f32 = 8.0;

/// Levels of a layer over the carrier in dB, by codewords and numbers of layers ([`stream`]).
pub type Report = [f32; STREAMS];

impl Links {
    /// Most layers of a link.
    pub fn most_layers(&self, direction: Direction, ue: UeIndex) -> u8 {
        self.quality[direction as usize][ue.index()].most_layers
    }

    /// Relation of a report in TTI `tti` to the one before, and notes its time. `few` is true where
    /// reports are made when a UE is tried.
    pub fn relate(
        &mut self,
        direction: Direction,
        ue: UeIndex,
        (tti, few): (u64, bool),
    ) -> Relation {
        let quality = &mut self.quality[direction as usize][ue.index()];
        let follows = quality.tti == tti.checked_sub(self.period);
        quality.tti = Some(tti);
        Relation { follows, few }
    }

    /// Takes the reports of so many layers, one for each codeword: the ratio in each resource block of the
    /// carrier, layer after layer. Writes the levels of a layer over the carrier in dB.
    pub fn report(
        &mut self,
        link: (Direction, UeIndex),
        relation: Relation,
        (rank, sinrs): (u8, &[f32]),
        levels_db: &mut Report,
    ) {
        let codewords = self.codewords(link.0, rank);
        for codeword in codewords {
            let (own, layers) = match codewords.len() == 1 || self.delay_diversity {
                true => (sinrs, rank),
                false => {
                    let carrier = sinrs.len() / usize::from(rank);
                    let first = usize::from(codeword.first) * carrier;
                    let end = first + usize::from(codeword.layers) * carrier;
                    (&sinrs[first..end], codeword.layers)
                }
            };
            let stream = stream(rank, codeword.index);
            levels_db[stream] = self.report_codeword(link, relation, (stream, layers, own));
        }
    }

    /// Takes the report with this index, on a codeword of so many layers.
    fn report_codeword(
        &mut self,
        (direction, ue): (Direction, UeIndex),
        relation: Relation,
        (stream, layers, sinrs): (usize, u8, &[f32]),
    ) -> f32 {
        let width = usize::from(self.reports.subband_of(self.carrier));
        let (levels, capacity) = (&self.tables.levels[DOWN as usize], &self.tables.capacity);
        let (mut bits, carrier) = (0.0, sinrs.len() / usize::from(layers));
        let report = |first: usize| {
            let own = first..(first + width).min(carrier);
            let planes =
                sinrs.chunks_exact(carrier).map(|plane| capacity.mean(&plane[own.clone()]));
            let mean = planes.sum::<f32>() / f32::from(layers);
            bits += mean * own.len() as f32;
            match direction {
                Direction::Downlink => levels.reported_db(mean),
                Direction::Uplink => Capacity::level_db(mean),
            }
        };
        let prediction = &mut self.prediction[direction as usize][stream];
        let firsts = (0..carrier).step_by(width);
        prediction.take(ue, relation, firsts.clone().map(report));
        let mean = prediction.levels(ue).iter().zip(firsts);
        let sum: f32 = mean.map(|(level, first)| level * width.min(carrier - first) as f32).sum();
        self.quality[direction as usize][ue.index()].levels_db[stream] = sum / carrier as f32;
        Capacity::level_db(bits / carrier as f32)
    }

    /// Chooses the layers that carry most on average, behind reports of all, whose levels of a layer in dB these
    /// are. Gives the link's range if it came into range or went out of it.
    pub fn settle(
        &mut self,
        direction: Direction,
        ue: UeIndex,
        reported_db: &Report,
    ) -> Option<Range> {
        let most = self.most_layers(direction, ue);
        let least = self.least_layers[direction as usize].min(most);
        let mut rates = [0.0; 4];
        (1..=most).zip(&mut rates).for_each(|(layers, rate)| {
            *rate = self.rate((direction, ue), layers, reported_db);
        });
        let quality = &mut self.quality[direction as usize][ue.index()];
        let means = quality.rates.get_or_insert(rates);
        means.iter_mut().zip(rates).for_each(|(mean, rate)| *mean += (rate - *mean) / RANK_REPORTS);
        let ranks = (1..).zip(rates.into_iter().zip(*means)).take(most.into());
        let ranks = ranks.skip(usize::from(least.max(1)) - 1).filter(|(_, (rate, _))| *rate > 0.0);
        let best = ranks.reduce(|best, next| if next.1.1 > best.1.1 { next } else { best });
        quality.layers = best.map_or(1, |(layers, _)| layers);
        self.look_up(direction, ue);
        self.look_up_range(direction, ue, reported_db[0])
    }
}

/// The largest MCS of a fixed link with one layer over the carrier, and levels of a layer in dB by numbers of layers.
/// Several layers share the ratio.
pub(super) fn fixed(cell: &CellConfig, direction: Direction, sinr: f64) -> (u8, Report) {
    let (format, target) = (cell.format(direction), cell.adaptation.bler_target);
    let cqi = match cell.adaptation.by_grant {
        true => format.cqi_in(sinr, target, (direction, cell.resource_blocks)),
        false => format.cqi(sinr, target),
    };
    let allowed = cell.adaptation.allowed(cell.technology_in(direction).mcs_for_cqi(cqi));
    let each = [1.0, 2.0, 3.0, 4.0].map(|layers| sinr / layers);
    let [one, two, three, four] = each.map(|ratio| 10.0 * math::log10(ratio.max(1e-9)) as f32);
    (allowed, [one, two, three, four, two, three, four])
}

/// True if numbers of layers are compared by bytes of whole subframes. LTE's sizes follow from a table whatever
/// room there is. So the limit of the code rate forbids a high MCS, which its efficiency does not show.
pub(super) fn counts_bytes(technology: &Technology) -> bool {
    matches!(technology, Technology::Lte(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Access;
    use crate::node::links::Expected;
    use crate::node::tables::Tables;
    use crate::phy::nr::Nr;

    /// CQI 1 of NR has 0.1523 bits a symbol, MCS 0 has 0.2344 (TS 38.214, tables 5.2.2.1-2 and 5.1.3.1-1). Two
    /// layers at CQI 1 would carry 0.47, but nearly all of their blocks fail.
    #[test]
    fn layers_whose_blocks_fail_do_not_count() {
        let nr = Technology::Nr(Nr::DEFAULT);
        let cell = CellConfig {
            technology: [nr; 2],
            resource_blocks: 50,
            layers: [2, 1],
            ..crate::testing::cell(Access::Instant)
        };
        let expected = Expected {
            number: 0,
            sinr: 1.0,
            measured: true,
            full_power: f32::INFINITY,
            most_bytes: u32::MAX,
            most_tti_bytes: u32::MAX,
            layers: 2,
        };
        let tables = Tables::of(std::slice::from_ref(&cell)).remove(0);
        let up = Expected { layers: 1, ..expected };
        let links = Links::new(&cell, [vec![expected], vec![up]], tables);
        let rate = |layers, below_db: f32| {
            let least_db = cell.format(Direction::Downlink).needed_db(0, 0.1) as f32;
            links.rate(
                (Direction::Downlink, UeIndex::new(0)),
                layers,
                &[least_db - below_db; STREAMS],
            )
        };
        let [one, two] = [rate(1, -0.2), rate(2, 1.5)];
        assert!((0.2..0.24).contains(&one) && two < 0.05, "{one} {two}");
        // Half a decibel above its level, MCS 0 fails in fewer than a tenth.
        let arriving = rate(2, -0.5);
        assert!((0.9 * 0.4688..0.4689).contains(&arriving), "{arriving}");
    }
}
