//! Files of cases: the schema and the messages about faults.

use airpath_evaluate::{Case, SUITES, Suite, schema};

const CASE: &str = r#"
title = "A case"
source = "RFC 0, 1"
family = "transport"
scenario = "s.toml"
subjects = ["bulk"]

[[criterion]]
name = "fills"
sentence = "The sender fills the link."
quantity = "rate@main.bulk[5..10]"
unit = "Mbit/s"
at_least = 8
threshold = 0.1
"#;

fn parse(text: &str) -> Result<Case, String> {
    let read = |name: &str| match name {
        "s.toml" => Ok(String::new()),
        _ => Err("no such file".to_owned()),
    };
    Case::parse("own/a.case.toml", text, &read).map_err(|error| error.to_string())
}

#[test]
fn suites_are_whole() {
    for (name, _) in SUITES {
        let suite = Suite::known(name).unwrap_or_else(|error| panic!("{error}"));
        assert!(!suite.cases.is_empty(), "{name}");
        for case in &suite.cases {
            for own in &case.file.criterion {
                assert!(own.sentence.ends_with('.'), "{name}/{}: {}", case.name, own.sentence);
            }
        }
    }
}

#[test]
fn a_case_has_a_name_and_criteria() {
    let case = parse(CASE).expect("a case");
    assert_eq!((case.name.as_str(), case.file.criterion.len(), case.file.seeds), ("a", 1, 5));
}

#[test]
fn faults_name_the_criterion_and_the_mend() {
    let with = |from: &str, to: &str| parse(&CASE.replace(from, to)).expect_err("a mistake");
    let faults = [
        (with("at_least = 8\n", ""), "no bound; add at_least or at_most"),
        (with("rate@main.bulk[5..10]", "rate"), "rate@main.flow[20..40]"),
        (with("rate@main.bulk", "rate@other.bulk"), "there is no run other; there are: main"),
        (with("at_least = 8", "at_least = 8\nat_most = 7"), "at_least is above at_most"),
        (with("s.toml", "t.toml"), "no such file"),
        (with("[\"bulk\"]", "[]"), "name a flow"),
        (with("subjects", "video = { max_rate = \"1 Mbit/s\" }\nsubjects"), "leave it out"),
        (with("family = \"transport\"", "family = \"tcp\""), "family"),
        (with("threshold = 0.1", "threshold = -1"), "threshold"),
        (with("title", "tittle"), "title"),
    ];
    for (message, wanted) in faults {
        assert!(message.contains(wanted), "{message}\n{wanted}");
        assert!(message.contains("a.case.toml"), "{message}");
    }
    let two = format!("{CASE}{}", &CASE[CASE.find("[[criterion]]").expect("a criterion")..]);
    assert!(parse(&two).expect_err("a mistake").contains("rename one"));
    let none = &CASE[..CASE.find("[[criterion]]").expect("a criterion")];
    assert!(parse(none).expect_err("a mistake").contains("add [[criterion]]"));
}

#[test]
fn the_schema_has_the_keys_of_a_case() {
    let keys = schema();
    let criterion = &keys["properties"]["criterion"]["items"]["properties"];
    assert!(criterion["at_least"].is_object() && criterion["sentence"].is_object(), "{keys}");
}

#[test]
fn a_grid_has_a_run_for_each_combination() {
    let grid = "[[axis]]\nvalue = [{ name = \"slow\" }, { name = \"fast\", set = [\"a=1\"] }]\n\
        [[axis]]\nvalue = [{ name = \"near\" }, { name = \"far\", set = [\"b=2\"] }]\n[[criterion]]";
    let text = CASE.replace("[[criterion]]", grid).replace("@main.", "@*-far.");
    let case = parse(&text).expect("a case").file;
    let runs: Vec<&str> = case.run.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(runs, ["slow-near", "slow-far", "fast-near", "fast-far"]);
    assert_eq!(case.run[3].set, ["a=1", "b=2"]);
    let criteria: Vec<(&str, &str)> =
        case.criterion.iter().map(|own| (own.name.as_str(), own.quantity.as_str())).collect();
    let wanted = [
        ("fills, slow-far", "rate@slow-far.bulk[5..10]"),
        ("fills, fast-far", "rate@fast-far.bulk[5..10]"),
    ];
    assert_eq!(criteria, wanted);
    let none = parse(&text.replace("@*-far.", "@*-afar.")).expect_err("a mistake");
    assert!(none.contains("a.case.toml") && none.contains("no run fits *-afar"), "{none}");
    let both = text.replace("[[criterion]]", "[[run]]\nname = \"main\"\n[[criterion]]");
    assert!(parse(&both).expect_err("a mistake").contains("leave one of them out"));
    let empty = text.replace("value = [{ name = \"slow\" }, ", "value = [] # ");
    assert!(parse(&empty).expect_err("a mistake").contains("axis has no value"));
}
