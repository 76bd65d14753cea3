//! From counters to the summary of a run.

use std::collections::BTreeMap;

use airpath_base::rrc::{State, Usage};
use airpath_base::{Bytes, CellId, Duration, NodeId, Time, UeId};
use airpath_net::{Direction, DropCause, Stage};

use crate::collect::Drops;
use crate::resources;
use crate::summary::*;
use crate::users::over;
use crate::{
    BearerInfo, BlockCounts, BudgetCounts, CellCounts, CellInfo, Collector, FlowCounts, FlowInfo,
    MediaCounts, Named, Occupancy, PageCounts, PlaybackCounts, RadioLinkCounts, RadioQueues,
    RangeCounts, RequestCounts, RrcInfo, UeCounts, UeInfo,
};

/// What the caller knows of a run.
#[derive(Clone, Debug, Default)]
pub struct RunFacts {
    /// The scenario as it was run.
    pub scenario: serde_json::Value,
    /// Seed.
    pub seed: u64,
    /// Until when it ran.
    pub end: Time,
    /// Whether that was the planned end.
    pub complete: bool,
    /// What changed while it ran.
    pub changes: Vec<ChangeSummary>,
}

pub(crate) const DOWN: usize = Direction::Downlink as usize;
pub(crate) const UP: usize = Direction::Uplink as usize;

/// The time that statistics are about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// When the warm-up ends.
    pub(crate) from: Time,
    /// When the run ends.
    pub(crate) end: Time,
}

impl Window {
    pub(crate) fn seconds(self) -> f64 {
        self.end.saturating_since(self.from).as_secs_f64()
    }
}

/// A class of service: 5QI, if it is one, and identifier.
type Class = (Option<u8>, u8);

/// `9` for QCI 9, `5QI 9` for 5QI 9.
fn class_name((five_qi, identifier): Class) -> String {
    five_qi.map_or_else(|| identifier.to_string(), |five_qi| format!("5QI {five_qi}"))
}

/// What arrived of the flows that are mapped to one bearer, by direction.
#[derive(Clone, Copy, Default)]
struct Carried {
    bytes: [u64; 2],
    drops: [u64; DropCause::ALL.len()],
    /// Packets within the delay budget, and all that were judged by it.
    judged: [(u64, u64); 2],
}

impl Collector {
    /// What the run came to. What was counted but not named in the inventory
    /// goes by its number.
    pub fn summary(&self, facts: RunFacts) -> RunSummary {
        let window = Window { from: self.from(), end: facts.end };
        let classes = self.traffic_classes();
        RunSummary {
            format: FORMAT.into(),
            version: VERSION.into(),
            complete: facts.complete,
            changes: facts.changes,
            scenario: facts.scenario,
            seed: facts.seed,
            duration_s: facts.end.as_secs_f64(),
            warm_up_s: self.from().as_secs_f64(),
            flows: self.each(&self.inventory.flows, &self.flows.items, |n, info, counts| {
                self.flow_summary(n, info, counts, window)
            }),
            ues: self.each(&self.inventory.ues, &self.ues.items, |n, info, counts| {
                self.ue_summary(UeId(n as u32), info, counts, window)
            }),
            cells: self.each(&self.inventory.cells, &self.cells.items, |n, info, counts| {
                self.cell_summary(n, info, counts, &classes, window)
            }),
            bearers: self.bearer_summaries(window),
            links: self.link_summaries(window),
            resources: self.resources(window, &classes),
            users: over::summaries(&self.users(facts.end), self.low_rate),
            events: self.event_counts(),
        }
    }

    /// One summary for each known or counted thing.
    fn each<I, C: Clone + Default, S>(
        &self,
        infos: &[I],
        counts: &[C],
        summary: impl Fn(usize, Option<&I>, &C) -> S,
    ) -> Vec<S> {
        let nothing = C::default();
        let all = 0..infos.len().max(counts.len());
        all.map(|n| summary(n, infos.get(n), counts.get(n).unwrap_or(&nothing))).collect()
    }

