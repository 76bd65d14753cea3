use airpath_plot::{Mark, Scale};

use super::measure::{Measure, Users};
use super::*;
use crate::network::page::tests::{data, empty, study, with};
use crate::network::{Data, Of, Reading};

/// Names of the arms that the study has.
fn arms() -> Vec<String> {
    let mut arms = Vec::new();
    let plan = study().plan().expect("a plan");
    for experiment in plan.experiments {
        let campaign = study()
            .campaign(&experiment, Reading::First, false)
            .expect("a campaign")
            .expect("long");
        for arm in 0..campaign.arms.len() {
            arms.push(plan.axes.arm(&campaign, arm).expect("an arm").1);
        }
    }
    arms
}

#[test]
fn pictures_name_what_there_is() {
    let (arms, data) = (arms(), empty());
    let all = Pictures::of(&study()).expect("pictures");
    assert!(all.pictures.len() > 20);
    for picture in &all.pictures {
        assert!(arms.contains(&picture.needs), "{}", picture.name);
        for part in &picture.parts {
            assert!(
                part.measure(&data).is_some() && !all.lines(part).is_empty(),
                "{}",
                picture.name
            );
            for line in all.lines(part) {
                assert!(arms.contains(&line.arm), "{}: {}", picture.name, line.arm);
            }
        }
    }
}

/// The charts of which runs were made.
fn drawn(data: &Data) -> Vec<Chart> {
    with(data, |findings| pictures(findings).expect("pictures"))
}

#[test]
fn lines_of_what_was_made() {
    let drawn = drawn(&data());
    let ids: Vec<&str> = drawn.iter().map(|chart| chart.id.as_str()).collect();
    assert!(ids.contains(&"l4s-5g-frame-delay") && ids.contains(&"l4s-5g-low-rate"), "{ids:?}");
    assert!(!ids.contains(&"l4s-5g-rtt"), "no run of it was made");
    let chart = drawn.iter().find(|chart| chart.id == "l4s-5g-frame-delay").expect("drawn");
    let names: Vec<&str> = chart.series().iter().map(|series| series.name.as_str()).collect();
    assert_eq!(&names[..4], ["RR, L4S", "RR, none", "DBS, L4S", "DBS, none"]);
    let Mark::Intervals { x, y, low, .. } = &chart.panels[0].layers[3].mark else {
        panic!("{chart:?}")
    };
    // The second of four lines, half a step left of its load; 41 ± 1.963 as in page_tests.
    assert_eq!((x[0], y[0]), (5.0 - 0.175, 41.0));
    assert!((low[0] - 39.037).abs() < 1e-3);
    assert_eq!(chart.panels[0].y.scale, Scale::Linear);
    assert_eq!(chart.panels[0].y.range, chart.panels[1].y.range);
}

#[test]
fn without_users_who_are_not_served() {
    let data = data();
    let runs = data.arm("RR/none", 5).expect("made");
    let measure = |kpi, of, users| {
        let kpi = data.kpi(kpi).expect("a measure");
        Measure { kpi, of, users }.of(&data, runs).expect("a figure")
    };
    let worst = |users| measure("frame_delay", Of::P5, users);
    // Delays of run n are 36 + n at 1 Mbit/s, 38 + n at 4 and 40 + n at 7; each rate is the 5th
    // percentile of one user in three.
    assert_eq!(worst(Users::All).estimate, 37.0);
    assert_eq!(worst(Users::Served).estimate, 39.0);
    assert_eq!(worst(Users::WithoutWorst).estimate, 39.0);
    let low = measure("low_rate", Of::Mean, Users::All);
    assert!((low.estimate - 100.0 / 3.0).abs() < 1e-9);
}

#[test]
fn figures_far_apart_are_on_a_logarithmic_axis() {
    let mut data = data();
    for arm in &mut data.arms {
        let far = arm.name.ends_with("/none") && arm.load == 50;
        for user in arm.runs.iter_mut().flat_map(|run| &mut run.users) {
            user[1] = user[1].map(|delay| if far { delay * 100.0 } else { delay });
        }
    }
    let chart = drawn(&data).into_iter().find(|chart| chart.id.ends_with("frame-delay"));
    let y = chart.expect("drawn").panels[0].y.clone();
    assert_eq!(y.scale, Scale::Log);
    assert!(y.range.is_some_and(|(low, high)| low > 0.0 && low < 20.5 && high > 4100.0));
}

#[test]
fn places_of_pictures() {
    let data = data();
    let drawn = drawn(&data);
    let of = |name: &str| with(&data, |findings| place(findings, &drawn, name, "Delay"));
    let shown = "![Delay (the thesis' figures 5.7 and 5.8)](../img/l4s-5g-frame-delay.svg)";
    assert_eq!(of("frame-delay").as_deref(), Some(shown));
    let missing = "*Delay (the thesis' figures B.1 to B.8): not made.*";
    assert_eq!(of("rtt").as_deref(), Some(missing));
    assert_eq!(of("no-such"), None);
    let none = with(&empty(), |findings| pictures(findings).expect("pictures"));
    assert!(none.is_empty());
}

#[test]
fn users_as_points() {
    let drawn = drawn(&data());
    let chart = drawn.iter().find(|chart| chart.id == "l4s-5g-users-rate").expect("drawn");
    let Mark::Points { x, y, .. } = &chart.panels[0].layers[1].mark else { panic!("{chart:?}") };
    // Fifteen users, whose rates are the same in both arms.
    assert_eq!((x.len(), &x[..3]), (15, &[1.0, 4.0, 7.0][..]));
    assert_eq!(x, y);
    assert_eq!(chart.panels.len(), 1, "no run at 15 users was made");
}

#[test]
fn the_page_has_each_picture_and_names_arms_that_there_are() {
    let study = study();
    let all = Pictures::of(&study).expect("pictures");
    let traces = TraceSpec::of(&study).expect("traces").pictures;
    let lines = all.pictures.iter().map(|own| &own.name);
    let names = lines.chain(all.users.iter().map(|own| &own.name));
    let names = names.chain(traces.iter().map(|own| &own.id));
    let [page, screen] = ["page.md", "screen.md"].map(|name| study.text(name).expect("a text"));
    for name in names {
        assert!(page.contains(&format!("{{{{picture|{name}|")), "{name}");
    }
    let arms = arms();
    for part in [page, screen].iter().flat_map(|text| text.split(['{', '}', '|'])) {
        let named = ["RR/", "RR+prio/", "DBS/", "DBS+prio/"].iter().any(|s| part.starts_with(s));
        assert!(!named || arms.iter().any(|arm| arm == part), "{part}");
    }
}
