//! The card as a page: a map of cases by controllers, and a chart of each criterion with its bounds.

use airpath_plot::{
    Axis, Block, Chart, Direction, Grid, Layer, Mark, Page, Panel, Section, Series, Values, plural,
};
use airpath_stats::Verdict;
use serde_json::{Value, json};

use crate::{Card, CaseCard, Judged};

impl Card {
    /// The card as a page.
    pub fn page(&self) -> Page {
        let mut sections = vec![self.summary()];
        let mut suites: Vec<&str> = self.cases.iter().map(|case| case.suite.as_str()).collect();
        suites.dedup();
        for suite in suites {
            let cases = self.cases.iter().filter(|case| case.suite == suite);
            let charts = cases.map(|case| self.chart(case));
            let blocks = [self.margins(suite)].into_iter().chain(charts).map(Block::from).collect();
            sections.push(Section::new(suite, format!("Suite {suite}"), blocks).folded());
        }
        sections
            .push(Section::new("criteria", "Criterion by criterion", vec![self.table()]).folded());
        Page::new(format!("Evaluation of {}", self.controllers.join(", ")), sections, Vec::new())
    }

    /// Counts by controller, and the map.
    fn summary(&self) -> Section {
        let verdicts = [
            Verdict::Holds,
            Verdict::Fails,
            Verdict::NotResolved,
            Verdict::NotMade,
            Verdict::NotComparable,
        ];
        let rows = self.controllers.iter().map(|controller| {
            let count = |wanted| self.verdicts(controller).filter(|own| *own == wanted).count();
            [json!(controller)].into_iter().chain(verdicts.map(|own| json!(count(own)))).collect()
        });
        let columns = ["controller"].into_iter().chain(verdicts.map(Verdict::word));
        let counts = Block::Table(Grid::new("counts", "Criteria by verdict", columns, rows));
        Section::new("card", "Which criteria hold?", vec![counts, Block::from(self.map())])
    }

    /// Share of the criteria of each case that hold, by controller.
    fn map(&self) -> Chart {
        let names = self.cases.iter().map(|case| format!("{} {}", case.suite, case.case));
        let (mut x, mut y, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (row, case) in self.cases.iter().enumerate() {
            for (column, controller) in self.controllers.iter().enumerate() {
                x.push(column as f64);
                y.push(row as f64);
                values.push(case.share(controller));
            }
        }
        let panel = Panel {
            x: Axis::category("controller", self.controllers.iter().cloned()),
            y: Axis::category("case", names),
            layers: vec![Layer::plain(Mark::Cells { x, y, values })],
            values: Some(Values {
                label: "criteria that hold".into(),
                unit: "%".into(),
                range: Some((0.0, 100.0)),
            }),
            ..Panel::default()
        };
        let criteria = self.cases.iter().flat_map(|case| &case.judged);
        let compared = criteria.filter(|own| own.verdict != Verdict::NotComparable);
        let [held, of] = Verdict::held(compared.map(|own| own.verdict));
        Chart {
            id: "map".into(),
            title: "Criteria that hold, by case and controller".into(),
            sentence: format!(
                "{held} of {of} criteria hold over {}. A cell is empty where a case is not for a controller.",
                plural(self.cases.len(), "case")
            ),
            panels: vec![panel],
            ..Chart::default()
        }
    }

    /// The values of each criterion of a case with its bounds.
    fn chart(&self, case: &CaseCard) -> Chart {
        let mut in_order: Vec<&str> = Vec::new();
        for own in &case.judged {
            if !in_order.contains(&own.criterion.as_str()) {
                in_order.push(&own.criterion);
            }
        }
        let held = case.judged.iter().filter(|own| own.verdict == Verdict::Holds).count();
        let of = case.judged.iter().filter(|own| own.verdict != Verdict::NotComparable).count();
        Chart {
            id: format!("{}-{}", case.suite, case.case),
            title: format!("{} ({})", case.title, case.source),
            sentence: format!(
                "{held} of {of} criteria hold. A point is a run with a seed, a line a bound."
            ),
            panels: in_order.iter().map(|name| self.panel(case, name)).collect(),
            columns: 2,
            ..Chart::default()
        }
    }

    fn panel(&self, case: &CaseCard, criterion: &str) -> Panel {
        let own: Vec<&Judged> =
            case.judged.iter().filter(|own| own.criterion == criterion).collect();
        let first = own.first();
        let bounds = first.map(|own| [(own.at_least, "at least"), (own.at_most, "at most")]);
        let bounds = bounds.into_iter().flatten().filter_map(|(bound, text)| Some((bound?, text)));
        let mut layers: Vec<Layer> = bounds
            .map(|(at, text)| {
                Layer::plain(Mark::Rule { along: Direction::Y, at, text: text.into() })
            })
            .collect();
        for (n, controller) in self.controllers.iter().enumerate() {
            let values = own.iter().filter(|own| own.controller == *controller);
            let y: Vec<f64> = values.flat_map(|own| own.values.iter().flatten()).copied().collect();
            if y.is_empty() {
                continue;
            }
            let x = vec![n as f64; y.len()];
            let mark = Mark::Points { x, y, values: Vec::new(), names: Vec::new() };
            layers.push(Layer::new(&Series::new(controller, n), mark).meaning("point: a run"));
        }
        let unit = first.map_or("", |own| own.unit.as_str());
        Panel {
            title: criterion.to_owned(),
            x: Axis::category("controller", self.controllers.iter().cloned()),
            y: Axis::new(first.map_or("", |own| own.quantity.as_str()), unit),
            layers,
            ..Panel::default()
        }
    }

    fn table(&self) -> Block {
        let rows =
            self.cases.iter().flat_map(|case| case.judged.iter().map(move |own| row(case, own)));
        let rows = Grid::new("rows", "Criteria, their statements and figures", COLUMNS, rows);
        Block::Table(Grid { links: COLUMNS.iter().position(|name| *name == REPORT), ..rows })
    }
}

impl CaseCard {
    /// Share of its criteria that hold for a controller, in percent; none without one that can be compared.
    fn share(&self, controller: &str) -> Option<f64> {
        let own = self.judged.iter().filter(|own| own.controller == controller);
        let verdicts: Vec<Verdict> =
            own.map(|own| own.verdict).filter(|own| *own != Verdict::NotComparable).collect();
        let held = verdicts.iter().filter(|own| **own == Verdict::Holds).count();
        (!verdicts.is_empty()).then(|| held as f64 * 100.0 / verdicts.len() as f64)
    }
}

const COLUMNS: [&str; 14] = [
    "suite",
    "case",
    "controller",
    "criterion",
    "verdict",
    "figure",
    "±",
    "unit",
    "at least",
    "at most",
    "statement",
    "source",
    "reason",
    REPORT,
];

/// Column of links to reports of runs.
const REPORT: &str = "run";

fn row(case: &CaseCard, own: &Judged) -> Vec<Value> {
    vec![
        json!(case.suite),
        json!(case.case),
        json!(own.controller),
        json!(own.criterion),
        json!(own.verdict.word()),
        json!(own.mean),
        json!(own.half),
        json!(own.unit),
        json!(own.at_least),
        json!(own.at_most),
        json!(own.sentence),
        json!(own.at),
        json!(own.reason.as_ref().or(own.ours.as_ref())),
        json!((!own.reports.is_empty()).then(|| own.reports.join(" "))),
    ]
}