    fn flow_summary(
        &self,
        n: usize,
        info: Option<&FlowInfo>,
        counts: &FlowCounts,
        window: Window,
    ) -> FlowSummary {
        let (data, tcp) = (&counts.data, &counts.tcp);
        let active_until = active_until(info, counts, window.end);
        FlowSummary {
            name: named(info.map(|i| &*i.name), airpath_base::FlowId(n as u32)),
            kind: info.map(|i| i.kind.clone()).unwrap_or_default(),
            ue: info.and_then(|i| i.ue).map(|ue| self.ue_name(ue)),
            direction: info.and_then(|i| i.direction).map(|d| d.name().into()),
            sent_packets: data.sent_packets,
            received_packets: data.received_packets,
            lost_packets: data.lost_packets(),
            in_flight_packets: data.in_flight_packets(),
            sent_bytes: data.sent_bytes,
            received_bytes: data.received_bytes,
            delivered_bytes: counts.delivered_bytes(),
            goodput_bps: goodput(counts, window.from, active_until),
            delay_ms: counts.delays.summary(),
            jitter_ms: counts.delays.jitter(),
            jitter_from_first_ms: counts.delays.jitter_from_first(),
            stages_ms: stage_means(&data.stage_nanos, data.received_packets),
            lost_stages_ms: stage_means(&data.lost_stage_nanos, data.lost_packets()),
            queue_ms: counts.queueing.summary(),
            dropped: causes(&data.drops),
            marks: data.marks,
            retransmissions: tcp.retransmissions(),
            fast_retransmissions: tcp.fast_retransmissions,
            timeouts: tcp.timeouts,
            recoveries: tcp.recoveries,
            rtt_ms: tcp.rtt.mean().map(|nanos| nanos / 1e6),
            feedback_packets: counts.feedback.sent_packets,
            feedback_lost_packets: counts.feedback.lost_packets(),
            start_s: counts.started.map(Time::as_secs_f64),
            finish_s: counts.finished.map(Time::as_secs_f64),
            media: counts.media.as_deref().map(media_summary),
            requests: counts.requests.as_deref().map(request_summary),
            pages: counts.pages.as_deref().map(page_summary),
            playback: counts.playback.as_ref().map(playback_summary),
        }
    }

    fn ue_summary(
        &self,
        ue: UeId,
        info: Option<&UeInfo>,
        counts: &UeCounts,
        window: Window,
    ) -> UeSummary {
        let arrival = info.and_then(|i| i.arrival);
        let present = arrival.map_or(window, |arrival| Window {
            from: window.from.max(arrival),
            end: self.leaves(ue, window.end),
        });
        let radio = |way: usize| RadioSummary {
            out_of_range: out_of_range(counts.range[way], present),
            ..radio_summary(&counts.blocks[way], present)
        };
        let left = arrival.map(|_| present.end).filter(|left| *left < window.end);
        UeSummary {
            name: named(info.map(|i| &*i.name), ue),
            cell: info.and_then(|i| i.cell).map(|cell| self.cell_name(cell)),
            no_service: info
                .and_then(|i| i.no_service_dbm)
                .map(|rsrp_dbm| NoServiceSummary { rsrp_dbm }),
            arrival_s: arrival.map(Time::as_secs_f64),
            left_s: left.map(Time::as_secs_f64),
            down: radio(DOWN),
            up: radio(UP),
            scheduling_requests: counts.scheduling_requests,
            radio_link: radio_link_summary(&counts.radio_link),
            rrc: info.and_then(|i| rrc_summary(i.rrc.as_ref()?, counts)),
        }
    }

    /// When the last flow of a UE was over.
    fn leaves(&self, ue: UeId, end: Time) -> Time {
        let flows = self.inventory.flows.iter().zip(&self.flows.items);
        let own = flows.filter(|(info, _)| info.ue == Some(ue));
        own.map(|(info, counts)| active_until(Some(info), counts, end)).max().unwrap_or(end)
    }

    fn cell_summary(
        &self,
        n: usize,
        info: Option<&CellInfo>,
        counts: &CellCounts,
        classes: &[[String; 2]],
        window: Window,
    ) -> CellSummary {
        let offered = resources::offered(info, counts.control.elements, window);
        let used = |d: usize| resources::share(counts.blocks[d].resource_blocks as f64, offered[d]);
        let cell = CellId(n as u16);
        let by_qci = |d: usize| {
            let used = self.used_by(Some(cell), d, |_, info| (info.five_qi, info.qci));
            resources::shares(used, class_name, offered[d])
        };
        let by_class = |d: usize| {
            let used = self.used_by(Some(cell), d, |n, _| classes[n][d].as_str());
            resources::shares(used, str::to_owned, offered[d])
        };
        CellSummary {
            name: self.cell_name(cell),
            utilisation: used(DOWN),
            utilisation_up: used(UP),
            utilisation_by_qci: by_qci(DOWN),
            utilisation_by_qci_up: by_qci(UP),
            utilisation_by_class: by_class(DOWN),
            utilisation_by_class_up: by_class(UP),
            control_utilisation: resources::share(counts.control.used as f64, offered[2]),
            down: radio_summary(&counts.blocks[DOWN], window),
            up: radio_summary(&counts.blocks[UP], window),
        }
    }

