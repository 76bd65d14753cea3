//! Rates that a cell exposes to applications (TS 23.501, 5.37.4 and 5.45), downlink.
//!
//! Over a period the cell counts its resource blocks, those in use, and those of the UE with the bits of its transport
//! blocks. The rate that the UE could have is that of the resource blocks which it has or which are free. It is at least that
//! of an equal part among the UEs that were served. Bits of a resource block are those of the period, so that
//! retransmissions count as blocks without bits. Left out: headers of MAC, RLC and PDCP, and the other bearers of the UE.
//!
//! A period ends with the first decision behind it. Without decisions, and where the UE had nothing, there is no report.

use airpath_base::{BearerId, Duration, Time};
use airpath_net::{Direction, ExposedRate};

use super::Ran;
use super::cell::Cell;
use super::serving::Serving;
use crate::block::Block;
use crate::duplex::Purpose;
use crate::index::UeIndex;

/// Rates that a cell exposes.
#[derive(Debug, Default)]
pub(super) struct Exposures {
    all: Vec<Exposure>,
    /// The last TTI on the air that has been counted.
    last: u64,
}

/// Rate that a UE could have, and the counts of the present period.
#[derive(Debug)]
struct Exposure {
    ue: UeIndex,
    period: Duration,
    to: ExposedRate,
    /// End of the period.
    due: Time,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    /// Resource blocks of the cell, and those of them in use.
    carrier: f64,
    used: f64,
    /// Resource blocks of the UE, and bits of its transport blocks, each once.
    own: f64,
    bits: f64,
    /// TTI of the UE's resource blocks that were counted last: two transport blocks share them.
    counted: Option<u64>,
    /// UEs that were served.
    served: Vec<UeIndex>,
}

impl Counts {
    /// Bits of a TTI whose resource blocks are `carrier`, with what the UE could have; none if it had nothing.
    fn bits_of_tti(&self, carrier: f64) -> Option<f64> {
        let others = (self.used - self.own) / self.carrier;
        let equal = 1.0 / self.served.len().max(1) as f64;
        (self.own > 0.0).then(|| self.bits / self.own * carrier * (1.0 - others).max(equal))
    }
}

impl Ran {
    /// Exposes the rate that the UE of a bearer could have downlink each period, by its cell. UEs stay in their cells.
    pub fn expose_rate(&mut self, bearer: BearerId, period: Duration, to: ExposedRate) {
        let (ue, _) = self.bearers[bearer.index()];
        let Serving { cell, ue } = self.serving[ue.index()];
        self.cells[cell.index()].expose_rate(ue, period, to);
    }
}

impl Cell {
    /// Exposes the rate that a UE could have downlink each period.
    pub fn expose_rate(&mut self, ue: UeIndex, period: Duration, to: ExposedRate) {
        let (due, counts) = (Time::ZERO + period, Counts::default());
        self.exposures.all.push(Exposure { ue, period, to, due, counts });
    }

    /// Counts a transmission downlink.
    pub fn count_exposed(&mut self, key: u32) {
        if self.exposures.all.is_empty() {
            return;
        }
        let Block { ue, direction, tti, bytes, allocation, attempt, .. } = self.blocks.get(key);
        if *direction != Direction::Downlink {
            return;
        }
        for Exposure { ue: own, counts, .. } in &mut self.exposures.all {
            if !counts.served.contains(ue) {
                counts.served.push(*ue);
            }
            if own == ue {
                if counts.counted.replace(*tti) != Some(*tti) {
                    counts.own += f64::from(allocation.blocks.count());
                }
                counts.bits += if *attempt == 0 { f64::from(*bytes) * 8.0 } else { 0.0 };
            }
        }
    }

