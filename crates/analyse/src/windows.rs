//! Windows of bandwidth as they are handed out.
//!
//! They wait for the receiver's clock to be known, at most so many of each series.

use core::num::NonZeroU16;
use std::sync::Arc;

use airpath_base::Time;
use airpath_wire::Endpoint;

use crate::finish::{Client, better, period};
use crate::flow::Flow;

/// Windows of a series that wait; when there are more, half of them are handed out.
const MOST: usize = 256;

/// A window, and the interface of its direction by its index.
pub(crate) type Placed = (Option<NonZeroU16>, Window);

/// Bandwidth in a window of one direction of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The flow's client.
    pub client: Endpoint,
    /// Its server.
    pub server: Endpoint,
    /// The interface at which the direction's packets passed (see
    /// [`Direction::interface`](crate::Direction::interface)).
    pub interface: Option<Arc<str>>,
    /// Begin of the flow.
    pub flow_start: Time,
    /// True if the data went from the client to the server.
    pub up: bool,
    /// Begin of the window.
    pub start: Time,
    /// Width of the window in seconds.
    pub width_s: f64,
    /// Acknowledged data in the window, in bit/s.
    pub used_bps: f64,
    /// The bandwidth that was there, if estimates lie in it.
    pub available_bps: Option<f64>,
    /// True if the estimate rests on the receiver's timestamps, not on arrival times at the
    /// capture.
    pub by_timestamps: bool,
}

impl Flow {
    /// True if a series has to hand out windows.
    pub(crate) fn has_many_windows(&self) -> bool {
        let estimators = self.halves.iter().filter_map(|half| half.estimators.as_ref());
        estimators.flat_map(|estimators| &estimators.series).any(|series| series.len() > MOST)
    }

    /// Hands out windows, all of them if the flow is over.
    pub(crate) fn take_windows(&mut self, over: bool, beside: &Client, out: &mut Vec<Placed>) {
        if self.untimed {
            return;
        }
        let client = self.key.client();
        let [above, below] = self.places();
        for side in [client, 1 - client] {
            let up = side == client;
            let place = if up { above } else { below };
            let own = period(&self.halves[1 - side]);
            // Data on the way down is received by the client.
            let clock = if up { own } else { better(own, beside.clock) };
            let (client, server) = (self.key.end(client), self.key.server());
            let Some(estimators) = &mut self.halves[side].estimators else { continue };
            for series in &mut estimators.series {
                let kept = if over { 0 } else { MOST / 2 };
                if !over && series.len() <= MOST {
                    continue;
                }
                out.extend(series.take(kept).iter().map(|cell| {
                    let available = cell.sample.bps(clock.map(|(seconds, _)| seconds));
                    let window = Window {
                        client,
                        server,
                        interface: None,
                        flow_start: self.start,
                        up,
                        start: series.begins(cell),
                        width_s: series.width().as_secs_f64(),
                        used_bps: series.used_bps(cell),
                        available_bps: available.map(|(bps, _)| bps),
                        by_timestamps: available.is_some_and(|(_, by_timestamps)| by_timestamps),
                    };
                    (place, window)
                }));
            }
        }
    }
}
