use super::places::filled;
use super::*;
use crate::network::{ArmRuns, Data, Of, Reading, Run};
use crate::{Standing, Study, Text, Verdict};

/// A run with one video user for each frame delay; its second value is the user's rate in Mbit/s.
fn run(seed: u64, users: &[(f64, f64)], pages: f64) -> Run {
    let user = |(delay, rate): &(f64, f64)| {
        let mut values = vec![None; 9];
        (values[0], values[1], values[8]) = (Some(rate * 1e6), Some(*delay), Some(10.0 + delay));
        values
    };
    let mut values = vec![None; 10];
    (values[0], values[3]) = (Some(pages), Some(pages / 100.0));
    Run { seed, extra: seed > 3, values, users: users.iter().map(user).collect() }
}

/// Five runs whose delays are a factor times 38, 40, 42, and whose rates are 1, 4 and 7.
fn arm(experiment: &str, scheduler: &str, variant: &str, load: u32, factor: f64) -> ArmRuns {
    let of = |seed: u64| {
        let delay = (38.0 + seed as f64) * factor;
        let users = [(delay - 2.0 * factor, 1.0), (delay, 4.0), (delay + 2.0 * factor, 7.0)];
        run(seed, &users, 100.0 * factor)
    };
    let (experiment, name) = (experiment.to_owned(), format!("{scheduler}/{variant}"));
    ArmRuns { experiment, load, name, runs: (1..=5).map(of).collect() }
}

pub(crate) fn data() -> Data {
    let mut arms = Vec::new();
    for load in [5, 50] {
        for scheduler in ["RR", "RR+prio", "DBS", "DBS+prio"] {
            arms.push(arm("main", scheduler, "L4S", load, 0.5));
            arms.push(arm("main", scheduler, "none", load, 1.0));
        }
    }
    arms.push(arm("alpha-small", "RR", "small, alpha 1.0", 4, 1.0));
    arms.push(arm("alpha-small", "RR", "small, alpha 0.5", 4, 1.0));
    Data { arms, ..empty() }
}

/// No runs, with the measures of the study.
pub(crate) fn empty() -> Data {
    Data::of(&study()).expect("measures")
}

pub(crate) fn study() -> Study {
    crate::study("l4s-5g").and_then(|study| study.network()).expect("a study")
}

