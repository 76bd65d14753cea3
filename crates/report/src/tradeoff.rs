//! Goodput against delay: an ellipse for each arm of a campaign, a point for each run.

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series, plural};
use airpath_results::metric_info;

use crate::words::{label, mean, shown, with_unit};
use crate::{ReportError, Results, arms};

/// Delay of a campaign, unless another is named: one of those that a comparison tells.
const DELAY: &str = "delay_p99_ms";
/// The greatest delay over the least from which the axis is logarithmic.
const WIDE: f64 = 20.0;
/// An ellipse takes so many runs.
const LEAST_RUNS: usize = 3;

/// An arm or a run: delays and goodputs of its runs.
struct Cloud {
    name: String,
    delays: Vec<f64>,
    rates: Vec<f64>,
}

/// The chart; `of` names the delay.
pub fn chart(results: &Results, of: Option<&str>) -> Result<Chart, ReportError> {
    let (delay, unit, clouds) = match results.campaigns.is_empty() {
        true => of_runs(results, of)?,
        false => of_campaigns(results, of)?,
    };
    let clouds: Vec<Cloud> = clouds.into_iter().filter(|cloud| !cloud.rates.is_empty()).collect();
    if clouds.is_empty() {
        return Err(ReportError::missing(
            format!("no run has goodput and {delay}"),
            "name another delay with --of",
        ));
    }
    let mut layers: Vec<Layer> =
        clouds.iter().enumerate().flat_map(|(n, cloud)| layers(cloud, n)).collect();
    let front = front(&clouds);
    layers.extend(front_line(&front));
    Ok(Chart {
        id: "rate-delay".into(),
        title: format!("Goodput against {}", label(&delay)),
        sentence: [sentence(&clouds, &unit), undominated(&front, clouds.len())].concat(),
        panels: vec![Panel {
            x: delay_axis(&label(&delay), &unit, &clouds),
            y: Axis::new("goodput of all flows", "Mbit/s").from_zero(),
            layers,
            ..Panel::default()
        }],
        ..Chart::default()
    })
}

/// From zero, or logarithmic where delays are of several orders.
fn delay_axis(label: &str, unit: &str, clouds: &[Cloud]) -> Axis {
    let delays = || clouds.iter().flat_map(|cloud| cloud.delays.iter().copied());
    let (low, high) = (delays().fold(f64::MAX, f64::min), delays().fold(0.0, f64::max));
    match low > 0.0 && high > WIDE * low {
        true => Axis::log(label, unit),
        false => Axis::new(label, unit).from_zero(),
    }
}

fn layers(cloud: &Cloud, n: usize) -> Vec<Layer> {
    let series = Series::new(cloud.name.as_str(), n);
    let (x, y) = (cloud.delays.clone(), cloud.rates.clone());
    let points = Mark::Points { x, y, values: Vec::new(), names: Vec::new() };
    let points = Layer::new(&series, points).meaning("point: a run; better is up and to the left");
    let centre = (mean(&cloud.delays).unwrap_or(0.0), mean(&cloud.rates).unwrap_or(0.0));
    let covariance = covariance(cloud, centre);
    if cloud.rates.len() < LEAST_RUNS || covariance.0 <= 0.0 || covariance.2 <= 0.0 {
        return vec![points];
    }
    let ellipse = Mark::Ellipse { centre, covariance, deviations: 1.0 };
    vec![
        Layer::new(&series, ellipse).meaning("ellipse: one standard deviation of the runs"),
        points,
    ]
}

/// The clouds that no other has both more rate and less delay than, by their means, from the
/// least delay on: the Pareto front.
fn front(clouds: &[Cloud]) -> Vec<(&Cloud, f64, f64)> {
    let means = |cloud: &Cloud| Some((mean(&cloud.delays)?, mean(&cloud.rates)?));
    let mut all: Vec<(&Cloud, f64, f64)> =
        clouds.iter().filter_map(|c| means(c).map(|(delay, rate)| (c, delay, rate))).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then(b.2.total_cmp(&a.2)));
    let mut best = f64::NEG_INFINITY;
    all.retain(|(_, _, rate)| {
        let better = *rate > best;
        best = best.max(*rate);
        better
    });
    all
}

/// The front as a line; none of a single arm.
fn front_line(front: &[(&Cloud, f64, f64)]) -> Option<Layer> {
    let x = front.iter().map(|(_, delay, _)| *delay).collect();
    let y = front.iter().map(|(_, _, rate)| *rate).collect();
    let meaning = "line: Pareto front of the means, where none has both more rate and less delay";
    (front.len() > 1).then(|| Layer::plain(Mark::line(x, y)).meaning(meaning))
}

/// Sentence on the arms on the front, and the others.
fn undominated(front: &[(&Cloud, f64, f64)], all: usize) -> String {
    let names: Vec<&str> = front.iter().map(|(cloud, _, _)| cloud.name.as_str()).collect();
    match all - front.len() {
        _ if all < 2 => String::new(),
        0 => " Each has more rate or less delay than any other.".to_owned(),
        worse => format!(
            " On the Pareto front: {}. {} no more rate and no less delay than one of these.",
            names.join("; "),
            if worse == 1 {
                "The other has".to_owned()
            } else {
                format!("The {worse} others have")
            }
        ),
    }
}

