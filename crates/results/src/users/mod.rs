//! Results of users: a user is a UE with one kind of application in one direction.
//!
//! The measures are declared once, in `measures/user.rs`: columns of `users.parquet`, their distributions
//! over users in `summary.json`, and their definitions in `docs/results.md` come from there. They
//! are those of D. Brunello, "L4S in 5G networks", KTH 2020, chapter 3.3, for any scenario.

pub(crate) mod over;
mod table;

use std::collections::BTreeMap;

use airpath_base::{Duration, Time};
use airpath_net::Direction;

use crate::measures::source::Window;
use crate::summarise::active_until;
use crate::{
    Collector, DecibelSummary, DelaySummary, Delays, FlowCounts, FlowInfo, MediaCounts, PageCounts,
    PlaybackCounts, RequestCounts, ShownCounts,
};

pub use over::{OverUsers, UsersSummary};
pub use table::{UserRow, add_to, measures, rows, users as table};

/// Results of one user, behind the warm-up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct User {
    /// Name of the UE.
    pub ue: String,
    /// Name of its cell at the start.
    pub cell: Option<String>,
    /// Kind of application.
    pub application: String,
    /// Direction of its data.
    pub direction: Option<Direction>,
    /// Flows of this kind that it has.
    pub flows: u64,
    /// Bits of payload that reached the application, a second.
    pub transmitted_bps: Option<f64>,
    /// Packets of data; none for full buffers.
    pub packets: Option<UserPackets>,
    /// Delays of IP packets.
    pub ip_delay: Option<DelaySummary>,
    /// Of video.
    pub video: Option<UserVideo>,
    /// Pages requested and complete, and their delays.
    pub pages: Option<Answers>,
    /// Requests sent and answered, and their durations.
    pub requests: Option<Answers>,
    /// Of players.
    pub playback: Option<UserPlayback>,
    /// Of voice: the smallest mean opinion score of its flows.
    pub mos: Option<f64>,
    /// Share within a time of the flow in which it is smallest.
    pub within_share: Option<f64>,
    /// TCP's retransmissions and timeouts.
    pub repeated: Option<[u64; 2]>,
    /// SINR of the UE's transmissions in this direction.
    pub sinr: Option<DecibelSummary>,
    /// Resource blocks of the UE in this direction.
    pub resource_blocks: Option<u64>,
    /// Seconds that the UE was out of range in this direction; none if it never was.
    pub out_of_range_s: Option<f64>,
    /// True if the UE had no service.
    pub no_service: bool,
}

/// Packets of a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UserPackets {
    /// Handed to the network.
    pub sent: u64,
    /// Arrived.
    pub received: u64,
    /// Dropped.
    pub lost: u64,
    /// Arrived with congestion experienced.
    pub ce: u64,
}

/// Frames of a user, and what they waited for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserVideo {
    /// Frames made, complete, and late.
    pub frames: [u64; 3],
    /// Frames lost, and frames that came behind a newer one.
    pub frames_not_shown: [u64; 2],
    /// Times without a new picture, and their share of the time; none without pictures.
    pub frozen: (Option<u64>, Option<f64>),
    /// From the making of an input to the picture that shows it.
    pub input_to_picture: Option<DelaySummary>,
    /// Sessions that their source ended for a poor rate.
    pub ended_early: u64,
    /// From encoder to picture.
    pub frame_delay: Option<DelaySummary>,
    /// From encoder to network.
    pub rtp_queue: Option<DelaySummary>,
    /// The controller's estimates of the queue delay in the network.
    pub network_queue: Option<DelaySummary>,
}

/// Playback of a user, all players together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UserPlayback {
    /// Mean time in seconds until a player first played.
    pub startup_s: Option<f64>,
    /// Times that players stood still for want of media.
    pub stalls: u64,
    /// Share of the time since they first played that they stood still.
    pub stalled_share: Option<f64>,
}

/// Requests and their responses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// Requested.
    pub asked: u64,
    /// Of these, complete.
    pub complete: u64,
    /// From asking to the last byte.
    pub delay: Option<DelaySummary>,
    /// From asking to the first object; of pages only.
    pub first: Option<DelaySummary>,
}

