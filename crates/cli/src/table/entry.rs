//! Rows: a flow, or the flows of a group of UEs together.

use airpath_report::distinct;
use airpath_results::{DelaySummary, FlowInfo, FlowSummary, UeGroups, UeSummary};

/// A flow or several.
pub struct Entry {
    pub name: String,
    pub flows: usize,
    /// Flag of an entry with a flow that has packets.
    pub packets: bool,
    pub sent: u64,
    pub received: u64,
    pub lost: u64,
    /// Bytes that reached applications.
    pub delivered: u64,
    /// Goodput of each flow, in Mbit/s.
    pub rates: Vec<f64>,
    /// Mean delay of all packets, in ms.
    pub delay: Option<f64>,
    /// The largest of the flows'.
    pub p95: Option<f64>,
    /// The largest of the flows'.
    pub p99: Option<f64>,
    /// The largest of the flows'.
    pub jitter: Option<f64>,
    pub retransmissions: u64,
    pub marks: u64,
    pub requests: Option<Requests>,
    /// Pages, each with several of these requests.
    pub pages: Option<Requests>,
    pub playback: Option<Playback>,
    stages: Vec<(String, f64)>,
}

/// Requests of an entry, or pages.
#[derive(Default)]
pub struct Requests {
    pub asked: u64,
    pub answered: u64,
    total_ms: f64,
}

/// Players of an entry.
#[derive(Default)]
pub struct Playback {
    started: usize,
    startup_s: f64,
    pub stalls: u64,
    pub stalled_s: f64,
}

/// Radio states of a UE or several.
pub struct Radio {
    pub name: String,
    pub promotions: u64,
    /// None if no UE of it may be inactive.
    pub resumes: Option<u64>,
    pub energy_j: f64,
    ues: usize,
    shares: Vec<(String, f64)>,
}

/// Flows of the same name in UEs of the same group together, in their order.
pub fn by_group(flows: &[FlowSummary], groups: &UeGroups) -> Vec<Entry> {
    let mut members: Vec<(String, Vec<&FlowSummary>)> = Vec::new();
    for flow in flows {
        let name = groups.flow(flow);
        match members.iter_mut().find(|(known, _)| *known == name) {
            Some((_, flows)) => flows.push(flow),
            None => members.push((name, vec![flow])),
        }
    }
    members.into_iter().map(|(name, flows)| Entry::of(name, &flows)).collect()
}

fn largest(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.reduce(f64::max)
}

/// Weighted mean of values, each with its weight; none if all weights are 0.
fn mean(values: impl Iterator<Item = (f64, u64)>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0), |(sum, n), (v, k)| (sum + v * k as f64, n + k));
    (n > 0).then(|| sum / n as f64)
}

impl Entry {
    /// Of these flows, at least one.
    pub fn of(name: String, flows: &[&FlowSummary]) -> Entry {
        let sum = |of: fn(&FlowSummary) -> u64| flows.iter().map(|flow| of(flow)).sum();
        let delays = || flows.iter().filter_map(|flow| flow.delay_ms.as_ref());
        let weighed = flows
            .iter()
            .filter_map(|flow| Some((flow.delay_ms.as_ref()?.mean, flow.received_packets)));
        Entry {
            name,
            flows: flows.len(),
            packets: flows.iter().any(|flow| flow.kind != FlowInfo::FULL_BUFFER),
            sent: sum(|flow| flow.sent_packets),
            received: sum(|flow| flow.received_packets),
            lost: sum(|flow| flow.lost_packets),
            delivered: sum(|flow| flow.delivered_bytes),
            rates: flows.iter().filter_map(|flow| Some(flow.goodput_bps? / 1e6)).collect(),
            delay: mean(weighed),
            p95: largest(delays().map(|delay| delay.p95)),
            p99: largest(delays().map(|delay| delay.p99)),
            jitter: largest(flows.iter().filter_map(|flow| flow.jitter_ms)),
            retransmissions: sum(|flow| flow.retransmissions),
            marks: sum(|flow| flow.marks),
            requests: Requests::of(flows),
            pages: Requests::of_pages(flows),
            playback: Playback::of(flows),
            stages: stages(flows),
        }
    }