/// Variance of delay, covariance, variance of rate (divisor n - 1).
fn covariance(cloud: &Cloud, centre: (f64, f64)) -> (f64, f64, f64) {
    let away = cloud.delays.iter().zip(&cloud.rates).map(|(x, y)| (x - centre.0, y - centre.1));
    let sums = away.fold((0.0, 0.0, 0.0), |s, (x, y)| (s.0 + x * x, s.1 + x * y, s.2 + y * y));
    let n = (cloud.rates.len() as f64 - 1.0).max(1.0);
    (sums.0 / n, sums.1 / n, sums.2 / n)
}

fn sentence(clouds: &[Cloud], unit: &str) -> String {
    let rate = |cloud: &&Cloud| mean(&cloud.rates).unwrap_or(0.0);
    let delay = |cloud: &&Cloud| mean(&cloud.delays).unwrap_or(f64::MAX);
    let said = |cloud: &Cloud| {
        format!("{} at {}", with_unit(rate(&cloud), "Mbit/s"), with_unit(delay(&cloud), unit))
    };
    let fastest = clouds.iter().max_by(|a, b| rate(a).total_cmp(&rate(b)));
    let quickest = clouds.iter().min_by(|a, b| delay(a).total_cmp(&delay(b)));
    match (fastest, quickest) {
        (Some(one), _) if clouds.len() == 1 => {
            format!("{}: {} ({}).", one.name, said(one), plural(one.rates.len(), "run"))
        }
        (Some(one), Some(other)) if one.name == other.name => format!(
            "{} has the highest rate and the least delay, {} (means of {}).",
            one.name,
            said(one),
            plural(one.rates.len(), "run")
        ),
        (Some(fast), Some(quick)) => format!(
            "{} has the highest rate, {}, and {} the least delay, {}.",
            fast.name,
            said(fast),
            quick.name,
            said(quick)
        ),
        _ => String::new(),
    }
}

type Found = (String, String, Vec<Cloud>);

fn of_campaigns(results: &Results, of: Option<&str>) -> Result<Found, ReportError> {
    let several = results.campaigns.len() > 1;
    let (mut clouds, mut unit) = (Vec::new(), String::new());
    let delay = of.unwrap_or(DELAY);
    for campaign in &results.campaigns {
        let delay = arms::chosen(campaign, Some(delay))?;
        let doc = campaign.data.summary.metrics.get(&delay);
        let (factor, shown) = shown(doc.map_or("ms", |doc| doc.unit.as_str()));
        shown.clone_into(&mut unit);
        for (arm, identity) in campaign.arms() {
            let runs = campaign.data.runs(arm, &[&delay, "goodput_bps"])?;
            let pairs = runs.values[0].iter().zip(&runs.values[1]);
            let pairs =
                pairs.filter_map(|(delay, rate)| Some(((*delay)? * factor, (*rate)? * 1e-6)));
            let (delays, rates) = pairs.unzip();
            let name = match several {
                true => format!("{}: {}", campaign.label, identity.name),
                false => identity.name.clone(),
            };
            clouds.push(Cloud { name, delays, rates });
        }
    }
    Ok((delay.to_owned(), unit, clouds))
}

fn of_runs(results: &Results, of: Option<&str>) -> Result<Found, ReportError> {
    let delay = of.unwrap_or(DELAY);
    let (factor, unit) = shown(metric_info(delay).map_or("", |info| info.unit));
    let mut clouds = Vec::new();
    for run in &results.runs {
        let metrics = run.metrics()?;
        if of.is_some() && metrics.get(delay).is_none() {
            return Err(ReportError::unknown(
                "metric",
                delay,
                metrics.iter().map(|(name, _)| name),
            ));
        }
        let value = |name: &str| metrics.get(name).copied();
        let one = value(delay).zip(value("goodput_bps"));
        let (delays, rates) =
            one.map(|(delay, rate)| (delay * factor, rate * 1e-6)).into_iter().unzip();
        clouds.push(Cloud { name: run.label.clone(), delays, rates });
    }
    Ok((delay.to_owned(), unit.to_owned(), clouds))
}

#[cfg(test)]
mod tests {
    use airpath_results::measures::is_declared;

    use super::*;

    #[test]
    fn quantities_are_declared() {
        [DELAY, "goodput_bps"].iter().for_each(|name| assert!(is_declared(name), "{name}"));
    }

    #[test]
    fn moments_are_those_of_a_sample() {
        let cloud =
            Cloud { name: String::new(), delays: vec![0.0, 2.0, 4.0], rates: vec![0.0, 4.0, 2.0] };
        // By hand: deviations -2, 0, 2 and -2, 2, 0, divisor 2.
        assert_eq!(covariance(&cloud, (2.0, 2.0)), (4.0, 2.0, 4.0));
        assert_eq!(layers(&cloud, 0).len(), 2);
        let two = Cloud { delays: vec![0.0, 2.0], rates: vec![0.0, 4.0], ..cloud };
        assert_eq!(layers(&two, 0).len(), 1);
    }

    #[test]
    fn the_front_is_who_is_not_beaten_in_both() {
        let cloud = |name: &str, delay: f64, rate: f64| Cloud {
            name: name.into(),
            delays: vec![delay],
            rates: vec![rate],
        };
        let clouds = [
            cloud("a", 5.0, 9.0),
            cloud("b", 1.0, 3.0),
            cloud("c", 2.0, 3.0),
            cloud("d", 2.0, 8.0),
        ];
        let found = front(&clouds);
        let names: Vec<&str> = found.iter().map(|(cloud, _, _)| cloud.name.as_str()).collect();
        assert_eq!(names, ["b", "d", "a"]);
        assert!(undominated(&found, 4).contains("b; d; a. The other has"));
    }
}