type Flow<'a> = (&'a FlowInfo, &'a FlowCounts);

impl Collector {
    /// Results of each user of a run that ended at `end`, UE by UE.
    pub fn users(&self, end: Time) -> Vec<User> {
        let window = Window { from: self.from(), end };
        let mut groups: BTreeMap<_, Vec<Flow<'_>>> = BTreeMap::new();
        for flow in self.inventory.flows.iter().zip(&self.flows.items) {
            if let (Some(ue), Some(application)) = (flow.0.ue, &flow.0.application) {
                let key = (ue, application.as_str(), flow.0.direction);
                groups.entry(key).or_default().push(flow);
            }
        }
        let users = groups.into_iter().map(|((ue, application, direction), flows)| {
            let info = self.inventory.ues.get(ue.index());
            let cell = info.and_then(|ue| ue.cell);
            let radio = self.ues.get(ue.index()).filter(|_| cell.is_some()).zip(direction);
            let blocks = radio.map(|(counts, direction)| &counts.blocks[direction as usize]);
            let range = radio.and_then(|(counts, way)| counts.range[way as usize].by(end));
            User {
                ue: self.ue_name(ue),
                cell: cell.map(|cell| self.cell_name(cell)),
                application: application.to_owned(),
                direction,
                sinr: blocks.and_then(|blocks| blocks.sinr.summary()),
                resource_blocks: blocks.map(|blocks| blocks.resource_blocks),
                out_of_range_s: range.map(|(out, _)| out.as_secs_f64()),
                no_service: info.is_some_and(|ue| ue.no_service_dbm.is_some()),
                ..of_flows(&flows, window)
            }
        });
        users.collect()
    }
}

