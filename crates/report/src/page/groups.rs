//! Sentences in groups: what belongs together is read together.

use airpath_campaign::compare::Comparison;
use airpath_plot::{Block, Chart, Finding, capital};
use airpath_results::MetricName;

use super::paired;

/// Groups of charts by their names, in their order on a page.
const OF_CHARTS: [(&str, &[&str]); 4] = [
    ("Delay", &["stages", "cdf", "rate-delay", "rtt"]),
    ("Rates and windows", &["rate", "arrivals", "cwnd", "in-flight", "buffer"]),
    ("Queues and marks", &["queue-delay", "queue", "marks"]),
    ("Radio", &["resource-blocks", "load", "mcs", "sinr", "map"]),
];

/// Findings with the titles of their groups as groups, in the order of first appearance.
pub fn grouped(findings: impl IntoIterator<Item = (String, Finding)>) -> Block {
    let mut groups: Vec<(String, Vec<Finding>)> = Vec::new();
    for (title, finding) in findings {
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, own)) => own.push(finding),
            None => groups.push((title, vec![finding])),
        }
    }
    Block::Groups(groups)
}

/// The sentences of charts.
pub fn of_charts(charts: &[Chart]) -> Block {
    let place =
        |chart: &Chart| OF_CHARTS.iter().position(|(_, ids)| ids.contains(&chart.id.as_str()));
    let mut order: Vec<&Chart> = charts.iter().collect();
    order.sort_by_key(|chart| place(chart).unwrap_or(OF_CHARTS.len()));
    grouped(order.into_iter().map(|chart| {
        let title = place(chart).map_or("Others", |place| OF_CHARTS[place].0);
        let finding = Finding {
            head: chart.title.clone(),
            text: chart.sentence.clone(),
            ..Finding::default()
        };
        (title.to_owned(), finding)
    }))
}

/// Differences of one arm from another, by flow group.
pub fn of_comparison(comparison: &Comparison, most: usize) -> Block {
    let all = paired::told(comparison, most);
    grouped(all.into_iter().map(|(row, finding)| {
        let whose = MetricName::of(&row.metric).whose;
        let title = whose.map_or_else(|| "All flows and cells".to_owned(), |flow| capital(&flow));
        (title, finding)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_are_grouped_in_the_order_of_a_page() {
        let chart = |id: &str| Chart { id: id.into(), title: id.into(), ..Chart::default() };
        let Block::Groups(groups) = of_charts(&["mcs", "rate", "other", "sinr", "cdf"].map(chart))
        else {
            panic!("groups")
        };
        let all: Vec<(&str, usize)> =
            groups.iter().map(|(title, own)| (title.as_str(), own.len())).collect();
        assert_eq!(all, [("Delay", 1), ("Rates and windows", 1), ("Radio", 2), ("Others", 1)]);
    }
}
