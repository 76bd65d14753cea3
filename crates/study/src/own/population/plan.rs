//! From parameters to what each flow is to be.

use std::net::Ipv4Addr;

use airpath_base::random::Seed;

use super::params::{Kind, Params, Stratum};
use crate::own::even::{Even, class};

/// Payload of a full packet in bytes (the study's largest).
pub(crate) const MSS: u32 = 1358;
/// Least duration of long flows in s; the study's large flows last more than five.
const LONG: f64 = 5.3;
/// Least number of duplicate ACKs of a flow that has many for each loss.
const MANY: f64 = 60.0;
/// Longest round trip of flows without pauses, in s. The time of a longer one, at both ends of the
/// flow, would have to be made up for in between.
const NEAR: f64 = 0.08;
/// Classes of sizes in each of which ports are drawn evenly.
const SIZES: f64 = 4.0;
/// Between groups of flows, in s: longer than the study's 13 s without a packet.
const IDLE: (f64, f64) = (14.0, 40.0);

/// Plan of a flow, with times in seconds and rates in bit/s.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) stratum: usize,
    pub(crate) port: u16,
    pub(crate) server_port: u16,
    /// First packet at the monitor.
    pub(crate) start: f64,
    pub(crate) down: u32,
    pub(crate) up: u32,
    pub(crate) duration: f64,
    /// Round trips between monitor and server, and monitor and client.
    pub(crate) server_side: f64,
    pub(crate) client_side: f64,
    /// True if the radio was asleep, and the time that it took to wake up.
    pub(crate) wakes: bool,
    pub(crate) promotion: f64,
    /// Period of the client's timestamp clock; 0 has none.
    pub(crate) clock: f64,
    pub(crate) sack: bool,
    pub(crate) reset: bool,
    /// Content type, over HTTP.
    pub(crate) content: Option<String>,
    /// Time from the start to the first byte of the answer, and duration of the answer.
    pub(crate) answer_at: f64,
    pub(crate) answer_for: f64,
    pub(crate) available: f64,
    pub(crate) used: f64,
    /// Losses, and duplicate ACKs in all.
    pub(crate) losses: u32,
    pub(crate) duplicates: u32,
    pub(crate) slow_start: bool,
    /// Fills the window; from when on.
    pub(crate) full_from: Option<f64>,
    pub(crate) grown: bool,
}

/// A client and its flows, in the order of their beginnings.
#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) addr: Ipv4Addr,
    pub(crate) flows: Vec<Plan>,
}

impl User {
    /// Roughly how many packets its flows have.
    pub(crate) fn packets(&self) -> u64 {
        self.flows.iter().map(|flow| 12 + u64::from(flow.down + flow.up) / 800).sum()
    }
}

/// All users. The second byte of an address is the stratum of its flows.
pub(crate) fn users(params: &Params, seed: Seed) -> Vec<User> {
    let mut strata: Vec<Vec<Plan>> =
        params.strata.iter().enumerate().map(|(n, _)| flows(params, n, seed)).collect();
    fill_quotas(params, &mut strata);
    let mut users = Vec::new();
    for (n, flows) in strata.into_iter().enumerate() {
        let each = flows_of_a_user(params.strata[n].kind);
        let mut stream = seed.stream(&format!("population / {} / times", params.strata[n].name));
        for (k, own) in flows.chunks(each).enumerate() {
            let addr = Ipv4Addr::new(10, n as u8, (k >> 8) as u8, k as u8);
            let mut gap = || stream.between(IDLE.0, IDLE.1);
            users.push(User { addr, flows: scheduled(params, seed, own.to_vec(), &mut gap) });
        }
        let begun = users.len() - flows.chunks(each).len();
        clocks(params, n, seed, &mut users[begun..]);
        wake(params, n, seed, &mut users[begun..]);
    }
    users
}

const fn flows_of_a_user(kind: Kind) -> usize {
    match kind {
        Kind::Bulk | Kind::Steady | Kind::Upload => 1,
        Kind::Medium => 30,
        _ => 60,
    }
}

/// The stratum a client address is of.
pub(crate) fn stratum_of(addr: Ipv4Addr) -> usize {
    usize::from(addr.octets()[1])
}