fn of_flows(flows: &[Flow<'_>], window: Window) -> User {
    let counts = || flows.iter().map(|(_, counts)| *counts);
    let any = |of: fn(&FlowInfo) -> bool| flows.iter().any(|(info, _)| of(info));
    let pages: Vec<&PageCounts> = counts().filter_map(|flow| flow.pages.as_deref()).collect();
    let requests: Vec<_> = counts().filter_map(|flow| flow.requests.as_deref()).collect();
    let repeated = || {
        let of = |n: fn(&FlowCounts) -> u64| counts().map(n).sum();
        [of(|flow| flow.tcp.retransmissions()), of(|flow| flow.tcp.timeouts)]
    };
    User {
        flows: flows.len() as u64,
        transmitted_bps: rate(flows, window),
        packets: any(FlowInfo::has_packets).then(|| packets(flows)),
        ip_delay: Delays::together(&counts().map(ip_delays).collect::<Vec<_>>()),
        video: video(&counts().filter_map(|flow| flow.media.as_deref()).collect::<Vec<_>>()),
        playback: playback(flows),
        mos: voice(flows, window.end),
        within_share: counts().filter_map(FlowCounts::within_share).reduce(f64::min),
        pages: answers(&pages, |page| (page.asked, page.finished, &page.delays)).map(|pages_of| {
            let first: Vec<&Delays> = pages.iter().map(|page| &page.first_objects).collect();
            Answers { first: Delays::together(&first), ..pages_of }
        }),
        requests: answers(&requests, |r: &RequestCounts| (r.asked, r.answered, &r.durations)),
        repeated: any(|info| info.kind == FlowInfo::TCP).then(repeated),
        ..User::default()
    }
}

/// Bits that reached the application, a second of the time from the first flow's beginning to the
/// last one's end.
fn rate(flows: &[Flow<'_>], window: Window) -> Option<f64> {
    let begun = flows.iter().filter_map(|(_, counts)| counts.started).min()?;
    let ends = flows.iter().map(|(info, counts)| active_until(Some(info), counts, window.end));
    let active = ends.max()?.saturating_since(begun.max(window.from));
    let bytes: u64 = flows.iter().map(|(_, counts)| counts.delivered_bytes()).sum();
    (!active.is_zero()).then(|| bytes as f64 * 8.0 / active.as_secs_f64())
}

fn packets(flows: &[Flow<'_>]) -> UserPackets {
    let mut all = UserPackets::default();
    for (_, counts) in flows {
        all.sent += counts.data.sent_packets;
        all.received += counts.data.received_packets;
        all.lost += counts.data.lost_packets();
        all.ce += counts.data.received_ce;
    }
    all
}

/// Delays without the time in the sender, where there is such.
fn ip_delays(flow: &FlowCounts) -> &Delays {
    flow.media.as_ref().map_or(&flow.delays, |media| &media.ip)
}

fn video(flows: &[&MediaCounts]) -> Option<UserVideo> {
    let sum = |of: fn(&MediaCounts) -> u64| flows.iter().map(|media| of(media)).sum();
    let together = |of: fn(&MediaCounts) -> &Delays| {
        Delays::together(&flows.iter().map(|media| of(media)).collect::<Vec<_>>())
    };
    (!flows.is_empty()).then(|| UserVideo {
        frames: [sum(|media| media.made), sum(|media| media.complete), sum(|media| media.late)],
        ended_early: sum(|media| u64::from(media.gave_up.is_some())),
        frames_not_shown: [sum(MediaCounts::lost), sum(|media| media.shown.overtaken)],
        frozen: frozen(flows),
        input_to_picture: together(|media| &media.from_input),
        frame_delay: together(|media| &media.delays),
        rtp_queue: together(|media| &media.sender),
        network_queue: together(|media| &media.network),
    })
}

/// Times that pictures stood still; none without pictures. Then their share of the time between pictures; none without two.
fn frozen(flows: &[&MediaCounts]) -> (Option<u64>, Option<f64>) {
    let viewed: Vec<&ShownCounts> = flows.iter().filter_map(|media| media.viewed()).collect();
    let sum = |of: fn(&ShownCounts) -> Duration| -> f64 {
        viewed.iter().map(|shown| of(shown).as_secs_f64()).sum()
    };
    let freezes = viewed.iter().map(|shown| shown.freezes).reduce(|a, b| a + b);
    let watched = sum(|shown| shown.watched);
    (freezes, (watched > 0.0).then(|| sum(|shown| shown.frozen) / watched))
}

fn playback(flows: &[Flow<'_>]) -> Option<UserPlayback> {
    let players: Vec<&PlaybackCounts> =
        flows.iter().filter_map(|(_, counts)| counts.playback.as_ref()).collect();
    let startups: Vec<f64> =
        players.iter().filter_map(|p| p.startup).map(Duration::as_secs_f64).collect();
    let sum = |of: fn(&PlaybackCounts) -> Duration| -> f64 {
        players.iter().map(|player| of(player).as_secs_f64()).sum()
    };
    let (stalled, played) = (sum(|player| player.stalled), sum(|player| player.played));
    let time = stalled + played;
    (!players.is_empty()).then(|| UserPlayback {
        startup_s: (!startups.is_empty())
            .then(|| startups.iter().sum::<f64>() / startups.len() as f64),
        stalls: players.iter().map(|player| player.stalls).sum(),
        stalled_share: (time > 0.0).then(|| stalled / time),
    })
}

/// The smallest mean opinion score of flows of voice.
fn voice(flows: &[Flow<'_>], end: Time) -> Option<f64> {
    let mos = flows.iter().filter_map(|(info, counts)| Some(counts.voice(info.codec?, end)?.mos));
    mos.reduce(f64::min)
}

fn answers<T>(all: &[&T], of: fn(&T) -> (u64, u64, &Delays)) -> Option<Answers> {
    let delays: Vec<&Delays> = all.iter().map(|one| of(one).2).collect();
    (!all.is_empty()).then(|| Answers {
        asked: all.iter().map(|one| of(one).0).sum(),
        complete: all.iter().map(|one| of(one).1).sum(),
        delay: Delays::together(&delays),
        first: None,
    })
}

#[cfg(test)]
#[path = "../users_tests.rs"]
mod tests;
