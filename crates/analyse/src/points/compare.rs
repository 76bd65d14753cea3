//! Two readings of both captures: the first for the clocks, the second for the counts.

use super::clocks::{ClockBasis, ClockRecord, Clocks, Hull};
use super::flows::{Flows, PairFlow};
use super::identity::{Invariants, LADDER};
use super::matching::{Ring, State, Waiting};
use super::merged::{Merged, Placed};
use super::record::{Fate, PacketRecord};
use super::survey::{Common, Survey};
use super::way::Missing;
use super::{Pair, PointsError};
use crate::options::Options;

/// Common state of the readings.
pub(super) struct Comparison<'a, 'b> {
    pub(super) pair: &'b Pair<'a>,
    pub(super) interfaces: Option<[u32; 2]>,
    pub(super) by: Invariants,
    pub(super) flows: Flows,
    /// Times of first and last packets, by each point's clock.
    spans: [(i64, i64); 2],
    /// By the first clock, once that is known.
    pub(super) clocks: Clocks,
    /// Least and greatest delay, by way.
    delays: [Option<(i64, i64)>; 2],
    pub(super) impossible: u64,
    pub(super) short: u64,
}

impl<'a, 'b> Comparison<'a, 'b> {
    pub(super) fn new(
        pair: &'b Pair<'a>,
        interfaces: Option<[u32; 2]>,
        common: Common,
        surveys: [&Survey; 2],
        options: &Options,
    ) -> Comparison<'a, 'b> {
        let spans = surveys.map(|survey| survey.span.unwrap_or_default());
        let by = LADDER[common.ladder];
        let flows = Flows::new(options, by, common.toward);
        let clocks = Clocks { ahead: common.ahead, begin: spans[0].0, ..Clocks::default() };
        let delays = [None; 2];
        let (impossible, short) = (0, 0);
        Comparison { pair, interfaces, by, flows, spans, clocks, delays, impossible, short }
    }

    /// Reads all for the clocks. With one clock there is nothing to be found but delays.
    pub(super) fn clocks(&mut self, one: bool) -> Result<ClockRecord, PointsError> {
        if one {
            self.clocks.ahead = 0;
        }
        self.flows.one_clock = one;
        let mut hulls = [Hull::default(), Hull::default()];
        let Clocks { ahead, begin, .. } = self.clocks;
        self.read(|flows, found| {
            let Some((first, second)) = found.both() else { return };
            let (number, side) = flows.found(&first, &second);
            let y = second.stamp.wrapping_sub(ahead).wrapping_sub(first.stamp) as f64;
            // In the order in which packets are read, whatever their delays are.
            let x = found.read_at().wrapping_sub(begin) as f64;
            match flows.list[number as usize].goes_forward(side) {
                Some(true) => hulls[0].add(x, y),
                Some(false) => hulls[1].add(x, -y),
                None => {}
            }
        })?;
        let (clocks, record) = match one {
            true => (self.clocks, ClockRecord::default()),
            false => Clocks::of(&hulls[0], &hulls[1], ahead, begin),
        };
        self.clocks = clocks;
        if record.basis == ClockBasis::LeastDelayEqual {
            self.flows.placed_by(clocks);
        }
        let span = (self.spans[0].1 - self.spans[0].0) as f64;
        let [there, back] = &hulls;
        let (line, slack) = ((clocks.offset, clocks.drift), clocks.drift.abs() * span);
        let of = |hull: &Hull, offset: f64, drift: f64| {
            let (least, most) = hull.range(drift)?;
            Some(((least - offset) as i64, (most - offset + slack) as i64))
        };
        self.delays = [of(there, line.0, line.1), of(back, -line.0, -line.1)];
        Ok(record)
    }

    /// Reads all for the counts.
    pub(super) fn counts(
        &mut self,
        sink: &mut dyn FnMut(&PacketRecord),
    ) -> Result<(), PointsError> {
        let clocks = self.clocks;
        let to_first = |(first, last)| (clocks.to_first(first), clocks.to_first(last));
        let spans = [self.spans[0], to_first(self.spans[1])];
        let (delays, mut impossible) = (self.delays, 0);
        self.read(|flows, found| match found {
            Found::Seen { flow, point } => flows.list[*flow as usize].seen[*point] += 1,
            Found::Both { .. } => {
                let Some((first, second)) = found.both() else { return };
                impossible += u64::from(arrived(flows, &first, &second, sink));
            }
            Found::One(alone) => one(flows, alone, spans, delays, sink),
        })?;
        self.impossible = impossible;
        Ok(())
    }

