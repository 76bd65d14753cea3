//! A radio in a file of its own, as captures are analysed with.

use airpath_base::Duration;
use airpath_base::rrc::{Config, Power};
use airpath_scenario::RadioFile;

#[test]
fn an_empty_table_with_drx_is_the_radio_that_was_measured() {
    let file = RadioFile::parse("r.toml", "[rrc]\ndrx = {}\n").expect("a radio");
    let model = file.rrc.model();
    assert_eq!((model.states, model.power), (Config::MOBISYS_2012, Power::MOBISYS_2012));
    assert_eq!(model.promotion, Duration::from_micros(260_100));
}

#[test]
fn a_distribution_of_promotions_has_its_median() {
    let model = |promotion: &str| {
        let text = format!("[rrc]\nrelease_after = \"10 s\"\npromotion = {promotion}\n");
        RadioFile::parse("r.toml", &text).expect("a radio").rrc.model()
    };
    let quartiles = model("\"quartiles\"");
    assert_eq!(quartiles.promotion, Duration::from_millis(435));
    assert_eq!(quartiles.states.release_after, Some(Duration::from_secs(10)));
    let uniform = "{ kind = \"uniform\", min = \"100 ms\", max = \"400 ms\" }";
    assert_eq!(model(uniform).promotion, Duration::from_millis(250));
}

#[test]
fn what_is_wrong_is_said() {
    for (text, count) in [
        ("rrc = 5", 1),
        ("[rrc", 1),
        ("[rrc]\nrelease_after = \"5 MB\"\nunknown = 1", 2),
        ("[rrc.drx]\nlong_cycle = \"30 ms\"", 1), // no multiple of the short cycle
        ("[rrc]\ninactive = {}", 1),
    ] {
        let errors = RadioFile::parse("r.toml", text).expect_err(text);
        assert_eq!(errors.problems().len(), count, "{text}: {errors:?}");
    }
}