/// The flows of a stratum.
fn flows(params: &Params, n: usize, seed: Seed) -> Vec<Plan> {
    let stratum = &params.strata[n];
    let even = |what: &str| {
        Even::new(seed, &format!("population / {} / {what}", stratum.name), stratum.flows)
    };
    let [down, up] = ["down", "up"].map(even);
    let [duration, sack] = ["duration", "sack"].map(even);
    let (reset, rates, shares) = (even("reset"), even("rate"), even("share of the rate"));
    let other = 100.0 - stratum.http - stratum.https;
    let classes = [(80, stratum.http), (443, stratum.https), (5223, other)];
    // Evenly among the smaller and the larger ones, so that bytes are shared as flows are.
    let sizes: Vec<u16> = (0..stratum.flows).map(|k| (SIZES * down.of(k)) as u16).collect();
    let ports = Even::within(seed, &format!("population / {} / port", stratum.name), &sizes);
    let port = |u: f64| class(&classes, u).copied().unwrap_or(443);
    let ports: Vec<u16> = ports.into_iter().map(port).collect();
    let name = format!("population / {} / handshake", stratum.name);
    // Those behind the proxy and the others each have the whole distribution.
    let handshake = Even::within(seed, &name, &ports);
    let mut plans: Vec<Plan> = (0..stratum.flows)
        .map(|k| {
            let mut plan = Plan {
                stratum: n,
                server_port: ports[k as usize],
                port: 32_768 + (k % 28_000) as u16,
                down: stratum.down.at(down.of(k)).unwrap_or(0.0) as u32,
                up: stratum.up.at(up.of(k)).unwrap_or(0.0) as u32,
                duration: stratum.duration_s.at(duration.of(k)).unwrap_or(0.0),
                sack: sack.of(k) * 100.0 < params.sack,
                reset: reset.of(k) * 100.0 < params.reset,
                available: 1e6 * stratum.available_mbps.at(rates.of(k)).unwrap_or(0.0),
                ..Plan::default()
            };
            round_trips(params, stratum, handshake[k as usize], &mut plan);
            if matches!(stratum.kind, Kind::Steady | Kind::Upload) {
                used(stratum, rates.of(k), shares.of(k), &mut plan);
            }
            plan
        })
        .collect();
    if stratum.kind == Kind::Bulk {
        troubled(stratum, seed, &mut plans);
    }
    plans
}

fn own_clocks(params: &Params, stratum: &Stratum) -> Vec<(f64, f64)> {
    stratum.clock_ms.map_or_else(|| params.clocks.clone(), |period| vec![(period, 100.0)])
}

/// Gives each user of a stratum its clock.
fn clocks(params: &Params, stratum: usize, seed: Seed, users: &mut [User]) {
    let name = format!("population / {} / clock", params.strata[stratum].name);
    let even = Even::new(seed, &name, users.len() as u32);
    let keyed = seed.keyed("population / clocks");
    let periods = own_clocks(params, &params.strata[stratum]);
    for (user, k) in users.iter_mut().zip(0u32..) {
        let period = class(&periods, even.of(k)).copied().unwrap_or(0.0);
        let u = keyed.uniform([stratum as u64, k.into(), 0]);
        let drift = 1.0 + params.clock_ppm * 1e-6 * (2.0 * u - 1.0);
        user.flows.iter_mut().for_each(|flow| flow.clock = period / 1e3 * drift);
    }
}

/// Splits the handshake's RTT at the monitor. Behind port 80 a proxy near the monitor
/// answers. Long flows have short ways to the client, which leaves their bursts whole.
fn round_trips(params: &Params, stratum: &Stratum, u: f64, plan: &mut Plan) {
    let total = params.handshake_ms.at(u).unwrap_or(70.0) / 1e3;
    let total = match stratum.kind {
        Kind::Steady | Kind::Upload => total.min(NEAR),
        _ => total,
    };
    let client = total * 0.4;
    plan.client_side = match stratum.kind {
        Kind::Bulk => client.clamp(0.015, 0.06),
        Kind::Steady => client.clamp(0.012, 0.02),
        _ => client,
    };
    plan.server_side = match plan.server_port {
        80 => params.proxy_ms / 1e3,
        _ => (total - plan.client_side).max(0.001),
    };
}