    fn bearer_summaries(&self, window: Window) -> Vec<BearerSummary> {
        let carried = self.carried();
        self.each(&self.inventory.bearers, &self.bearers.items, |n, info, counts| {
            let carried = carried.get(n).copied().unwrap_or_default();
            self.bearer_summary(n, info, counts, carried, window)
        })
    }

    fn bearer_summary(
        &self,
        n: usize,
        info: Option<&BearerInfo>,
        counts: &RadioQueues,
        carried: Carried,
        window: Window,
    ) -> BearerSummary {
        let used = counts.resource_blocks;
        let cost = |d: usize| {
            let bits = carried.bytes[d] * 8;
            (bits > 0).then(|| used[d] / bits as f64)
        };
        let within = |d: usize| {
            let (within, all) = carried.judged[d];
            (all > 0).then(|| within as f64 / all as f64)
        };
        BearerSummary {
            name: named(info.map(|i| &*i.name), airpath_base::BearerId(n as u32)),
            ue: info.map(|i| self.ue_name(i.ue)),
            qci: info.map(|i| i.qci).unwrap_or_default(),
            five_qi: info.and_then(|i| i.five_qi),
            rlc_mode: info.map(|i| i.rlc_mode.clone()).unwrap_or_default(),
            queue: queue_summary(&counts.queue[DOWN], window),
            queue_up: queue_summary(&counts.queue[UP], window),
            dropped: causes(&carried.drops),
            rlc_retransmissions: counts.rlc_retransmissions.iter().sum(),
            delivered_bits: carried.bytes.iter().sum::<u64>() * 8,
            resource_blocks: used[DOWN],
            resource_blocks_up: used[UP],
            resource_blocks_per_bit: cost(DOWN),
            resource_blocks_per_bit_up: cost(UP),
            delay_budget_ms: info.and_then(|i| i.delay_budget).map(Duration::as_millis_f64),
            within_delay_budget: within(DOWN),
            within_delay_budget_up: within(UP),
        }
    }

    /// What each bearer carried, by the flows that are mapped to it.
    fn carried(&self) -> Vec<Carried> {
        let mut all = vec![Carried::default(); self.inventory.bearers.len()];
        for (info, counts) in self.inventory.flows.iter().zip(&self.flows.items) {
            let data_up = info.direction == Some(Direction::Uplink);
            let legs = [(&counts.data, data_up), (&counts.feedback, !data_up)];
            for ((bearer, (leg, up)), judged) in info.bearers.iter().zip(legs).zip(counts.budgets) {
                let Some(carried) = bearer.and_then(|b| all.get_mut(b.index())) else { continue };
                carried.bytes[usize::from(up)] += leg.received_bytes;
                if !info.has_packets() {
                    carried.bytes[usize::from(up)] += counts.delivered_bytes();
                }
                if let Some(BudgetCounts { within, outside, .. }) = judged {
                    let judged = &mut carried.judged[usize::from(up)];
                    (judged.0, judged.1) = (judged.0 + within, judged.1 + within + outside);
                }
                carried.drops.iter_mut().zip(leg.radio_drops).for_each(|(all, n)| *all += n);
            }
        }
        all
    }

    fn link_summaries(&self, window: Window) -> Vec<LinkSummary> {
        let links = self.inventory.links.iter().map(|link| LinkSummary {
            name: link.name.clone(),
            rate_bps: link.rate.map(|rate| rate.as_bps()),
            queue: queue_summary(&self.queue(link.node, window.end).unwrap_or_default(), window),
            dropped: by_name(self.drops_at(link.node)),
            marks: self.marks_at(link.node),
        });
        links.collect()
    }

