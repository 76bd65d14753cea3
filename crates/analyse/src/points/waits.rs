//! The round trips beyond two points.

use std::collections::BTreeMap;
use std::io::Read;

use airpath_wire::Endpoint;

use super::flows::PairFlow;
use super::record::{WaitsRecord, WayRecord};
use super::{Capture, Pair, PointsError};
use crate::options::Options;
use crate::record::{Direction, FlowProtocol, FlowRecord};
use crate::{Analyser, Sink};

/// Flows whose round trips are kept, of each point.
const MOST: usize = 100_000;

/// Round trips of TCP flows at a point, by client and server.
#[derive(Debug, Default)]
pub(super) struct RoundTrips(BTreeMap<(Endpoint, Endpoint), Trip>);

/// Mean round trips of a flow's data between a point and its ends, in ms.
#[derive(Clone, Copy, Debug)]
struct Trip {
    client_side: Option<f64>,
    server_side: Option<f64>,
    bytes: u64,
}

/// Takes flows of the points' interfaces.
struct Takes<'a> {
    interfaces: Option<&'a [String; 2]>,
    trips: &'a mut [RoundTrips; 2],
    point: usize,
}

impl Sink for Takes<'_> {
    fn flow(&mut self, flow: &FlowRecord) {
        let label = flow.up.interface.as_deref().or(flow.down.interface.as_deref());
        let point = match self.interfaces {
            Some(points) => points.iter().position(|name| Some(name.as_str()) == label),
            None => Some(self.point),
        };
        if let (Some(point), FlowProtocol::Tcp) = (point, flow.protocol) {
            self.trips[point].add(flow);
        }
    }
}

impl RoundTrips {
    /// Those of both points.
    pub(super) fn of(pair: &Pair<'_>, options: &Options) -> Result<[RoundTrips; 2], PointsError> {
        let mut trips = [RoundTrips::default(), RoundTrips::default()];
        let interfaces = match pair {
            Pair::Interfaces(_, points) => Some(points),
            Pair::Captures(..) => None,
        };
        for (point, capture) in pair.captures().into_iter().enumerate() {
            let takes = Takes { interfaces, trips: &mut trips, point };
            analyse(capture, options, takes)?;
        }
        Ok(trips)
    }

    /// Parts of a flow's round trips.
    pub(super) fn waits(
        both: &[RoundTrips; 2],
        flow: &PairFlow,
        client_point: usize,
        (up, down): (&WayRecord, &WayRecord),
    ) -> Option<WaitsRecord> {
        let at = |point: usize| {
            let key = flow.keys[point]?;
            both[point].0.get(&(key.end(key.client()), key.server()))
        };
        Some(WaitsRecord {
            client_side_ms: at(client_point)?.client_side?,
            up_ms: up.delay_ms?.mean,
            down_ms: down.delay_ms?.mean,
            server_side_ms: at(1 - client_point)?.server_side?,
        })
    }

    fn add(&mut self, flow: &FlowRecord) {
        let mean = |direction: &Direction| direction.rtt_ms.map(|rtt| rtt.mean);
        let trip = Trip {
            client_side: mean(&flow.down),
            server_side: mean(&flow.up),
            bytes: flow.up.bytes + flow.down.bytes,
        };
        let ends = (flow.client, flow.server);
        if self.0.len() >= MOST && !self.0.contains_key(&ends) {
            return;
        }
        let known = self.0.entry(ends).or_insert(trip);
        if known.bytes < trip.bytes {
            *known = trip;
        }
    }
}

fn analyse(capture: &dyn Capture, options: &Options, takes: Takes<'_>) -> Result<(), PointsError> {
    let broken = |error| PointsError::Open { capture: capture.name().into(), error };
    let input: Box<dyn Read> = capture.open().map_err(|error| broken(error.into()))?;
    let mut analyser = Analyser::with_sink(options.clone(), takes);
    analyser.read(capture.name(), input).map_err(broken)?;
    analyser.finish();
    Ok(())
}