    /// Bits of all its flows that reached applications, a second of so many seconds, in Mbit/s. Flows are active
    /// at different times, so that their goodputs have no sum.
    pub fn carried(&self, seconds: f64) -> Option<f64> {
        let is_some = seconds > 0.0 && !self.rates.is_empty();
        is_some.then(|| self.delivered as f64 * 8e-6 / seconds)
    }

    /// Mean time in a stage, in ms.
    pub fn stage(&self, name: &str) -> Option<f64> {
        self.stages.iter().find(|(stage, _)| stage == name).map(|(_, ms)| *ms)
    }
}

fn stages(flows: &[&FlowSummary]) -> Vec<(String, f64)> {
    let names = distinct(flows.iter().flat_map(|flow| flow.stages_ms.iter()).map(|(name, _)| name));
    let of = |name: &str| {
        let spent = |flow: &&FlowSummary| {
            (flow.stages_ms.get(name).copied().unwrap_or(0.0), flow.received_packets)
        };
        Some((name.to_owned(), mean(flows.iter().map(spent))?))
    };
    names.into_iter().filter_map(of).collect()
}

impl Requests {
    fn of(flows: &[&FlowSummary]) -> Option<Requests> {
        let requests = flows.iter().filter_map(|flow| flow.requests.as_ref());
        Requests::sum(requests.map(|own| (own.asked, own.answered, own.duration_ms.as_ref())))
    }

    fn of_pages(flows: &[&FlowSummary]) -> Option<Requests> {
        let pages = flows.iter().filter_map(|flow| flow.pages.as_ref());
        Requests::sum(pages.map(|own| (own.asked, own.finished, own.delay_ms.as_ref())))
    }

    /// Sums of requests and of answers, and the time in ms that all answers took.
    fn sum<'a>(
        flows: impl Iterator<Item = (u64, u64, Option<&'a DelaySummary>)>,
    ) -> Option<Requests> {
        let mut all: Option<Requests> = None;
        for (asked, answered, duration) in flows {
            let own = all.get_or_insert_default();
            (own.asked, own.answered) = (own.asked + asked, own.answered + answered);
            own.total_ms += duration.map_or(0.0, |duration| duration.mean) * answered as f64;
        }
        all
    }

    /// From asking to the last byte, in ms.
    pub fn mean_ms(&self) -> Option<f64> {
        (self.answered > 0).then(|| self.total_ms / self.answered as f64)
    }
}

impl Playback {
    fn of(flows: &[&FlowSummary]) -> Option<Playback> {
        let mut all: Option<Playback> = None;
        for play in flows.iter().filter_map(|flow| flow.playback.as_ref()) {
            let own = all.get_or_insert_default();
            own.started += usize::from(play.startup_s.is_some());
            own.startup_s += play.startup_s.unwrap_or(0.0);
            own.stalls += play.stalls;
            own.stalled_s += play.stalled_s;
        }
        all
    }

    /// Mean time until it first played, in seconds.
    pub fn startup_s(&self) -> Option<f64> {
        (self.started > 0).then(|| self.startup_s / self.started as f64)
    }
}

/// UEs with RRC; together by group, if groups are given.
pub fn radio(ues: &[UeSummary], groups: Option<&UeGroups>) -> Vec<Radio> {
    let mut all: Vec<Radio> = Vec::new();
    for (ue, rrc) in ues.iter().filter_map(|ue| Some((ue, ue.rrc.as_ref()?))) {
        let name = groups.map_or(ue.name.as_str(), |groups| groups.name(&ue.name));
        let at = all.iter().position(|radio| radio.name == name).unwrap_or_else(|| {
            let (name, shares) = (name.to_owned(), Vec::new());
            all.push(Radio { name, promotions: 0, resumes: None, energy_j: 0.0, ues: 0, shares });
            all.len() - 1
        });
        let own = &mut all[at];
        own.promotions += rrc.promotions;
        own.resumes = own.resumes.into_iter().chain(rrc.resumes).reduce(|one, more| one + more);
        own.energy_j += rrc.total_energy_j;
        own.ues += 1;
        own.shares.extend(rrc.share.iter().map(|(state, share)| (state.to_owned(), *share)));
    }
    all
}

impl Radio {
    /// Share of the time in one of these states, 0 to 1, the mean of the UEs.
    pub fn share(&self, states: &[&str]) -> f64 {
        let own = self.shares.iter().filter(|(state, _)| states.contains(&state.as_str()));
        own.map(|(_, share)| share).sum::<f64>() / self.ues as f64
    }
}
