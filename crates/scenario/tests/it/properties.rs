//! No text, however damaged, makes the reader panic.

use airpath_scenario::{Scenario, templates};
use proptest::prelude::*;
use proptest::sample::Index;

fn read(text: &str, overrides: &[String]) {
    if let Err(errors) = Scenario::parse("s.toml", text, overrides) {
        assert!(!errors.problems().is_empty());
        assert!(!errors.plain().is_empty());
        let handler = miette::NarratableReportHandler::new();
        let mut report = String::new();
        handler.render_report(&mut report, &errors).expect("every error can be shown");
    }
}

fn at(text: &str, index: &Index) -> usize {
    let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
    places[index.index(places.len())]
}

/// Lines of all templates, to be thrown together.
fn lines() -> Vec<&'static str> {
    templates().iter().flat_map(|template| template.text.lines()).collect()
}

proptest! {
    #[test]
    fn damaged_templates(
        which in any::<Index>(),
        cut in any::<(Index, Index)>(),
        insert in "[\\[\\]{}=\"'.,0-9a-z \n-]{0,12}",
    ) {
        let text = which.get(templates()).text;
        let (a, b) = (at(text, &cut.0), at(text, &cut.1));
        let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 40));
        let b = (b..=text.len()).find(|b| text.is_char_boundary(*b)).unwrap_or(text.len());
        read(&format!("{}{insert}{}", &text[..a], &text[b..]), &[]);
    }

    #[test]
    fn values_exchanged(
        which in any::<Index>(),
        line in any::<Index>(),
        value in prop_oneof![
            Just("0".to_owned()), Just("-1".to_owned()), Just("\"0 s\"".to_owned()),
            Just("9223372036854775807".to_owned()), Just("[]".to_owned()),
            Just("{}".to_owned()), Just("[{}]".to_owned()), Just("1979-05-27".to_owned()),
            Just("\"unlimited\"".to_owned()), Just("inf".to_owned()), "\"[0-9]{1,20} ?[a-zA-Z/]{0,6}\"",
        ],
    ) {
        let text = which.get(templates()).text;
        let count = text.lines().filter(|line| line.contains(" = ")).count();
        let chosen = line.index(count);
        let mut seen = 0;
        let mut changed = String::new();
        for line in text.lines() {
            let mut line = line.to_owned();
            if line.contains(" = ") {
                if seen == chosen {
                    let key = line.split(" = ").next().unwrap_or_default().to_owned();
                    line = format!("{key} = {value}");
                }
                seen += 1;
            }
            changed.push_str(&line);
            changed.push('\n');
        }
        read(&changed, &[]);
    }

    #[test]
    fn lines_thrown_together(chosen in prop::collection::vec(any::<Index>(), 0..40)) {
        let all = lines();
        let text: Vec<&str> = chosen.iter().map(|index| *index.get(&all)).collect();
        read(&text.join("\n"), &[]);
    }

    #[test]
    fn any_override(
        path in "(ue|bearer|flow|path|cell|seed|)(\\.[a-z0-9_]{0,8}){0,3}",
        value in "[ -~é\n]{0,12}",
    ) {
        let text = templates()[0].text;
        read(text, &[format!("{path}={value}"), value]);
    }
}
