//! Metrics: what a run comes to, one number under each name.
//!
//! A name alone is about all flows together, as `goodput_bps`; behind the name of a flow group
//! about those, as `video.frame_delay_p99_ms`. A flow group is a flow of the scenario in all UEs of
//! a group. Distributions over users begin with `users.`, as
//! `users.video.down.transmitted_bps.p5`. All are declared in `measures/`: those of flows in
//! `flow_group.rs`, those of the cells in `network.rs`, those of users in `user.rs`.
//!
//! What has no value in a run (the mean of no packets) has no metric there.

mod groups;
mod name;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use airpath_base::measure::{PLAIN, Scale};

use crate::measures::{Declared, flow_group, network, user};
use crate::{Collector, RunSummary};

pub use groups::UeGroups;
pub use name::{MetricName, unit_for_people};

/// A metric of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Name.
    pub name: String,
    /// Value, finite, in the unit of [`MetricInfo`].
    pub value: f64,
}

/// Facts of a metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricInfo {
    /// Unit; empty for counts, "1" for shares.
    pub unit: &'static str,
    /// Meaning in a sentence.
    pub meaning: String,
    /// True if more of it is better; none if that depends.
    pub more_is_better: Option<bool>,
}

impl MetricInfo {
    pub(crate) fn of(scale: Scale, meaning: String) -> MetricInfo {
        MetricInfo { unit: scale.unit, meaning, more_is_better: scale.more_is_better }
    }
}

impl Collector {
    /// The metrics of the run that `summary` is of: all flows first, then each flow group where
    /// there are several, cells, users.
    pub fn metrics(&self, summary: &RunSummary) -> Vec<Metric> {
        let groups = UeGroups::of(&summary.scenario);
        let mut names: Vec<String> = Vec::new();
        let mut members: Vec<Vec<flow_group::Member<'_>>> = Vec::new();
        let counted = self.inventory.flows.iter().zip(&self.flows.items).zip(&summary.flows);
        let all: Vec<flow_group::Member<'_>> = counted
            .map(|((info, counts), summary)| flow_group::Member { info, counts, summary })
            .collect();
        for member in &all {
            let name = groups.flow(member.summary).replace(' ', "-");
            let at = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                members.push(Vec::new());
                names.len() - 1
            });
            members[at].push(*member);
        }
        let mut metrics = flow_group::metrics("", &all);
        if names.len() > 1 {
            for (name, members) in names.iter().zip(&members) {
                metrics.extend(flow_group::metrics(&format!("{name}."), members));
            }
        }
        metrics.extend(network::metrics(summary));
        metrics.extend(of_users(summary));
        metrics.retain(|metric| metric.value.is_finite());
        let mut known = BTreeSet::new();
        metrics.retain(|metric| known.insert(metric.name.clone()));
        metrics
    }
}

/// The statistics over users, with their words.
const OVER_USERS: [(&str, &str); 5] = [
    ("mean", "Mean over users of"),
    ("p5", "5th percentile over users of"),
    ("p50", "Median over users of"),
    ("p95", "95th percentile over users of"),
    ("p99", "99th percentile over users of"),
];

fn of_users(summary: &RunSummary) -> Vec<Metric> {
    let mut metrics = Vec::new();
    for group in &summary.users {
        let direction = group.direction.iter().map(|way| format!(".{way}")).collect::<String>();
        let prefix = format!("users.{}{direction}", group.application);
        metrics.push(Metric { name: format!("{prefix}.count"), value: group.users as f64 });
        let low = group.low_rate_users as f64;
        metrics.push(Metric { name: format!("{prefix}.low_rate"), value: low });
        for (kpi, over) in group.kpis.iter() {
            let values = [over.mean, over.p5, over.p50, over.p95, over.p99];
            let named = OVER_USERS.iter().zip(values);
            metrics.extend(
                named.map(|((end, _), value)| Metric {
                    name: format!("{prefix}.{kpi}.{end}"),
                    value,
                }),
            );
        }
    }
    metrics
}

/// Facts of a metric of this name, whichever flow group it is of; none if there is none.
pub fn metric_info(name: &str) -> Option<MetricInfo> {
    if let Some(rest) = name.strip_prefix("users.") {
        return of_users_info(rest);
    }
    let (group, measure) = match name.rsplit_once('.') {
        Some((group, measure)) => (Some(group), measure),
        None => (None, name),
    };
    let of_all = || find(&OF_ALL, measure).filter(|_| group.is_none());
    let mut info = find(&OF_FLOWS, measure).or_else(of_all)?.info.clone();
    group.into_iter().for_each(|group| info.meaning += &format!(" Of `{group}`."));
    Some(info)
}

/// Declared metrics of flows.
static OF_FLOWS: LazyLock<Vec<Declared>> = LazyLock::new(|| flow_group::declared().collect());
/// Declared metrics of the whole network.
static OF_ALL: LazyLock<Vec<Declared>> = LazyLock::new(|| network::declared().collect());
/// Declared columns of users.
static OF_USERS: LazyLock<Vec<Declared>> = LazyLock::new(|| user::declared().collect());

fn find(all: &'static [Declared], name: &str) -> Option<&'static Declared> {
    all.iter().find(|declared| declared.name == name)
}

fn of_users_info(rest: &str) -> Option<MetricInfo> {
    let (front, end) = rest.rsplit_once('.')?;
    let counted = |scale, meaning| Some(MetricInfo::of(scale, format!("{meaning} (`{front}`).")));
    match end {
        "count" => return counted(PLAIN, "Users of this kind of application"),
        "low_rate" => return counted(PLAIN.less(), "Users whose rate is below `output.low_rate`"),
        _ => {}
    }
    let (_, words) = OVER_USERS.iter().find(|(name, _)| *name == end)?;
    let (whose, kpi) = front.rsplit_once('.')?;
    let mut info = find(&OF_USERS, kpi)?.info.clone();
    info.meaning = format!("{words} `{kpi}` (`{whose}`): {}", info.meaning);
    Some(info)
}

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;