    fn read(&mut self, mut found: impl FnMut(&mut Flows, &Found)) -> Result<(), PointsError> {
        let mut merged = Merged::open(self.pair, self.interfaces, self.clocks)?;
        let mut ring = Ring::default();
        let (flows, by) = (&mut self.flows, self.by);
        while let Some(placed) = merged.next() {
            while let Some(old) = ring.expired(placed.at) {
                found(flows, &Found::One(old));
            }
            let Some(packet) = waiting(flows, &placed, by) else { continue };
            found(flows, &Found::Seen { flow: packet.flow, point: packet.point });
            let other = ring.take(packet, |waiting| flows.last(waiting));
            if let Some(other) = other {
                found(flows, &Found::Both { one: other, other: packet });
            }
        }
        while let Some(old) = ring.pop() {
            found(flows, &Found::One(old));
        }
        self.short = ring.short;
        Ok(())
    }
}

/// Result of a reading.
enum Found {
    Seen { flow: u32, point: usize },
    Both { one: Waiting, other: Waiting },
    One(Waiting),
}

impl Found {
    /// Time of the later sight of a packet, by the first point's clock as far as that is known.
    fn read_at(&self) -> i64 {
        match self {
            Found::Both { other, .. } | Found::One(other) => other.at,
            Found::Seen { .. } => 0,
        }
    }

    /// The packet at the first point and at the second.
    fn both(&self) -> Option<(Waiting, Waiting)> {
        match self {
            Found::Both { one, other } if one.point == 0 => Some((*one, *other)),
            Found::Both { one, other } => Some((*other, *one)),
            _ => None,
        }
    }
}

fn waiting(flows: &mut Flows, placed: &Placed, by: Invariants) -> Option<Waiting> {
    let Placed { passed, point, at } = placed;
    if !flows.counts(passed) {
        return None;
    }
    let (flow, side) = flows.of(passed, *point, *at)?;
    Some(Waiting {
        digest: passed.identity.digest(by),
        at: *at,
        flow,
        side,
        point: *point,
        tos: passed.tos,
        ttl: passed.ttl,
        payload: passed.payload,
        stamp: passed.at,
        state: State::Alone,
    })
}

/// A packet passed both points. Whether that is impossible by the clocks.
fn arrived(
    flows: &mut Flows,
    first: &Waiting,
    second: &Waiting,
    sink: &mut dyn FnMut(&PacketRecord),
) -> bool {
    let (number, side) = flows.found(first, second);
    let flow = &mut flows.list[number as usize];
    let Some(forward) = flow.goes_forward(side) else {
        return unplaced(flow, (number, side), [first, second], sink);
    };
    let (front, behind) = if forward { (first, second) } else { (second, first) };
    let (delay, tos) = (behind.at - front.at, [front.tos, behind.tos]);
    flow.ways[side].arrived(front.at, delay.max(0), tos);
    sink(&PacketRecord {
        flow: number,
        up: side == flow.client(),
        at: front.at,
        delay_ms: Some(delay as f64 / 1e6),
        payload: front.payload,
        fate: Fate::Arrived,
        tos,
    });
    // A difference within the rounding of stamps does not count.
    delay < -1_000
}

/// A packet passed both points, and it is not known which first.
fn unplaced(
    flow: &mut PairFlow,
    (number, side): (u32, usize),
    [first, second]: [&Waiting; 2],
    sink: &mut dyn FnMut(&PacketRecord),
) -> bool {
    flow.ways[side].passed_both();
    sink(&PacketRecord {
        flow: number,
        up: side == flow.client(),
        at: first.at,
        delay_ms: None,
        payload: first.payload,
        fate: Fate::Arrived,
        tos: [first.tos, second.tos],
    });
    false
}

/// A packet that only one point saw.
fn one(
    flows: &mut Flows,
    alone: &Waiting,
    spans: [(i64, i64); 2],
    delays: [Option<(i64, i64)>; 2],
    sink: &mut dyn FnMut(&PacketRecord),
) {
    let (number, side) = flows.real(alone.flow, alone.side);
    let flow = &mut flows.list[number as usize];
    if alone.state == State::Found || !flow.common {
        return;
    }
    let Some(forward) = flow.goes_forward(side) else {
        return flow.ways[side].missing(Missing::Unknown);
    };
    let in_front = forward == (alone.point == 0);
    let (least, most) =
        delays[usize::from(!forward)].or(delays[usize::from(forward)]).unwrap_or_default();
    let (begin, end) = spans[1 - alone.point];
    let ran = match in_front {
        true => alone.at + least >= begin && alone.at + most <= end,
        false => alone.at - most >= begin && alone.at - least <= end,
    };
    let (missing, fate) = match (in_front, alone.state) {
        (true, _) if ran => (Missing::Lost, Fate::Lost),
        (true, _) => return flow.ways[side].missing(Missing::Unknown),
        (false, State::Extra) => (Missing::Duplicate, Fate::Duplicate),
        (false, _) if ran => (Missing::Before, Fate::OnlyBehind),
        _ => return,
    };
    flow.ways[side].missing(missing);
    sink(&PacketRecord {
        flow: number,
        up: side == flow.client(),
        at: alone.at,
        delay_ms: None,
        payload: alone.payload,
        fate,
        tos: [alone.tos; 2],
    });
}
