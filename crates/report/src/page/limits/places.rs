//! Elements that a flow's packets pass, how much of each is used while the flow is active, and how
//! long its packets wait there.

use airpath_results::{CellSummary, FlowSummary, LinkSummary, RadioSummary, RunSummary, UeSummary};

/// An element with a capacity.
#[derive(Clone, Copy, Debug)]
pub(super) enum Element<'a> {
    /// The radio link of a UE and its cell.
    Radio(Option<&'a UeSummary>, Option<&'a CellSummary>),
    /// A wired link.
    Link(&'a LinkSummary),
}

/// An element on a flow's way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// The element.
    pub(super) element: Element<'a>,
    /// Share of its capacity that is used while the flow is active, of all traffic; none if the
    /// capacity is not known.
    pub(super) used: Option<f64>,
    /// The flow's own part of that.
    pub(super) own: f64,
    /// UEs or flows that share the element.
    pub(super) sharing: usize,
    /// Mean wait of the flow's packets in milliseconds: of all wired links together, or at PDCP
    /// and RLC.
    pub(super) wait_ms: f64,
}

impl<'a> Place<'a> {
    fn new(
        element: Element<'a>,
        use_of: Option<[f64; 2]>,
        sharing: usize,
        wait_ms: f64,
    ) -> Place<'a> {
        let (used, own) = use_of.map_or((None, 0.0), |[all, own]| (Some(all), own));
        Place { element, used, own, sharing, wait_ms }
    }

    /// The flow's part of an even share of the element.
    pub(super) fn own_of_even(&self) -> f64 {
        self.own * self.sharing as f64
    }
}

/// Seconds in which the flow was active, as its goodput counts them.
pub(super) fn active_s(run: &RunSummary, flow: &FlowSummary) -> f64 {
    let counted = flow.goodput_bps.filter(|bps| *bps > 0.0);
    let active = counted.map(|bps| flow.delivered_bytes as f64 * 8.0 / bps);
    active.unwrap_or(run.duration_s - run.warm_up_s)
}

/// The radio, and the wired link of the flow's direction that is used most.
pub(super) fn places<'a>(run: &'a RunSummary, flow: &FlowSummary) -> Vec<Place<'a>> {
    let up = flow.direction.as_deref() == Some("up");
    let stage = |name: &str| flow.stages_ms.get(name).copied().unwrap_or(0.0);
    let radio = (!run.cells.is_empty()).then(|| {
        let (ue, cell) = ue_and_cell(run, flow);
        let use_of = cell.and_then(|cell| use_of_cell(run, flow, ue, cell, up));
        let wait_ms = stage("pdcp") + stage("rlc");
        let sharing = cell.map_or(1, |cell| sharing(run, cell, up));
        Place::new(Element::Radio(ue, cell), use_of, sharing, wait_ms)
    });
    let same = |other: &&FlowSummary| other.direction == flow.direction;
    let flows = run.flows.iter().filter(same).count();
    let waiting = |link: &&LinkSummary| link.queue.mean_packets.unwrap_or(0.0);
    let way = if up { " up" } else { " down" };
    let own = run.links.iter().filter(|link| link.name.ends_with(way));
    let place = |link: &'a LinkSummary| {
        let use_of = use_of_link(run, flow, link);
        Place::new(Element::Link(link), use_of, flows, stage("wired_queue"))
    };
    let used = |link: &LinkSummary| use_of_link(run, flow, link).map_or(0.0, |[all, _]| all);
    let fullest =
        own.max_by(|a, b| used(a).total_cmp(&used(b)).then(waiting(a).total_cmp(&waiting(b))));
    radio.into_iter().chain(fullest.map(place)).collect()
}

pub(super) fn ue_and_cell<'a>(
    run: &'a RunSummary,
    flow: &FlowSummary,
) -> (Option<&'a UeSummary>, Option<&'a CellSummary>) {
    let ue = run.ues.iter().find(|ue| Some(&ue.name) == flow.ue.as_ref());
    // No single cell holds the flow of a UE that several cells served.
    if ue.is_some_and(|ue| ue.cells.is_some()) {
        return (ue, None);
    }
    let cell = ue.and_then(|ue| run.cells.iter().find(|cell| Some(&cell.name) == ue.cell.as_ref()));
    (ue, cell.or_else(|| run.cells.first()))
}

fn radio(ue: &UeSummary, up: bool) -> &RadioSummary {
    if up { &ue.up } else { &ue.down }
}

/// UEs of a cell that used it in this direction.
pub(super) fn sharing(run: &RunSummary, cell: &CellSummary, up: bool) -> usize {
    let used = |ue: &&UeSummary| radio(ue, up).transmissions > 0;
    let own = run.ues.iter().filter(|ue| ue.cell.as_ref() == Some(&cell.name));
    own.filter(used).count().max(1)
}

/// Shares of the resource blocks: what others use on average and the flow uses while it is active,
/// and the flow's part of that.
fn use_of_cell(
    run: &RunSummary,
    flow: &FlowSummary,
    ue: Option<&UeSummary>,
    cell: &CellSummary,
    up: bool,
) -> Option<[f64; 2]> {
    let all = if up { cell.utilisation_up } else { cell.utilisation }?;
    let blocks = if up { &cell.up } else { &cell.down }.resource_blocks as f64;
    let own = ue.map_or(0.0, |ue| radio(ue, up).resource_blocks as f64);
    if blocks == 0.0 {
        return Some([all, 0.0]);
    }
    // Of a UE with several flows, the flow's part by bytes.
    let same = |other: &&FlowSummary| other.ue == flow.ue && other.direction == flow.direction;
    let bytes = |flow: &FlowSummary| flow.received_bytes.max(flow.delivered_bytes) as f64;
    let of_ue: f64 = run.flows.iter().filter(same).map(bytes).sum();
    let part = if of_ue > 0.0 { bytes(flow) / of_ue } else { 1.0 };
    let own = all * own * part / blocks;
    let denser = (run.duration_s - run.warm_up_s) / active_s(run, flow).max(1e-9);
    let active = own * denser.max(1.0);
    Some([all - own + active, active])
}

/// Shares of a link's rate: what others use on average and the flow uses while it is active, and
/// the flow's part of that. They count bits of IP.
fn use_of_link(run: &RunSummary, flow: &FlowSummary, link: &LinkSummary) -> Option<[f64; 2]> {
    let rate = link.rate_bps.filter(|rate| *rate > 0)? as f64;
    let window = (run.duration_s - run.warm_up_s).max(1e-9);
    let bits = |flow: &FlowSummary| flow.received_bytes as f64 * 8.0;
    let others = run.flows.iter().filter(|other| other.direction == flow.direction);
    let others: f64 = others.filter(|other| other.name != flow.name).map(bits).sum();
    let own = bits(flow) / active_s(run, flow).max(1e-9) / rate;
    Some([others / window / rate + own, own])
}
