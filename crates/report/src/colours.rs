//! Colours of series: an arm has one colour in all charts, and so has a flow of a single run.
//!
//! Charts are made one by one, and each numbers its own series. The colours are therefore given
//! anew by the subject of a series. Its arm gives the colour, its flow, link or bearer the dash and
//! the shape. Within a single run, the latter give both.

use std::collections::BTreeMap;

use airpath_plot::{Chart, Series};

use crate::series::Courses;
use crate::{Results, Run};

/// Names that series may have, each with its number.
pub struct Colours {
    /// Labels of arms, the longest first: one may be the beginning of another.
    arms: Vec<(String, usize)>,
    /// Flows, their groups, and what was recorded beside them.
    subjects: BTreeMap<String, usize>,
}

impl Colours {
    /// Those of results: runs that differ in nothing but their seed are one arm.
    pub fn of(results: &Results) -> Colours {
        let mut arms: Vec<(String, usize)> = Vec::new();
        let mut scenarios = Vec::new();
        for run in &results.runs {
            let arm = run.arm();
            let place = scenarios.iter().position(|known| *known == arm).unwrap_or_else(|| {
                scenarios.push(arm);
                scenarios.len() - 1
            });
            arms.push((run.label.clone(), place));
        }
        let several = results.campaigns.len() > 1;
        let mut next = scenarios.len();
        for campaign in &results.campaigns {
            for (_, arm) in campaign.arms() {
                let name = match several {
                    true => format!("{}: {}", campaign.label, arm.name),
                    false => arm.name.clone(),
                };
                arms.push((name, next));
                next += 1;
            }
        }
        // With a single run there is nothing that its name tells apart.
        if next < 2 {
            arms.clear();
        }
        arms.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Colours { arms, subjects: subjects(results) }
    }

    /// The chart with these colours. A series that is of no arm among several keeps its own.
    pub fn agree(&self, mut chart: Chart) -> Chart {
        let mut others: Vec<String> = Vec::new();
        let layers = chart.panels.iter_mut().flat_map(|panel| &mut panel.layers);
        for series in layers.filter_map(|layer| layer.series.as_mut()) {
            if self.arms.is_empty() {
                let place = self.subject(&series.name, &mut others);
                (series.colour, series.shape) = (place, place);
            } else if let Some((arm, rest)) = self.arm(&series.name) {
                let shape = if rest.is_empty() { arm } else { self.subject(rest, &mut others) };
                *series = Series { shape, ..Series::new(series.name.as_str(), arm) };
            }
        }
        chart
    }

    /// The arm that a series is of, and what stands behind its name.
    fn arm<'n>(&self, name: &'n str) -> Option<(usize, &'n str)> {
        self.arms.iter().find_map(|(arm, place)| {
            let rest = name.strip_prefix(arm.as_str())?;
            match rest.strip_prefix(": ") {
                Some(rest) => Some((*place, rest)),
                None => rest.is_empty().then_some((*place, "")),
            }
        })
    }

    /// The number of a flow, link or bearer; what nobody knows comes behind, in the order of the
    /// chart.
    fn subject(&self, name: &str, others: &mut Vec<String>) -> usize {
        let name = name.split_once(", mean of ").map_or(name, |(name, _)| name);
        if let Some(place) = self.subjects.get(name) {
            return *place;
        }
        let place = others.iter().position(|known| known == name).unwrap_or_else(|| {
            others.push(name.to_owned());
            others.len() - 1
        });
        self.subjects.values().map(|place| place + 1).max().unwrap_or(0) + place
    }
}

/// Flows in the order of the scenario, with their groups, and what courses are of that have been read.
fn subjects(results: &Results) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    let mut next = 0;
    for run in &results.runs {
        for flow in &run.summary.flows {
            let names = [flow.name.clone(), run.flow_group(flow)];
            let known = names.iter().find_map(|name| all.get(name)).copied();
            let place = known.unwrap_or(next);
            next = next.max(place + 1);
            for name in names {
                all.entry(name).or_insert(place);
            }
        }
    }
    for name in results.runs.iter().filter_map(Run::courses_read).flat_map(Courses::subjects) {
        all.entry(name).or_insert_with(|| {
            next += 1;
            next - 1
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use airpath_plot::{Layer, Mark, Panel};

    fn chart(names: &[&str]) -> Chart {
        let layer = |(n, name): (usize, &&str)| {
            Layer::new(&Series::new(*name, n), Mark::line(vec![0.0], vec![1.0]))
        };
        let layers = names.iter().enumerate().map(layer).collect();
        Chart { panels: vec![Panel { layers, ..Panel::default() }], ..Chart::default() }
    }

    fn looks(colours: &Colours, names: &[&str]) -> Vec<(usize, usize)> {
        let chart = colours.agree(chart(names));
        chart.series().iter().map(|series| (series.colour, series.shape)).collect()
    }

    fn named(names: &[(&str, usize)]) -> Vec<(String, usize)> {
        names.iter().map(|(name, place)| ((*name).to_owned(), *place)).collect()
    }

    #[test]
    fn an_arm_has_its_colour_whatever_a_chart_shows_of_it() {
        let colours = Colours {
            arms: named(&[("cubic: slow", 2), ("prague", 1), ("cubic", 0)]),
            subjects: named(&[("download", 0), ("voice", 1)]).into_iter().collect(),
        };
        let all = looks(&colours, &["prague: voice", "cubic: download", "cubic: voice"]);
        assert_eq!(all, [(1, 1), (0, 0), (0, 1)]);
        assert_eq!(looks(&colours, &["prague", "cubic: slow", "cubic"]), [(1, 1), (2, 2), (0, 0)]);
        // Series with an unknown arm differ by their shape.
        let links = looks(&colours, &["cubic: link s1", "cubic: link sgi", "prague: link sgi"]);
        assert_eq!(links, [(0, 2), (0, 3), (1, 3)]);
        assert_eq!(looks(&colours, &["a stage"]), [(0, 0)]);
    }

    #[test]
    fn a_flow_of_a_single_run_has_its_colour_in_all_charts() {
        let subjects = named(&[("game", 0), ("download phone-0", 1), ("download phone", 1)]);
        let colours = Colours { arms: Vec::new(), subjects: subjects.into_iter().collect() };
        let first = looks(&colours, &["download phone-0", "game", "link sgi"]);
        assert_eq!(first, [(1, 1), (0, 0), (2, 2)]);
        assert_eq!(looks(&colours, &["download phone, mean of 10"]), [(1, 1)]);
    }
}