    fn event_counts(&self) -> EventCounts {
        let totals = self.totals();
        EventCounts {
            events: totals.events,
            originated: totals.originated,
            consumed: totals.consumed,
            dropped: totals.dropped,
            marked: totals.marked,
            blocks: totals.blocks,
            suspicious_ecn: totals.suspicious_ecn,
            stage_mismatches: totals.stage_mismatches,
            dropped_at: self.dropped_at(),
            packets_omitted: self.packets_omitted(),
            series_truncated_s: self.series_truncated().map(Time::as_secs_f64),
        }
    }

    /// Drops by name of node, cell or UE; those of the same name together.
    fn dropped_at(&self) -> Named<Named<u64>> {
        let mut places = BTreeMap::new();
        let mut all: Vec<(String, Drops)> = Vec::new();
        for ((node, end), drops) in self.drops_by_spot() {
            if drops.iter().all(|n| *n == 0) {
                continue;
            }
            let name = self.inventory.spot(node, end);
            let place = *places.entry(name.clone()).or_insert(all.len());
            match all.get_mut(place) {
                Some((_, sum)) => sum.iter_mut().zip(drops).for_each(|(sum, n)| *sum += n),
                None => all.push((name, drops)),
            }
        }
        all.into_iter().map(|(name, drops)| (name, causes(&drops))).collect()
    }

    pub(crate) fn node_name(&self, node: NodeId) -> String {
        named(self.inventory.nodes.get(node.index()).map(|n| &**n), node)
    }

    pub(crate) fn ue_name(&self, ue: UeId) -> String {
        named(self.inventory.ues.get(ue.index()).map(|i| &*i.name), ue)
    }

    pub(crate) fn cell_name(&self, cell: CellId) -> String {
        named(self.inventory.cells.get(cell.index()).map(|i| &*i.name), cell)
    }
}

/// The name, or what stands for it.
pub(crate) fn named(name: Option<&str>, number: impl std::fmt::Display) -> String {
    name.map_or_else(|| number.to_string(), Into::into)
}

fn media_summary(media: &MediaCounts) -> MediaSummary {
    MediaSummary {
        frames: media.made,
        key_frames: media.keys,
        frames_complete: media.complete,
        frames_lost: media.lost(),
        frames_late: media.late,
        frame_delay_ms: media.delays.summary(),
        rtp_queue_ms: media.sender.summary(),
        network_queue_ms: media.network.summary(),
        discarded_packets: media.discarded_packets(),
        target_bps: media.target.mean(),
        ended_early_s: media.gave_up.map(Time::as_secs_f64),
    }
}

fn request_summary(requests: &RequestCounts) -> RequestSummary {
    RequestSummary {
        asked: requests.asked,
        answered: requests.answered,
        first_byte_ms: requests.first_byte.summary(),
        duration_ms: requests.durations.summary(),
    }
}

fn page_summary(pages: &PageCounts) -> PageSummary {
    let PageCounts { asked, finished, .. } = *pages;
    PageSummary { asked, finished, delay_ms: pages.delays.summary() }
}

fn playback_summary(playback: &PlaybackCounts) -> PlaybackSummary {
    PlaybackSummary {
        startup_s: playback.startup.map(Duration::as_secs_f64),
        stalls: playback.stalls,
        stalled_s: playback.stalled.as_secs_f64(),
        played_s: playback.played.as_secs_f64(),
    }
}

/// When a flow was over. What was on its way at its planned stop is delivered after, and
/// takes time too.
pub(crate) fn active_until(info: Option<&FlowInfo>, counts: &FlowCounts, end: Time) -> Time {
    let gave_up = counts.media.as_ref().and_then(|media| media.gave_up);
    let stop = gave_up.or(info.and_then(|info| info.stop));
    let stop = stop.map(|stop| match counts.last_delivery {
        Some(last) => last.max(stop),
        None => stop,
    });
    counts.finished.or(stop).map_or(end, |over| over.min(end))
}

fn goodput(counts: &FlowCounts, from: Time, until: Time) -> Option<f64> {
    let active = until.saturating_since(counts.started?.max(from));
    let bits = counts.delivered_bytes() as f64 * 8.0;
    (!active.is_zero()).then(|| bits / active.as_secs_f64())
}

/// Of so many packets.
fn stage_means(nanos: &[u64; Stage::COUNT], packets: u64) -> Named<f64> {
    let n = packets as f64;
    let stages = Stage::ALL.into_iter().filter(|_| packets > 0);
    stages.map(|s| (s.name(), nanos[s as usize] as f64 / n / 1e6)).collect()
}

