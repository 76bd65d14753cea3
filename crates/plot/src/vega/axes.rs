//! Axes of a specification: scales, ticks and titles.

use serde_json::{Value, json};

use crate::{Axis, Direction, Mark, Panel, Scale};

/// What is left free behind the longest bar, for its sum.
const BEHIND: f64 = 1.15;
/// What is left free around a map, as a share of its extent.
const MARGIN: f64 = 0.04;

/// The channel of an axis that shows `field`: scale, ticks, title with unit.
pub(super) fn channel(panel: &Panel, along: Direction, field: &str) -> Value {
    let axis = panel.axis(along);
    json!({
        "field": field, "type": "quantitative", "title": axis.title(),
        "scale": scale(panel, along), "axis": ticks(axis, along),
    })
}

/// The same channel for another field.
pub(super) fn follow(channel: &Value, field: &str) -> Value {
    let mut channel = channel.clone();
    channel["field"] = json!(field);
    channel
}

fn scale(panel: &Panel, along: Direction) -> Value {
    let axis = panel.axis(along);
    if let Some(names) = axis.categories() {
        let (low, high) = (-0.5, names.len() as f64 - 0.5);
        let domain = if along == Direction::Y { [high, low] } else { [low, high] };
        return json!({"domain": domain, "nice": false, "zero": false});
    }
    let kind = if axis.scale == Scale::Log { "log" } else { "linear" };
    let mut scale = json!({"type": kind});
    match domain(panel, along) {
        Some((low, high)) => {
            scale["domain"] = json!([low, high]);
            scale["nice"] = json!(false);
        }
        None if axis.scale == Scale::Linear => scale["zero"] = json!(axis.zero),
        None => {}
    }
    let bars = || panel.sums().into_iter().fold(0.0, f64::max);
    if domain(panel, along).is_none() && panel.bars_along() == along && bars() > 0.0 {
        scale["domainMin"] = json!(0);
        scale["domainMax"] = json!(crate::figure::digits(bars() * BEHIND, 3));
        scale["nice"] = json!(false);
    }
    scale
}

/// The ends that an axis must have; none where the data decides.
fn domain(panel: &Panel, along: Direction) -> Option<(f64, f64)> {
    let given = panel.axis(along).range.filter(|(low, high)| low < high);
    given.or_else(|| panel.equal.then(|| panel.padded(along)))
}

fn ticks(axis: &Axis, along: Direction) -> Value {
    let mut ticks = match (axis.categories(), &axis.scale) {
        (Some(names), _) => json!({
            "values": (0..names.len()).collect::<Vec<_>>(),
            "labelExpr": format!("({})[datum.value]", literal(names)),
            "grid": false, "ticks": false, "labelLimit": 160, "labelOverlap": false,
        }),
        (None, Scale::Log) => json!({"tickCount": 6, "labelOverlap": true}),
        (None, _) => json!({"tickCount": {"expr": count(along)}, "labelOverlap": true}),
    };
    // The same room for figures in all panels, so that those below each other are flush.
    if along == Direction::Y && axis.categories().is_none() {
        ticks["minExtent"] = json!(42);
    }
    ticks
}

/// Names as an array in the expression language, whose strings may not hold the two separators
/// that JSON allows.
fn literal(names: &[String]) -> String {
    let text = Value::from(names).to_string();
    text.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// As many ticks as there is room for.
fn count(along: Direction) -> &'static str {
    match along {
        Direction::X => "ceil(width / 90)",
        Direction::Y => "ceil(height / 50)",
    }
}

impl Panel {
    /// One of its axes.
    pub fn axis(&self, along: Direction) -> &Axis {
        match along {
            Direction::X => &self.x,
            Direction::Y => &self.y,
        }
    }

    /// Least and greatest place of its marks along an axis; none without any. Bars, rules and
    /// texts do not count.
    pub fn extent(&self, along: Direction) -> Option<(f64, f64)> {
        let mut all: Vec<f64> = Vec::new();
        for layer in &self.layers {
            let pick = |x: &[f64], y: Vec<f64>| match along {
                Direction::X => x.to_vec(),
                Direction::Y => y,
            };
            all.extend(match &layer.mark {
                Mark::Line { x, y, .. } => pick(x, y.iter().flatten().copied().collect()),
                Mark::Points { x, y, .. } => pick(x, y.clone()),
                Mark::Band { x, low, high } => {
                    pick(x, low.iter().chain(high).flatten().copied().collect())
                }
                Mark::Intervals { x, low, high, .. } => {
                    pick(x, low.iter().chain(high).copied().collect())
                }
                Mark::Cells { x, y, .. } => pick(x, y.clone()),
                Mark::Ellipse { centre, covariance, deviations } => {
                    let path = crate::ellipse(*centre, *covariance, *deviations);
                    let (x, y): (Vec<f64>, Vec<f64>) = path.into_iter().unzip();
                    pick(&x, y)
                }
                Mark::Bars { .. } | Mark::Rule { .. } | Mark::Text { .. } => Vec::new(),
            });
        }
        let finite = || all.iter().copied().filter(|at| at.is_finite());
        let (low, high) =
            (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        (low <= high).then_some((low, high))
    }

    /// The extent with a margin around it, never empty.
    fn padded(&self, along: Direction) -> (f64, f64) {
        let (low, high) = self.extent(along).unwrap_or((0.0, 1.0));
        let margin = ((high - low) * MARGIN).max(1.0);
        (low - margin, high + margin)
    }

    /// Height of the panel by its width where both axes have the same scale.
    pub(crate) fn aspect(&self) -> f64 {
        let length = |along| {
            let (low, high) = domain(self, along).unwrap_or((0.0, 1.0));
            high - low
        };
        (length(Direction::Y) / length(Direction::X)).clamp(0.2, 2.0)
    }

    /// What the first and the last colour of values mean: as given, or the least and the
    /// greatest value.
    pub fn value_range(&self) -> (f64, f64) {
        if let Some(range) = self.values.as_ref().and_then(|values| values.range) {
            return range;
        }
        let values = self.layers.iter().flat_map(|layer| match &layer.mark {
            Mark::Points { values, .. } => values.clone(),
            Mark::Cells { values, .. } => values.iter().flatten().copied().collect(),
            _ => Vec::new(),
        });
        let finite: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let low = finite.iter().copied().fold(f64::INFINITY, f64::min);
        let high = finite.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match low < high {
            true => (low, high),
            false if low == high => (low - 0.5, high + 0.5),
            false => (0.0, 1.0),
        }
    }
}