/// A flow that uses a certain rate without a pause.
fn used(stratum: &Stratum, u: f64, share: f64, plan: &mut Plan) {
    let rate = 1e6 * stratum.used_mbps.at(u).unwrap_or(1.0);
    let percent = stratum.used_percent.at(share).unwrap_or(100.0);
    (plan.used, plan.available) = (rate, rate * 100.0 / percent);
    if stratum.kind == Kind::Steady {
        plan.down = plan.down.max((rate * LONG / 8.0) as u32);
        plan.duration = f64::from(plan.down) * 8.0 / rate;
    } else {
        // At most two minutes and a half, but enough to count as large.
        plan.up = plan.up.min((rate * 150.0 / 8.0) as u32).max(210_000);
        plan.duration = f64::from(plan.up) * 8.0 / rate;
    }
}

/// Long flows with what goes wrong in them.
fn troubled(stratum: &Stratum, seed: Seed, plans: &mut [Plan]) {
    let trouble = &stratum.trouble;
    let n = plans.len() as u32;
    let even = |what: &str| Even::new(seed, &format!("population / {} / {what}", stratum.name), n);
    let [duplicates, long, run, window] = ["duplicates", "long runs", "run", "window"].map(even);
    let all: Vec<f64> =
        (0..n).map(|k| trouble.duplicates.at(duplicates.of(k)).unwrap_or(0.0)).collect();
    let many: Vec<u16> = all.iter().map(|all| u16::from(*all >= MANY)).collect();
    let name = format!("population / {} / many for each", stratum.name);
    let many = Even::within(seed, &name, &many);
    for (plan, k) in plans.iter_mut().zip(0..) {
        let (all, many) = (all[k as usize], many[k as usize]);
        if all >= 1.0 {
            let many = all >= MANY && many * 100.0 < trouble.long_runs;
            let curve = if many { &trouble.long_run } else { &trouble.short_run };
            let each = curve.at(run.of(k)).unwrap_or(8.0);
            (plan.losses, plan.duplicates) = ((all / each).ceil() as u32, all.round() as u32);
        }
        let u = window.of(k) * 100.0;
        plan.grown = u >= 100.0 - trouble.grown;
        if u < trouble.full_window {
            let late = u < trouble.full_window * trouble.late / 100.0;
            plan.full_from = Some(if late { 0.2 } else { 0.0 });
        }
    }
    retransmission_rates(stratum, plans);
    let mut lossy: Vec<usize> = (0..plans.len()).filter(|k| plans[*k].losses > 0).collect();
    let slow = (trouble.slow_start / 100.0 * f64::from(n)).round() as usize;
    lossy.sort_by(|a, b| long.of(*a as u32).total_cmp(&long.of(*b as u32)));
    lossy.iter().rev().take(slow).for_each(|k| plans[*k].slow_start = true);
    let shares = even("share of the rate");
    for (plan, k) in plans.iter_mut().zip(0..) {
        let share = stratum.used_percent.at(shares.of(k)).unwrap_or(50.0) / 100.0;
        let bits = 8.0 * f64::from(plan.down);
        let least = LONG.max(3.0 + 0.6 * f64::from(plan.losses));
        plan.available = plan.available.min(bits / (share * least));
        plan.used = plan.available * share;
        plan.duration = bits / plan.used;
    }
}

/// Flows with more losses have higher rates of retransmissions; their sizes follow.
fn retransmission_rates(stratum: &Stratum, plans: &mut [Plan]) {
    let mut lossy: Vec<&mut Plan> = plans.iter_mut().filter(|plan| plan.losses > 0).collect();
    lossy.sort_by_key(|plan| (plan.losses, plan.port));
    let n = lossy.len() as f64;
    for (plan, rank) in lossy.into_iter().zip(0..) {
        let u = (f64::from(rank) + 0.5) / n;
        let rate = stratum.trouble.retransmitted_percent.at(u).unwrap_or(0.1) / 100.0;
        let packets = f64::from(plan.losses) / rate;
        plan.down = (packets * f64::from(MSS)).clamp(1.02e6, 14e6) as u32;
    }
}