pub(super) fn with<T>(data: &Data, of: impl FnOnce(&Findings<'_>) -> T) -> T {
    of(&Findings::new(&study(), data, &[], true).expect("rows"))
}

fn place(text: &str) -> Option<String> {
    with(&data(), |findings| filled(text, findings, &[]))
}

#[test]
fn figures() {
    let is = |text: &str, value: &str| assert_eq!(place(text).as_deref(), Some(value), "{text}");
    // Means of the runs: 39 to 43, so 41 ± 2.776·1.5811/√5 = 41 ± 1.963.
    is("mean|frame_delay|RR/none|5", "41 ms");
    is("mean|frame_delay|RR/none|5|interval", "41 ms (39 to 43)");
    is("p99|frame_delay|RR/none|5", "45 ms");
    is("p5|rate|RR/none|5", "1 Mbit/s");
    is("mean|low_rate|RR/none|5", "33.3%");
    is("ratio|frame_delay|mean|RR/L4S|RR/none|5", "0.5 (0.5 to 0.5)");
    is("change|frame_delay|mean|RR/L4S|RR/none|5", "50% lower");
    is("change|frame_delay|mean|RR/none|RR/L4S|5", "2 times as high");
    is("change|sinr|mean|RR/none|RR/L4S|5", "0.5 dB higher");
    is("range|frame_delay|mean|RR/L4S|RR/none", "0.5 (5 users) to 0.5 (50 users)");
    is("mean|frame_delay|RR/none|30", "not made");
    is("ratio|frame_delay|mean|RR/none|RR/L4S|30", "not made");
}

#[test]
fn rows_and_their_counts() {
    let is = |text: &str, value: &str| assert_eq!(place(text).as_deref(), Some(value), "{text}");
    is("verdict|L4S-039", "holds");
    is("verdict|L4S-039|published", "holds");
    is("figure|L4S-039", "0.5 (0.5 to 0.5)");
    is("figure|L4S-061a", "not made");
    // These runs have no figures of the PDSCH.
    is("verdict|L4S-073", "not resolved");
    is("count|holds|thresholds", "0");
    is("count|not made|thresholds", "3");
    let rows = place("rows|5.3.1").expect("rows");
    assert!(rows.contains("| L4S-039 | the mean video frame delay is lower with L4S"), "{rows}");
    assert!(rows.contains("- L4S-067: Priority schedulers are all but"), "{rows}");
    let fails = place("fails").expect("rows");
    assert!(fails.contains("| L4S-001 | 4 video users in 9 cells, RR, alpha 1.0"), "{fails}");
    assert!(fails.contains("| 4 Mbit/s (4 to 4) | fails |"), "{fails}");
    assert!(!fails.contains("L4S-039"), "it holds");
    let counts = place("counts").expect("counts");
    assert!(counts.contains("| thresholds | 0 | 0 | 0 | 3 | 0 | 0 | 0 |"), "{counts}");
}

#[test]
fn sentences_and_their_rules() {
    let is = |text: &str, value: &str| assert_eq!(place(text).as_deref(), Some(value), "{text}");
    // The delay with L4S is half at both loads, and the rate is the same: 042a fails by both rules.
    let text = place("rules").expect("rules");
    let row =
        text.lines().find(|line| line.starts_with("| L4S-042a | 5.3.4 | \u{201c}as expected"));
    let row = row.expect("a row");
    assert!(row.ends_with("| not resolved | not resolved | 1 (1 to 1) | 5: 1 (1 to 1) |"), "{row}");
    assert!(text.contains("- *single run*: A figure of one run") && text.contains("| L4S-039 |"));
    is("rules|differing", "No row differs.");
    let rows = place("rows|5.3.4").expect("rows");
    assert!(rows.contains("| all runs | by the sentence | decided by |"), "{rows}");
    is("count|not made|all|sentence", &place("count|not made").expect("a count"));
    with(&data(), |findings| {
        let rows = findings.json();
        let row = |id: &str| {
            let rows = rows.as_array().expect("rows");
            rows.iter().find(|row| row["id"] == id).expect("a row").clone()
        };
        assert_eq!(row("L4S-042a")["by_sentence"]["places"][0]["loads"][0]["value"], 1.0);
        assert_eq!(row("L4S-042a")["sentence"]["rule"], "mean");
        assert_eq!(row("L4S-039")["verdict_by_sentence"], row("L4S-039")["verdict"]);
        assert!(row("L4S-039").get("by_sentence").is_none());
    });
}

#[test]
fn published_single_runs() {
    let table = place("table|table 5.1").expect("a table");
    // Runs have (1 + 4 + 7)/3 = 4 Mbit/s; 17.0274/16.6892 = 1.0203.
    assert!(table.contains(
        "| alpha 0.5 | RR | 17 | 4 Mbit/s (4 to 4) | fails | not made | 1.02 | 1 (1 to 1) |"
    ));
    assert!(
        table.contains("| alpha 1.0 | RR | 16.7 | 4 Mbit/s (4 to 4) | fails | not made | 1 | 1 |")
    );
    assert!(
        table.contains("| alpha 1.0 | DBS | 21 | not made | not made | not made | 1 | 1 |"),
        "{table}"
    );
}

#[test]
fn places_that_there_are_not() {
    let none = [
        "mean|delay|RR/none|5",
        "mean|rate|RR|5",
        "mean|rate|RR/none|x",
        "rows|9",
        "what",
        "count|good",
        "count|holds|nothing",
        "verdict|L4S-1",
        "variants|none",
        "table|5.3.1",
        "open|none",
    ];
    for text in none {
        assert_eq!(place(text), None, "{text}");
    }
    let fault = filled_text("so {{what", &|_| None).expect_err("no place");
    assert!(fault.to_string().contains("{{what}}"), "{fault}");
}

#[test]
fn open_choices_turn_rows() {
    let mut data = data();
    // With this choice L4S is slower.
    data.arms.push(arm("rtt", "DBS", "L4S, slow", 50, 2.0));
    data.arms.push(arm("rtt", "DBS", "none, slow", 50, 1.0));
    let choices = with(&data, |findings| open::of_part(findings, "rtt"));
    assert!(choices.contains("| slow | DBS, 50 | 2 (2 to 2) |"), "{choices}");
    assert!(choices.contains("| as here | DBS, 50 | 0.5 (0.5 to 0.5) |"), "{choices}");
    assert!(choices.contains("- slow: L4S-039 fails"), "{choices}");
    assert_eq!(place("open").as_deref(), Some("not made"));
}

#[test]
fn arms_beside_the_main_ones() {
    let mut data = data();
    data.arms.push(arm("rtt", "DBS", "L4S, RTT 5 ms", 50, 2.0));
    let table = with(&data, |findings| filled("variants|rtt", findings, &[])).expect("a table");
    assert!(table.contains("| DBS/L4S, RTT 5 ms | 82 ms<br>× 4 (4 to 4) |"), "{table}");
    let prio = arm("rtt", "DBS+prio", "L4S, RTT 5 ms", 50, 1.0);
    data.arms.push(prio);
    let table = with(&data, |findings| filled("variants|rtt", findings, &[])).expect("a table");
    let both = "| 41 ms<br>DBS/L4S × 2 (2 to 2)<br>RR/L4S × 2 (2 to 2) |";
    assert!(table.contains(both), "{table}");
    assert!(table.contains("| RR/L4S | 20.5 ms |"), "{table}");
    assert_eq!(place("variants|beyond").as_deref(), Some("not made"));
}

#[test]
fn other_runs() {
    assert_eq!(with(&empty(), other::table), "not made");
    let text = with(&data(), other::table);
    assert!(text.contains("0 hold by the one and fail by the other"), "{text}");
}

#[test]
fn a_page_without_runs() {
    let (page, screen) = with(&empty(), |findings| (page(findings), screen(findings)));
    let page = page.expect("a page");
    assert!(page.pictures.iter().all(|(name, _)| name.starts_with("l4s-5g-trace-")));
    assert!(!page.text.contains("{{"));
    assert!(page.text.contains("the mean frame delay is not made with L4S"), "{}", page.text);
    let screen = screen.expect("a screen");
    assert!(screen.differences.is_empty() && screen.unexplained.is_empty(), "{screen:?}");
    assert_eq!(screen.standings.len(), 6);
    let none = |part: &Standing| part.kinds[0].1[1] == part.other(Verdict::NotMade);
    assert!(screen.standings.iter().all(none));
}

#[test]
fn a_page_with_runs() {
    let (page, screen) = with(&data(), |findings| (page(findings), screen(findings)));
    let page = page.expect("a page");
    assert!(page.text.contains("](../img/l4s-5g-frame-delay.svg)"));
    let drawn = |name: &str| page.pictures.iter().any(|(picture, _)| picture == name);
    assert!(drawn("l4s-5g-frame-delay.svg"));
    // Each trace that is kept is shown.
    let shown = |(name, _): &(String, String)| page.text.contains(&format!("](../img/{name})"));
    assert!(page.pictures.iter().all(shown) && drawn("l4s-5g-trace-good.svg"));
    let screen = screen.expect("a screen");
    assert!(screen.question.starts_with("What does L4S bring"), "{}", screen.question);
    // Findings at 30 users, of which no run is, are left out.
    assert!(screen.answer.iter().all(|text| !format!("{text:?}").contains("at 30 video users")));
    assert!(screen.answer.iter().any(|text| matches!(text, Text::Finding(_))), "{screen:?}");
    // The reason stands on runs in 20 MHz, of which there are none: the row is listed as it is.
    assert!(screen.differences.iter().all(|one| !one.rows.contains(&"L4S-001".to_owned())));
    let row = screen.unexplained.iter().find(|row| row.id == "L4S-001").expect("4 is not 16.7");
    assert!(row.says.contains("; here 4 Mbit/s"), "{row:?}");
}

/// Both readings: in the second, names of L4S and none are exchanged.
fn with_both<T>(of: impl FnOnce(&Findings<'_>) -> T) -> T {
    let (study, mut first) = (study(), data());
    let mut second = first.clone();
    for arm in &mut second.arms {
        arm.name = match arm.name.split_once('/') {
            Some((scheduler, "L4S")) => format!("{scheduler}/none"),
            Some((scheduler, "none")) => format!("{scheduler}/L4S"),
            _ => arm.name.clone(),
        };
    }
    first.arms.push(arm("share-target", "DBS", "L4S, only target", 50, 2.0));
    second.arms.push(arm("share-target", "DBS", "L4S, without target", 50, 0.5));
    let mut found = Findings::new(&study, &first, &[], true).expect("rows");
    let second = Findings::new(&study, &second, &[], true).expect("rows");
    found.second = Some(Box::new(Findings { reading: Reading::Second, ..second }));
    of(&found)
}

#[test]
fn both_readings_stand_side_by_side() {
    let places = ["agreement", "shares", "choices", "readings", "second|mean|frame_delay|RR/L4S|5"];
    let texts = with_both(|found| places.map(|place| filled(place, found, &[]).expect("a text")));
    let [agreement, shares, choices, readings, mean] = texts;
    let line = |name: &str| {
        let found = agreement.lines().find(|line| line.starts_with(&format!("| {name} |")));
        found.expect("a line").to_owned()
    };
    assert!(line("holds in the first only").contains("L4S-039"), "{agreement}");
    assert!(!line("holds in both").contains("L4S-039"), "{agreement}");
    // Alone 2 by 0.5 of the first; on all others 1 of the second by 0.5.
    let row = "| target | alone | DBS/L4S, 50 | × 1 (1 to 1) | × 1 (1 to 1) | × 4 (4 to 4) |";
    assert!(shares.contains(row), "{shares}");
    let row = "| target | on all others | DBS/L4S, 50 | × 1 (1 to 1) |";
    assert!(shares.lines().any(|line| line.starts_with(row) && line.contains("× 2 (2 to 2)")));
    assert!(choices.contains("| 100 ms | RFC 8298, 4.1.1.1"), "{choices}");
    assert!(readings.contains(&agreement) && !readings.contains("{{"), "{readings}");
    assert_eq!(mean, "41 ms");
    let both = with_both(|found| filled("both|mean|frame_delay|RR/L4S|5", found, &[]));
    assert_eq!(both.as_deref(), Some("20.5 ms, in the second reading 41 ms"));
    let (page, screen) = with_both(|found| (page(found), screen(found)));
    assert!(page.expect("a page").text.contains("holds in the first only"));
    let screen = screen.expect("a screen");
    let names: Vec<&str> = screen.standings.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["first reading", "second reading"]);
    let rows = |reading: &str| {
        screen.differences.iter().any(|one| one.readings.contains(&reading.to_owned()))
            || screen.unexplained.iter().any(|row| row.reading.as_deref() == Some(reading))
    };
    assert!(rows("second reading"), "{screen:?}");
}

#[test]
fn a_second_reading_that_was_not_made_has_a_sentence_and_no_tables() {
    let readings = place("readings").expect("a sentence");
    assert_eq!(readings, "The second reading was not made yet: this page shows the first.");
    assert_eq!(place("second|mean|frame_delay|RR/L4S|5").as_deref(), Some("not made"));
    assert_eq!(place("second|what"), None);
    assert_eq!(place("moved").as_deref(), Some(""));
    assert_eq!(place("both|mean|frame_delay|RR/L4S|5").as_deref(), Some("20.5 ms"));
}

#[test]
fn changes_since_older_tables_are_medians_of_ratios() {
    let (old, mut new) = (data(), data());
    for arm in new.arms.iter_mut().filter(|arm| arm.load == 50) {
        arm.runs.iter_mut().for_each(|run| run.values[0] = run.values[0].map(|pages| pages * 3.0));
    }
    let moved = moved(&old, &new);
    let of = |kpi: &str, of: Of| {
        let found = moved.iter().find(|moved| moved.kpi == kpi && moved.of == of);
        found.map(|moved| (moved.arms, moved.median, moved.most))
    };
    // 8 of 18 arms have 50 users.
    assert_eq!(of("pages", Of::Mean), Some((18, 1.0, [1.0, 3.0])));
    assert_eq!(of("frame_delay", Of::P99), Some((18, 1.0, [1.0, 1.0])));
    assert_eq!(of("timeouts", Of::Mean), None);
    let changes = serde_json::json!({
        "between": "From a to b.", "through": ["This changed."], "moved": moved,
    });
    let study = study().with("moved.json", &changes.to_string());
    let found = Findings::new(&study, &old, &[], true).expect("rows");
    let section = filled("moved", &found, &[]).expect("a section");
    let row = "| finished web pages | mean | 18 | 1.000 | 1.000 to 3.000 |";
    assert!(section.contains(row) && section.ends_with("- This changed."), "{section}");
}
