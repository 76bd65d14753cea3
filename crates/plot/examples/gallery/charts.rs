//! Charts of every kind, with made-up figures.

use airpath_base::math::{cos, exp, ln, sin};
use airpath_plot::{Axis, Chart, Direction, Layer, Mark, Panel, Series, Values};

/// All of them.
pub fn charts() -> Vec<Chart> {
    vec![
        over_time(),
        linked(),
        tails(),
        stages(),
        columns(),
        users(),
        intervals(),
        cells(),
        ellipses(),
        map(),
        many(),
        strange(),
    ]
}

/// Numbers that look random and are the same each time, from 0 to 1.
fn noise(n: usize) -> f64 {
    let bits = (n as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((bits >> 11) as f64) / ((1u64 << 53) as f64)
}

fn delays(count: usize, from: usize, mean: f64) -> Vec<f64> {
    (0..count).map(|n| 4.0 - mean * ln(1.0 - noise(from + n))).collect()
}

/// Arms over time: mean of runs and its interval.
fn over_time() -> Chart {
    let x: Vec<f64> = (0..200).map(|n| f64::from(n) * 0.1).collect();
    let (mut bands, mut lines) = (Vec::new(), Vec::new());
    for (n, arm) in ["cubic, fifo", "cubic, codel", "prague, dualpi2"].iter().enumerate() {
        let series = Series::new(*arm, n);
        let level = 20.0 + 12.0 * n as f64;
        let mean: Vec<f64> = x.iter().map(|t| level * (1.0 - exp(-t)) + 2.0 * sin(*t)).collect();
        let edge = |width: f64| mean.iter().map(|y| Some(y + width)).collect::<Vec<_>>();
        let band = Mark::Band { x: x.clone(), low: edge(-2.0), high: edge(2.0) };
        bands.push(Layer::new(&series, band).meaning("band: 95% interval of the mean"));
        let line = Mark::line(x.clone(), mean);
        lines.push(Layer::new(&series, line).meaning("line: mean of 10 runs"));
    }
    let limit = Mark::Rule { along: Direction::Y, at: 50.0, text: "rate of the link".into() };
    let start = Mark::Rule { along: Direction::X, at: 5.0, text: "handover".into() };
    let layers = bands.into_iter().chain(lines).chain([Layer::plain(limit), Layer::plain(start)]);
    Chart {
        id: "over-time".into(),
        title: "Goodput over time".into(),
        sentence: "Prague over DualPI2 reaches 44 Mbit/s, CUBIC over CoDel 32 and over a FIFO 20; \
                   all are steady after 3 s."
            .into(),
        panels: vec![Panel {
            x: Axis::new("time", "s"),
            y: Axis::new("goodput", "Mbit/s").from_zero(),
            layers: layers.collect(),
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

/// Panels below each other with one time axis: steps, a line with a gap, and many points.
fn linked() -> Chart {
    let (a, b) = (Series::new("flow 1", 0), Series::new("flow 2", 1));
    let coarse: Vec<f64> = (0..20).map(f64::from).collect();
    let steps = |from: usize| Mark::Line {
        x: coarse.clone(),
        y: (0..20).map(|n| Some((noise(from + n) * 12.0).floor())).collect(),
        steps: true,
        points: false,
    };
    let fine: Vec<f64> = (0..20_000).map(|n| f64::from(n) * 0.001).collect();
    let delay = |from: usize| Mark::Line {
        x: fine.clone(),
        y: (0..20_000)
            .map(|n| {
                let spike = if n == 12_345 { 80.0 } else { 0.0 };
                let delay = 10.0 + 5.0 * sin(n as f64 * 0.002) + 4.0 * noise(from + n) + spike;
                (!(6_000..7_000).contains(&n)).then_some(delay)
            })
            .collect(),
        steps: false,
        points: false,
    };
    let panel = |label: &str, unit: &str, layers| Panel {
        title: label.into(),
        x: Axis::new("time", "s"),
        y: Axis::new(label, unit).from_zero(),
        layers,
        ..Panel::default()
    };
    Chart {
        id: "linked".into(),
        title: "Window and delay of two flows".into(),
        sentence: "The delay has one peak of 95 ms at 12.3 s; from 6 to 7 s nothing arrived."
            .into(),
        panels: vec![
            panel(
                "congestion window",
                "packets",
                vec![Layer::new(&a, steps(0)), Layer::new(&b, steps(100))],
            ),
            panel("one-way delay", "ms", vec![Layer::new(&a, delay(0)), Layer::new(&b, delay(1))]),
        ],
        columns: 1,
        shared_x: true,
    }
}

/// A distribution function and the tails of the same samples.
fn tails() -> Chart {
    let arms = [("fifo", 30.0), ("codel", 9.0), ("dualpi2", 3.0), ("l4span", 2.0)];
    let layers = |mark: &dyn Fn(&[f64]) -> Mark| {
        let layer = |(n, (arm, mean)): (usize, &(&str, f64))| {
            Layer::new(&Series::new(*arm, n), mark(&delays(20_000, n * 20_000, *mean)))
        };
        arms.iter().enumerate().map(layer).collect::<Vec<_>>()
    };
    Chart {
        id: "tails".into(),
        title: "Queueing delay of packets".into(),
        sentence: "The 99th percentile is 142 ms with a FIFO and 13 ms with L4Span.".into(),
        panels: vec![
            Panel {
                title: "distribution".into(),
                x: Axis::new("queueing delay", "ms"),
                y: Axis::new("share of packets that waited no longer", "1").within(0.0, 1.0),
                layers: layers(&Mark::ecdf),
                ..Panel::default()
            },
            Panel {
                title: "tail".into(),
                x: Axis::log("queueing delay", "ms"),
                y: Axis::log("share of packets that waited longer", "1"),
                layers: layers(&Mark::tail),
                ..Panel::default()
            },
        ],
        columns: 2,
        ..Chart::default()
    }
}

const STAGES: [(&str, [f64; 4]); 6] = [
    ("wired_queue", [0.7, 0.4, 1.2, 0.5]),
    ("wired", [1.4, 1.4, 2.6, 2.6]),
    ("pdcp", [11.1, 0.5, 8.7, 0.3]),
    ("rlc", [0.3, 0.0, 1.7, 3.0]),
    ("radio", [3.0, 3.0, 3.0, 3.0]),
    ("harq", [0.4, 0.4, 0.5, 0.5]),
];

fn stage_layers() -> Vec<Layer> {
    let layer = |(n, (stage, ms)): (usize, &(&str, [f64; 4]))| {
        Layer::new(&Series::new(*stage, n), Mark::Bars { lengths: ms.to_vec() })
    };
    STAGES.iter().enumerate().map(layer).collect()
}

/// Stages of delay as stacked horizontal bars.
fn stages() -> Chart {
    let classes = ["audio, not marked", "audio, marked", "video, not marked", "video, marked"];
    Chart {
        id: "stages".into(),
        title: "Where a packet's time goes".into(),
        sentence: "Marked audio waits 0.5 ms in PDCP, unmarked 11.1 ms.".into(),
        panels: vec![Panel {
            x: Axis::new("mean delay", "ms"),
            y: Axis::category("class", classes),
            layers: stage_layers(),
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

/// Columns of stages.
fn columns() -> Chart {
    let classes = ["audio", "audio, marked", "video", "video, marked"];
    Chart {
        id: "columns".into(),
        title: "Where a packet's time goes, upright".into(),
        sentence: "Marked video takes 9.9 ms, of which 3 ms are the radio.".into(),
        panels: vec![Panel {
            x: Axis::category("class", classes),
            y: Axis::new("mean delay", "ms"),
            layers: stage_layers(),
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

/// A point for each user, a category for each number of marked users, two readings.
fn users() -> Chart {
    let counts = [0usize, 1, 3, 5, 8, 9, 10];
    let marked = Series::new("marked", 0);
    let unmarked = Series { hollow: true, shape: 0, ..Series::new("not marked", 1) };
    let points = |marked: bool, level: f64, spread: f64| {
        let (mut x, mut y, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for (category, count) in counts.iter().enumerate() {
            for ue in (0..10).filter(|ue| (ue < count) == marked) {
                x.push(category as f64 + 0.76 * ((ue as f64 + 0.5) / 10.0 - 0.5));
                y.push(level + spread * noise(ue + 10 * category));
                names.push(format!("UE {ue}"));
            }
        }
        Mark::Points { x, y, values: Vec::new(), names }
    };
    let panel = |title: &str, y: Axis, levels: [f64; 2], spread: f64| Panel {
        title: title.into(),
        x: Axis::category("UEs that are marked", counts.map(|n| n.to_string())),
        y,
        layers: vec![
            Layer::new(&marked, points(true, levels[0], spread)).meaning("each point is a UE"),
            Layer::new(&unmarked, points(false, levels[1], spread)).meaning("each point is a UE"),
        ],
        ..Panel::default()
    };
    let delay = || Axis::log("mean delay", "ms").within(1.0, 10_000.0);
    let jitter = || Axis::new("jitter", "ms").from_zero();
    Chart {
        id: "users".into(),
        title: "Ten UEs with video of 320 kbit/s".into(),
        sentence: "As published, marked UEs wait 360 ms; as meant, 110 ms.".into(),
        panels: vec![
            panel("as published: mean delay", delay(), [360.0, 140.0], 9.0),
            panel("as meant: mean delay", delay(), [105.0, 4_000.0], 9.0),
            panel("as published: jitter", jitter(), [3.8, 3.3], 0.4),
            panel("as meant: jitter", jitter(), [2.9, 9.0], 2.0),
        ],
        columns: 2,
        ..Chart::default()
    }
}

/// Intervals by category, arms beside each other, with published values.
fn intervals() -> Chart {
    let loads = ["1 UE", "5 UEs", "10 UEs", "20 UEs"];
    let arm = |name: &str, n: usize, level: f64| {
        let x: Vec<f64> = (0..4).map(|c| f64::from(c) + 0.2 * n as f64 - 0.2).collect();
        let y: Vec<f64> = (0..4).map(|c| level + f64::from(c) * 4.0).collect();
        let edge = |width: f64| y.iter().map(|y| y + width).collect::<Vec<_>>();
        let mark = Mark::Intervals { x, low: edge(-1.5), high: edge(1.8), y: y.clone() };
        Layer::new(&Series::new(name, n), mark).meaning("bar: 95% interval of the mean, 10 runs")
    };
    let published = Mark::Points {
        x: (0..4).map(f64::from).collect(),
        y: vec![9.0, 14.0, 17.5, 23.0],
        values: Vec::new(),
        names: Vec::new(),
    };
    let look = Series { shape: 4, ..Series::new("published", 6) };
    Chart {
        id: "intervals".into(),
        title: "Page load time by load".into(),
        sentence: "Round robin takes 3 ms longer than proportional fair at each load.".into(),
        panels: vec![Panel {
            x: Axis::category("load", loads),
            y: Axis::new("page load time, 95th percentile", "ms").from_zero(),
            layers: vec![
                arm("proportional fair", 0, 8.0),
                arm("round robin", 1, 11.0),
                Layer::new(&look, published),
            ],
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

/// Cells of a grid, one of them missing.
fn cells() -> Chart {
    let (rates, delays) = (["5", "10", "20", "50", "100"], ["10 ms", "20 ms", "50 ms", "100 ms"]);
    let (mut x, mut y, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (n, _) in delays.iter().enumerate() {
        for (m, _) in rates.iter().enumerate() {
            x.push(m as f64);
            y.push(n as f64);
            let value = 100.0 * exp(-0.3 * (n * m) as f64) - 3.0 * noise(n + m);
            values.push((n != 1 || m != 3).then_some(value));
        }
    }
    Chart {
        id: "cells".into(),
        title: "Utilisation over the grid".into(),
        sentence: "Utilisation falls from 100% to 2% as rate and round trip grow; one cell failed."
            .into(),
        panels: vec![Panel {
            x: Axis::category("rate (Mbit/s)", rates),
            y: Axis::category("round trip", delays),
            layers: vec![Layer::plain(Mark::Cells { x, y, values })],
            values: Some(Values { label: "utilisation".into(), unit: "%".into(), range: None }),
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

/// Rate against delay, an ellipse for each arm.
fn ellipses() -> Chart {
    let arms = [
        ("cubic, fifo", (95.0, 38.0), (400.0, -30.0, 16.0)),
        ("cubic, codel", (30.0, 34.0), (25.0, 6.0, 9.0)),
        ("bbr", (42.0, 30.0), (150.0, 40.0, 25.0)),
        ("prague, dualpi2", (8.0, 36.0), (4.0, 2.0, 6.0)),
    ];
    let mut layers = Vec::new();
    for (n, (arm, centre, covariance)) in arms.into_iter().enumerate() {
        let series = Series::new(arm, n);
        let mark = Mark::Ellipse { centre, covariance, deviations: 1.0 };
        layers.push(Layer::new(&series, mark).meaning("ellipse: one standard deviation of runs"));
        let (x, y) = (vec![centre.0], vec![centre.1]);
        layers.push(Layer::new(&series, Mark::Text { x, y, text: vec![arm.into()] }));
    }
    Chart {
        id: "ellipses".into(),
        title: "Rate against delay".into(),
        sentence: "Prague has 8 ms at 36 Mbit/s; CUBIC with a FIFO 95 ms at 38 Mbit/s.".into(),
        panels: vec![Panel {
            x: Axis::new("queueing delay", "ms").from_zero(),
            y: Axis::new("goodput", "Mbit/s").from_zero(),
            layers,
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

/// Users where they are, coloured by their SINR, and sites.
fn map() -> Chart {
    let (mut x, mut y, mut values, mut names) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for n in 0..210 {
        let (radius, angle) = (500.0 * noise(n).sqrt(), std::f64::consts::TAU * noise(n + 500));
        x.push(radius * cos(angle));
        y.push(radius * sin(angle));
        values.push(25.0 - radius / 20.0 + 6.0 * noise(n + 900));
        names.push(format!("UE {n}"));
    }
    let sites = (vec![0.0, 400.0, -250.0], vec![0.0, 100.0, -300.0]);
    let labels = ["site 0", "site 1", "site 2"].map(String::from).to_vec();
    let site = Series { name: "site".into(), colour: 1, shape: 2, hollow: false };
    let users = Mark::Points { x, y, values, names };
    let places = Mark::Points {
        x: sites.0.clone(),
        y: sites.1.clone(),
        values: Vec::new(),
        names: labels.clone(),
    };
    Chart {
        id: "map".into(),
        title: "Users on the map".into(),
        sentence: "SINR falls from 30 dB at site 0 to 2 dB at 500 m.".into(),
        panels: vec![Panel {
            x: Axis::new("x", "m"),
            y: Axis::new("y", "m"),
            layers: vec![
                Layer::plain(users).meaning("each point is a UE"),
                Layer::new(&site, places),
                Layer::plain(Mark::Text { x: sites.0, y: sites.1, text: labels }),
            ],
            values: Some(Values { label: "mean SINR".into(), unit: "dB".into(), range: None }),
            equal: true,
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

/// Many series with long names: the legend wraps.
fn many() -> Chart {
    let x: Vec<f64> = [0.0, 100.0, 200.0, 400.0, 800.0].to_vec();
    let line = |n: usize| {
        let name = format!("buffer of {} KiB, initial window {}", 16 << (n % 6), 10 + n);
        let y = x.iter().map(|x| Some(100.0 * exp(-x * (n + 1) as f64 / 4_000.0))).collect();
        let mark = Mark::Line { x: x.clone(), y, steps: false, points: true };
        Layer::new(&Series::new(name, n), mark)
    };
    Chart {
        id: "many".into(),
        title: "Utilisation over the round trip".into(),
        sentence: "With a round trip of 800 ms, utilisation is 82% with the first and 9% with the \
                   last buffer."
            .into(),
        panels: vec![Panel {
            x: Axis::new("round trip", "ms"),
            y: Axis::new("utilisation", "%").within(0.0, 100.0),
            layers: (0..12).map(line).collect(),
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

/// Names that are code elsewhere, long names of categories, and an empty panel.
fn strange() -> Chart {
    let names = [
        "</script><script>document.title='run'</script>",
        "<img src=x onerror=\"document.title='run'\">",
        "'] + alert(1) + ['",
        "a \"quoted\" \\ name with \u{2028} and <!-- in it",
    ];
    let bar = |(n, name): (usize, &&str)| {
        let mut lengths = vec![0.0; names.len()];
        lengths[n] = 1.0 + n as f64;
        Layer::new(&Series::new(*name, n), Mark::Bars { lengths })
    };
    Chart {
        id: "strange".into(),
        title: "<b>Names</b> that are shown & not run".into(),
        sentence: "</figcaption><script>document.title='run'</script> is text.".into(),
        panels: vec![
            Panel {
                title: "</script>".into(),
                x: Axis::category("<i>name</i>", names),
                y: Axis::new("length", "µs"),
                layers: names.iter().enumerate().map(bar).collect(),
                ..Panel::default()
            },
            Panel {
                title: "nothing".into(),
                x: Axis::new("time", "s"),
                y: Axis::new("delay", "ms"),
                ..Panel::default()
            },
        ],
        columns: 2,
        ..Chart::default()
    }
}