/// Content types by quota of the weighted bytes over HTTP: the largest flows first, each
/// to the type that lacks most.
fn fill_quotas(params: &Params, strata: &mut [Vec<Plan>]) {
    let weight = |plan: &Plan| {
        let stratum = &params.strata[plan.stratum];
        let bytes = f64::from(plan.down) + f64::from(plan.up);
        stratum.percent / f64::from(stratum.flows) * bytes
    };
    let mut filled = vec![0.0; params.content.len()];
    let mut open: Vec<&mut Plan> = Vec::new();
    for plan in strata.iter_mut().flatten().filter(|plan| plan.server_port == 80) {
        match &params.strata[plan.stratum].content {
            Some(own) => {
                let place = params.content.iter().position(|(name, _)| name == own);
                place.into_iter().for_each(|place| filled[place] += weight(plan));
                plan.content = Some(own.clone());
            }
            None if plan.down > 0 => open.push(plan),
            None => {}
        }
    }
    open.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    for plan in open {
        let lacks = |place: &usize| filled[*place] / params.content[*place].1;
        let least = (0..filled.len()).min_by(|a, b| lacks(a).total_cmp(&lacks(b)));
        let Some(least) = least else { return };
        filled[least] += weight(plan);
        plan.content = Some(params.content[least].0.clone());
    }
}

/// Gives the flows of a user their times: one after the other, or some together.
fn scheduled(
    params: &Params,
    seed: Seed,
    mut flows: Vec<Plan>,
    gap: &mut dyn FnMut() -> f64,
) -> Vec<Plan> {
    let Some(first) = flows.first() else { return flows };
    let kind = params.strata[first.stratum].kind;
    let keyed = seed.keyed("population / together");
    let (mut at, mut n) = (gap(), 0);
    while n < flows.len() {
        let u = keyed.uniform([flows[n].stratum as u64, flows[n].port.into(), n as u64]);
        let size = class(&params.together, u).copied().unwrap_or(1) as usize;
        let size = if kind == Kind::Small { size.min(flows.len() - n) } else { 1 };
        let group = &mut flows[n..n + size];
        together(kind, at, group);
        let end = group.iter().map(|flow| flow.start + flow.duration).fold(at, f64::max);
        (at, n) = (end + gap(), n + size);
    }
    flows
}

/// Gives flows that begin when the radio has been asleep what it takes to wake up: evenly
/// those of which timestamps can tell.
fn wake(params: &Params, stratum: usize, seed: Seed, users: &mut [User]) {
    let name = format!("population / {} / promotion", params.strata[stratum].name);
    let mut woken: Vec<&mut Plan> =
        users.iter_mut().flat_map(|user| &mut user.flows).filter(|flow| flow.wakes).collect();
    // The first of a user is seen to wake nobody: what was before it is not known.
    let class = |flow: &Plan| u16::from(flow.clock > 0.0);
    let classes: Vec<u16> = woken.iter().map(|flow| class(flow)).collect();
    let draws = Even::within(seed, &name, &classes);
    for (flow, u) in woken.iter_mut().zip(draws) {
        flow.promotion = params.promotion_ms.at(u).unwrap_or(0.0) / 1e3;
    }
}

/// Flows that begin at `at` and whose answers pass in the same time.
fn together(kind: Kind, at: f64, group: &mut [Plan]) {
    const APART: f64 = 0.02;
    let ready = |flow: &Plan| 2.0 * flow.server_side + flow.client_side + 0.005;
    let delay = |n: usize| APART * n as f64;
    let answer = group.iter().enumerate().map(|(n, flow)| delay(n) + ready(flow));
    let answer = answer.fold(0.0, f64::max);
    for (n, flow) in group.iter_mut().enumerate() {
        flow.start = at + delay(n);
        flow.wakes = n == 0;
        flow.answer_at = answer - delay(n);
        flow.answer_for = match kind {
            Kind::Medium => f64::from(flow.down) * 8.0 / flow.available.max(1e5),
            _ => 0.08,
        };
        if matches!(kind, Kind::Small | Kind::Medium) {
            let least = flow.answer_at + flow.answer_for + 2.0 * ready(flow);
            flow.duration = flow.duration.max(least);
        }
    }
}