fn radio_link_summary(counts: &RadioLinkCounts) -> Option<RadioLinkSummary> {
    let outage_s = counts.outage.as_secs_f64();
    (counts.failures() > 0 || outage_s > 0.0).then(|| RadioLinkSummary {
        failures: counts.failures(),
        out_of_sync: counts.out_of_sync,
        retransmissions: counts.retransmissions,
        reestablished: counts.reestablished,
        lost: counts.lost,
        outage_s,
    })
}

fn rrc_summary(info: &RrcInfo, counts: &UeCounts) -> Option<RrcSummary> {
    let rrc = counts.rrc.as_ref()?;
    let bits = |direction: usize| Bytes(counts.blocks[direction].delivered_bits() / 8);
    let usage = Usage { up: bits(UP), down: bits(DOWN), ..rrc.usage };
    let (energy, total) = (info.power.energy(&usage), usage.total().as_secs_f64());
    let seconds = |state: State| usage.time_in(state).as_secs_f64();
    let share = |state| if total > 0.0 { seconds(state) / total } else { 0.0 };
    let parts = [
        ("idle", energy.idle),
        ("promotion", energy.promotion),
        ("active", energy.active),
        ("drx", energy.drx),
        ("up", energy.up),
        ("down", energy.down),
    ];
    Some(RrcSummary {
        promotions: usage.promotions,
        seconds: State::ALL.into_iter().map(|state| (state.name(), seconds(state))).collect(),
        share: State::ALL.into_iter().map(|state| (state.name(), share(state))).collect(),
        paging_s: usage.paging.as_secs_f64(),
        on_duration_s: usage.listening.as_secs_f64(),
        energy_j: parts.into_iter().collect(),
        total_energy_j: energy.total(),
        states_omitted: rrc.omitted,
    })
}

fn causes(drops: &[u64; DropCause::ALL.len()]) -> Named<u64> {
    by_name(DropCause::ALL.into_iter().zip(drops.iter().copied()))
}

fn by_name(drops: impl Iterator<Item = (DropCause, u64)>) -> Named<u64> {
    drops.filter(|(_, n)| *n > 0).map(|(cause, n)| (cause.name(), n)).collect()
}

fn queue_summary(queue: &Occupancy, Window { from, end }: Window) -> QueueSummary {
    let ((max_packets, max_bytes), mean) = (queue.max(), queue.mean(from, end));
    let wait = queue.wait_ms();
    QueueSummary {
        mean_packets: mean.map(|(packets, _)| packets),
        max_packets,
        mean_bytes: mean.map(|(_, bytes)| bytes),
        max_bytes,
        mean_delay_ms: wait.map(|(mean, _)| mean),
        max_delay_ms: wait.map(|(_, max)| max),
    }
}

fn radio_summary(blocks: &BlockCounts, window: Window) -> RadioSummary {
    let bler = blocks.bler();
    let seconds = window.seconds();
    RadioSummary {
        transmissions: blocks.transmissions(),
        resource_blocks: blocks.resource_blocks,
        bytes: blocks.bytes,
        padding_bytes: blocks.padding,
        bits_per_resource_block: blocks.bits_per_resource_block(),
        bler_first: bler.first().copied().flatten(),
        bler_by_attempt: bler,
        mean_mcs: blocks.mean_mcs(),
        mean_sinr_db: blocks.mean_sinr_db(),
        sinr: blocks.sinr.summary(),
        granted_bytes: blocks.granted,
        throughput_bps: (seconds > 0.0).then(|| blocks.delivered_bits() as f64 / seconds),
        blocked: blocks.blocked,
        missed: blocks.missed,
        out_of_range: None,
    }
}

fn out_of_range(counts: RangeCounts, present: Window) -> Option<OutOfRangeSummary> {
    let (out, lowest) = counts.by(present.end)?;
    let (seconds, all) = (out.as_secs_f64(), present.seconds());
    let share = if all > 0.0 { (seconds / all).min(1.0) } else { 1.0 };
    Some(OutOfRangeSummary { seconds, share, sinr_db: f64::from(lowest) })
}

#[cfg(test)]
#[path = "summarise_tests.rs"]
pub(crate) mod tests;