    /// Ends the decision about TTI `air` on the air, of whose resource blocks `free` are not used, and reports what is due. In
    /// TTIs since the last decision none were used.
    pub fn expose(&mut self, now: Time, air: u64, free: u16) {
        if self.exposures.all.is_empty() || air <= self.exposures.last {
            return;
        }
        let first = std::mem::replace(&mut self.exposures.last, air) + 1;
        let serves = |tti: &u64| self.steps.serves(Purpose::DownlinkData, *tti);
        let ttis = (first..=air).filter(serves).count() as f64;
        let carrier = f64::from(self.config.resource_blocks);
        let mut used = carrier - f64::from(free);
        if let Some(load) = &self.config.load {
            let taken = (first..air).map(|tti| load.taken(Direction::Downlink, tti).count());
            used += taken.map(f64::from).sum::<f64>();
        }
        let period = self.config.duplex.period();
        let served = (0..period).filter(serves).count() as f64;
        let ttis_a_second = served / (period as f64 * self.config.tti.length().as_secs_f64());
        for own in &mut self.exposures.all {
            own.counts.carrier += ttis * carrier;
            own.counts.used += used;
            if now < own.due {
                continue;
            }
            let counts = std::mem::take(&mut own.counts);
            if let Some(bits) = counts.bits_of_tti(carrier) {
                own.to.report(now, bits * ttis_a_second);
            }
            let past = now.as_nanos() % own.period.as_nanos().max(1);
            own.due = now.saturating_sub(Duration::from_nanos(past)) + own.period;
        }
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;
    use airpath_base::{BearerId, Duration, Time, UeId};
    use airpath_net::testing::Bench;
    use airpath_net::{ExposedRate, Node};

    use super::super::Ran;
    use super::super::tests::{asking, config, in_tunnel};
    use crate::config::SchedulerConfig;

    /// Exposed rates of UEs of which each gets 1 400 bytes each `gap`, at 400 ms.
    fn exposed(gaps: &[Duration]) -> Vec<Option<f64>> {
        let mut config = config(1, asking(), 1e9);
        config.cells[0].scheduler = SchedulerConfig::RoundRobin { ues_per_slot: Some(1) };
        for n in 1..gaps.len() as u32 {
            let mut bearer = config.bearers[0];
            (bearer.ue, bearer.teid) = (UeId(n), 7 + n);
            config.bearers.push(bearer);
            let ue = config.ues[0].clone();
            config.ues.push(crate::UeConfig { bearers: vec![BearerId(n)], number: n.into(), ..ue });
        }
        let mut ran = Ran::new(config, Seed(1)).expect("a network");
        let rates: Vec<ExposedRate> = (0..gaps.len() as u32)
            .map(|n| {
                let rate = ExposedRate::new(Duration::from_millis(1), 1.0);
                ran.expose_rate(BearerId(n), Duration::from_millis(100), rate.clone());
                rate
            })
            .collect();
        let mut bench = Bench::new();
        for at in (0..400).map(Time::from_millis) {
            while let Some(due) = ran.next_wake().filter(|&due| due <= at) {
                ran.wake(due, &mut bench.cx(due));
            }
            for (teid, gap) in (7..).zip(gaps) {
                if at.as_nanos() % gap.as_nanos() == 0 {
                    let packet = in_tunnel(at, 1_400, teid);
                    ran.receive(at, Ran::CORE, packet, &mut bench.cx(at));
                }
            }
        }
        rates.iter().map(|rate| rate.of_source(Time::from_millis(400))).collect()
    }

    /// TS 36.213, table 7.1.7.2.1-1: 4 392 bits in six resource blocks with the largest index, 26, each millisecond.
    const WHOLE: f64 = 4_392e3;

    #[test]
    fn one_user_could_have_the_whole_cell() {
        let all = [Duration::from_millis(1)]; // 11.2 Mbit/s
        assert_eq!(exposed(&all), [Some(WHOLE)]);
    }

    #[test]
    fn two_equal_users_could_have_half_each() {
        let rates = exposed(&[Duration::from_millis(1); 2]);
        for rate in rates {
            let rate = rate.expect("a report");
            // 100 slots: an odd number in the period gives one of them a slot more.
            assert!((WHOLE / 2.0..=WHOLE * 0.51).contains(&rate), "{rate}");
        }
    }

    #[test]
    fn free_blocks_count_and_a_light_user_has_an_equal_part_at_least() {
        // Three slots in 20 for each packet of 1 400 bytes.
        let one = exposed(&[Duration::from_millis(20)])[0].expect("a report");
        assert!((one / WHOLE - 1.0).abs() < 0.1, "{one}");
        let rates = exposed(&[Duration::from_millis(20), Duration::from_millis(1)]);
        let [light, heavy] = [rates[0].expect("a report"), rates[1].expect("a report")];
        assert!((light / (WHOLE / 2.0) - 1.0).abs() < 0.1, "{light}");
        assert!((0.8..0.9).contains(&(heavy / WHOLE)), "{heavy}");
    }
}
