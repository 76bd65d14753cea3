use super::*;
use crate::{Axis, Layer, Mark, Panel, Series};

const HOSTILE: &str = "</script><script>alert('x')</script><!-- \u{2028} \" onload=\"y";

/// A chart in which everything that can be named is called this.
fn chart(name: &str) -> Chart {
    let series = Series::new(name, 0);
    let points =
        Mark::Points { x: vec![0.0], y: vec![1.0], values: Vec::new(), names: vec![name.into()] };
    let rule = Mark::Rule { along: crate::Direction::Y, at: 1.0, text: name.into() };
    Chart {
        id: name.into(),
        title: name.into(),
        sentence: name.into(),
        panels: vec![Panel {
            title: name.into(),
            x: Axis::category(name, [name]),
            y: Axis::new(name, name),
            layers: vec![Layer::new(&series, points).meaning(name), Layer::plain(rule)],
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

#[test]
fn names_that_are_code_are_text() {
    let page = html(HOSTILE, HOSTILE, &[chart(HOSTILE), chart("plain")]);
    // Its scripts, and two charts' data.
    let (before, after) = page.split_once("<body>").expect("a body");
    let own: usize = SCRIPTS.iter().map(|script| code(script).matches("<script").count()).sum();
    assert_eq!(after.matches("<script").count(), SCRIPTS.len() + 2 + own);
    for bad in ["<script>alert", "<!--", " onload=\"y"] {
        assert!(!before.contains(bad) && !after.contains(bad), "{bad:?}");
    }
    let data = after.split("<script type=\"application/json\">").nth(1).expect("data");
    let data = data.split("</script>").next().expect("its end");
    assert!(!data.contains('\u{2028}'));
    let spec: serde_json::Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(spec["description"], HOSTILE);
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
}

#[test]
fn a_page_asks_for_nothing() {
    let page = html("t", "", &[chart("a")]);
    for bad in [" src=", "<link", "@import", "url(", "sourceMappingURL", "<iframe", "<img"] {
        let scripts: usize = SCRIPTS.iter().map(|script| code(script).matches(bad).count()).sum();
        let all = page.matches(bad).count();
        assert_eq!(all, scripts, "{bad}");
    }
    assert!(page.contains("default-src 'none'; script-src 'sha256-"));
    assert!(!page.contains("unsafe-eval"));
}

#[test]
fn charts_have_a_heading_a_sentence_and_a_place_of_their_own() {
    let page = html("t", "", &[chart("a b"), chart("a b"), chart("a-b-2")]);
    for id in ["a-b", "a-b-2", "a-b-2-2"] {
        assert_eq!(page.matches(&format!("<section class=\"chart\" id=\"{id}\"")).count(), 1);
        assert!(page.contains(&format!("<a href=\"#{id}\">")), "{id}");
        assert!(page.contains(&format!("\"id\":\"{id}\"")), "{id}");
    }
    assert_eq!(page.matches("role=\"img\" aria-label=\"a b\"").count(), 2);
    assert_eq!(page.matches("<figcaption>a b</figcaption>").count(), 2);
}

#[test]
fn hashes_are_those_of_the_policy() {
    // FIPS 180-2, B.1, and RFC 4648, 10, whose vectors end in none, one and two signs.
    assert_eq!(hash("abc"), "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
    let vectors = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
    let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
    assert_eq!(vectors.map(|text| base64(text.as_bytes())), expected);
}

#[test]
fn assets_are_as_published() {
    let sums = include_str!("../../assets/SHA256SUMS");
    let files = [SCRIPTS[0], SCRIPTS[1], SCRIPTS[2], LICENCES];
    assert_eq!(sums.lines().count(), files.len());
    for (line, file) in sums.lines().zip(files) {
        let digest = Sha256::digest(file.as_bytes());
        let sum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(line.starts_with(&sum), "{line} {sum}");
    }
}

#[test]
fn a_page_with_sections_shows_hostile_names_too() {
    let name = || HOSTILE.to_owned();
    let card = Card { name: name(), said: vec![name()], ..Card::default() };
    let grid = Grid {
        id: name(),
        title: name(),
        columns: vec![name()],
        rows: vec![vec![HOSTILE.into()]],
        ..Grid::default()
    };
    let finding =
        Finding { head: name(), badge: name(), text: name(), card: name(), ..Finding::default() };
    let blocks = vec![
        Block::Text(name()),
        Block::Facts(vec![(name(), name())]),
        Block::Findings(vec![finding]),
        Block::Chart(Box::new(chart(HOSTILE))),
        Block::Choice(name(), vec![chart(HOSTILE)]),
        Block::Table(grid),
        Block::File(File { name: name(), meaning: name(), text: name() }),
        Block::Cards(Cards { each: name(), cards: vec![card] }),
    ];
    let section = Section { id: name(), title: name(), lead: name(), folded: true, blocks };
    let page =
        Page { title: name(), lead: name(), sections: vec![section], names: vec![name(), name()] };
    let html = page.html();
    for bad in ["<script>alert", "<!--", " onload=\"y"] {
        assert!(!html.contains(bad), "{bad:?}");
    }
    assert!(html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
}
