//! A chart of each kind that airpath draws, from made-up figures.

use airpath_plot::{Axis, Chart, Direction, Layer, Mark, Panel, Series, Values};

/// One of each kind.
pub fn kinds() -> Vec<Chart> {
    vec![
        lines(),
        tails(),
        stages(),
        arms(),
        map(),
        beside(),
        scatter(),
        users(),
        upright(),
        bounds(),
    ]
}

fn wave(n: u32, phase: f64) -> f64 {
    let step = f64::from(n % 40) / 40.0;
    12.0 + 6.0 * phase + 5.0 * step * (1.0 - step) * 4.0 + f64::from(n * 7919 % 13) / 13.0
}

fn lines() -> Chart {
    let x: Vec<f64> = (0..200).map(|n| f64::from(n) / 10.0).collect();
    let mut layers = vec![];
    for (n, name) in ["default bearer", "dedicated bearer, QCI 7"].into_iter().enumerate() {
        let series = Series::new(name, n);
        let y = |shift: f64| {
            let at = move |k: u32| (!(80..95).contains(&k)).then(|| wave(k, n as f64) + shift);
            (0..200).map(at).collect::<Vec<_>>()
        };
        let band = Mark::Band { x: x.clone(), low: y(-1.5), high: y(1.5) };
        layers.push(Layer::new(&series, band).meaning("shaded: 95% interval of the mean"));
        let line = Mark::Line { x: x.clone(), y: y(0.0), steps: false, points: false };
        layers.push(Layer::new(&series, line).meaning("lines: mean of 10 runs"));
    }
    let rule = Mark::Rule { along: Direction::Y, at: 22.0, text: "capacity of the link".into() };
    layers.push(Layer::plain(rule));
    let rule = Mark::Rule { along: Direction::X, at: 8.0, text: "handover".into() };
    layers.push(Layer::plain(rule));
    Chart {
        id: "lines".into(),
        title: "Goodput over time".into(),
        sentence: "Goodput of two bearers over 20 s.".into(),
        panels: vec![Panel {
            x: Axis::new("time", "s"),
            y: Axis::new("goodput", "Mbit/s").from_zero(),
            layers,
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

fn tails() -> Chart {
    let names = ["drop-tail", "CoDel", "FQ-CoDel", "PIE", "DualPI2", "L4S"];
    let layers = names.into_iter().enumerate().map(|(n, name)| {
        let samples: Vec<f64> =
            (1..400).map(|k| (n + 1) as f64 * 9.0 / (1.0 - f64::from(k) / 400.0)).collect();
        Layer::new(&Series::new(name, n), Mark::tail(&samples))
    });
    Chart {
        id: "tails".into(),
        title: "One-way delay: how often it is exceeded".into(),
        sentence: "The tail of the one-way delay with six queues.".into(),
        panels: vec![Panel {
            x: Axis::log("one-way delay", "ms"),
            y: Axis::log("share of packets that took longer", ""),
            layers: layers.collect(),
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

fn stages() -> Chart {
    let stages = ["wired_queue", "wired", "pdcp", "rlc", "radio", "harq", "arq", "reordering"];
    let layers = stages.into_iter().enumerate().map(|(n, stage)| {
        let lengths = (0..4).map(|k| f64::from(k + 1) * ((n * 5 + 3) % 7) as f64 / 3.0).collect();
        Layer::new(&Series::new(stage, n), Mark::Bars { lengths })
    });
    let names = ["video, marked", "video, not marked", "audio, marked", "audio, not marked"];
    Chart {
        id: "stages".into(),
        title: "Where the time of a packet goes".into(),
        sentence: "Stages of the one-way delay of four flows.".into(),
        panels: vec![Panel {
            x: Axis::new("one-way delay", "ms"),
            y: Axis::category("", names),
            layers: layers.collect(),
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

fn arms() -> Chart {
    let arms: Vec<String> = ["pf", "rr", "max-rate"]
        .iter()
        .flat_map(|s| [0.3, 0.6, 0.9].map(|l| format!("{s}, load {l}")))
        .collect();
    let layers = ["video", "web"].into_iter().enumerate().map(|(n, name)| {
        let at = |k: usize| k as f64 + if n == 0 { -0.12 } else { 0.12 };
        let y = |k: usize| 20.0 + 7.0 * ((k * 3 + n * 4) % 8) as f64;
        Layer::new(
            &Series::new(name, n),
            Mark::Intervals {
                x: (0..9).map(at).collect(),
                y: (0..9).map(y).collect(),
                low: (0..9).map(|k| y(k) - 4.0).collect(),
                high: (0..9).map(|k| y(k) + 6.0).collect(),
            },
        )
        .meaning("mean of 10 runs with its 95% interval")
    });
    Chart {
        id: "arms".into(),
        title: "Delay by scheduler and load".into(),
        sentence: "The 95th percentile of the delay for nine arms.".into(),
        panels: vec![Panel {
            x: Axis::category("arm", arms),
            y: Axis::new("one-way delay, 95th percentile", "ms").from_zero(),
            layers: layers.collect(),
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

fn map() -> Chart {
    let (mut x, mut y, mut values) = (vec![], vec![], vec![]);
    for row in 0..5 {
        for column in 0..8 {
            x.push(f64::from(column));
            y.push(f64::from(row));
            values.push((row * column != 6).then(|| f64::from(row * 8 + column) / 3.0));
        }
    }
    Chart {
        id: "heat".into(),
        title: "Queue delay by buffer and round trip".into(),
        sentence: "A heat map.".into(),
        panels: vec![Panel {
            x: Axis::category("buffer (packets)", (1..9).map(|n| (n * 50).to_string())),
            y: Axis::category("round trip (ms)", (1..6).map(|n| (n * 20).to_string())),
            layers: vec![Layer::plain(Mark::Cells { x, y, values })],
            values: Some(Values { label: "queue delay".into(), unit: "ms".into(), range: None }),
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

fn beside() -> Chart {
    let panel = |title: &str, scale: f64| {
        let layers = (0..3).map(|n| {
            let x: Vec<f64> = (0..9).map(|k| f64::from(k) * 10.0).collect();
            let y = x.iter().map(|x| Some(scale * (x + 5.0 * n as f64))).collect();
            let series = Series::new(format!("TTI {} symbols", [2, 4, 14][n]), n);
            Layer::new(&series, Mark::Line { x, y, steps: n == 1, points: true })
        });
        Panel {
            title: title.into(),
            x: Axis::new("time", "ms"),
            y: Axis::new("throughput", "Mbit/s"),
            layers: layers.collect(),
            ..Panel::default()
        }
    };
    Chart {
        id: "beside".into(),
        title: "Four panels, two in a row".into(),
        sentence: "Four panels.".into(),
        panels: vec![
            panel("scheduling request every 1 ms", 1.0),
            panel("every 5 ms", 0.2),
            panel("every 10 ms", 2_000.0),
            panel("contention-based", 1e-5),
        ],
        columns: 2,
        shared_x: true,
    }
}

fn scatter() -> Chart {
    let layers = ["CUBIC", "BBR", "Prague", "SCReAM <v2> & more", "$x$"]
        .into_iter()
        .enumerate()
        .flat_map(|(n, name)| {
            let series = Series { hollow: n % 2 == 1, ..Series::new(name, n) };
            let centre = (20.0 + 25.0 * n as f64, 30.0 - 4.0 * n as f64);
            let at = |k: u32| (f64::from(k * 31 % 17) - 8.0, f64::from(k * 17 % 11) / 2.0 - 2.5);
            let points = Mark::Points {
                x: (0..20).map(|k| centre.0 + at(k).0).collect(),
                y: (0..20).map(|k| centre.1 + at(k).1 + at(k).0 / 3.0).collect(),
                values: vec![],
                names: vec![],
            };
            let ellipse = Mark::Ellipse { centre, covariance: (24.0, 8.0, 5.2), deviations: 1.0 };
            [
                Layer::new(&series, points),
                Layer::new(&series, ellipse).meaning("ellipses: one standard deviation"),
            ]
        });
    Chart {
        id: "scatter".into(),
        title: "Delay against throughput".into(),
        sentence: "Five congestion controllers; the best is \"up & right\".".into(),
        panels: vec![Panel {
            x: Axis::new("queueing delay", "ms"),
            y: Axis::new("throughput", "Mbit/s"),
            layers: layers.collect(),
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

fn users() -> Chart {
    let at = |k: u32| (f64::from(k * 7919 % 1000) - 500.0, f64::from(k * 104_729 % 1000) - 500.0);
    let points = |from: u32| Mark::Points {
        x: (from..from + 150).map(|k| at(k).0).collect(),
        y: (from..from + 150).map(|k| at(k).1).collect(),
        values: (from..from + 150).map(|k| f64::from(k * 37 % 30) - 5.0).collect(),
        names: (from..from + 150).map(|k| format!("ue {k}")).collect(),
    };
    let sites = Mark::Text {
        x: vec![0.0, 490.0],
        y: vec![0.0, 200.0],
        text: vec!["cell 0".into(), "cell 21".into()],
    };
    Chart {
        id: "users".into(),
        title: "Where the users are".into(),
        sentence: "A map.".into(),
        panels: vec![Panel {
            x: Axis::new("east", "m"),
            y: Axis::new("north", "m"),
            layers: vec![
                Layer::new(&Series::new("outdoors", 0), points(0)),
                Layer::new(&Series::new("in buildings", 1), points(200)),
                Layer::plain(sites),
            ],
            values: Some(Values { label: "geometry".into(), unit: "dB".into(), range: None }),
            equal: true,
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

fn upright() -> Chart {
    let layers = ["delivered", "lost"].into_iter().enumerate().map(|(n, name)| {
        let lengths = (1..6).map(|k| f64::from(k) * [300.0, 20.0][n]).collect();
        Layer::new(&Series::new(name, n), Mark::Bars { lengths })
    });
    Chart {
        id: "upright".into(),
        title: "Packets by flow".into(),
        sentence: "Upright bars.".into(),
        panels: vec![Panel {
            x: Axis::category("flow", ["web", "video", "audio", "download", "game"]),
            y: Axis::new("packets", ""),
            layers: layers.collect(),
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

/// Extreme data of a picture: nothing known, one point, infinities, long names.
fn bounds() -> Chart {
    let long = "a scheduler with a name that is longer than any picture is wide, because a sweep \
                over five keys has names that are made of five keys, each with its value, and more";
    let panel = |mark: Mark, x: Axis| Panel {
        title: long.into(),
        x,
        y: Axis::new(long, "ms"),
        layers: vec![Layer::new(&Series::new(long, 4), mark)],
        ..Panel::default()
    };
    Chart {
        id: "all \"bounds\"".into(),
        title: format!("{long} {long}"),
        sentence: "<all> & everything".into(),
        panels: vec![
            panel(Mark::line(vec![], vec![]), Axis::new("nothing", "")),
            panel(Mark::line(vec![1.0, 1.0], vec![5.0, 5.0]), Axis::log("one", "s")),
            panel(
                Mark::line(vec![0.0, f64::NAN, 1.0, 2.0], vec![f64::INFINITY, 1.0, 1e300, -1e300]),
                Axis::new("infinite", ""),
            ),
            panel(
                Mark::Bars { lengths: vec![1.0, -2.0, f64::NAN] },
                Axis::category("names", [long, "b", ""]),
            ),
        ],
        columns: 3,
        ..Chart::default()
    }
}
