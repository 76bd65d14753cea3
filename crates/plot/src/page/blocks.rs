//! Sections and what they hold, as HTML.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rayon::prelude::*;
use serde_json::{Value, json};

use super::chart::{Level, choice, section as chart};
use super::escape::{self, html as shown, json as inert};
use super::parts::{Block, Card, CardStage, Cards, Component, File, Finding, Grid, Section, Tone};
use crate::COLOURS;
use crate::figure::digits;

/// Digits of figures in data.
const DIGITS: usize = 6;

/// Identifiers in a page, all different.
#[derive(Default)]
pub(super) struct Places(BTreeSet<String>);

impl Places {
    /// Returns an identifier that no other element has.
    pub(super) fn take(&mut self, name: &str) -> String {
        let own = escape::id(name);
        let tries = (2..).map(|n| format!("{own}-{n}"));
        let free = std::iter::once(own.clone()).chain(tries).find(|name| !self.0.contains(name));
        let free = free.unwrap_or(own);
        self.0.insert(free.clone());
        free
    }
}

/// Identifiers of the blocks of a section.
pub(super) fn takes(section: &Section, places: &mut Places) -> Vec<Vec<String>> {
    let of = |block: &Block| match block {
        Block::Chart(one) => vec![places.take(&one.id)],
        Block::Choice(_, charts) => charts.iter().map(|one| places.take(&one.id)).collect(),
        Block::Table(grid) => vec![places.take(&grid.id)],
        Block::Component(one) => vec![places.take(&one.id)],
        _ => Vec::new(),
    };
    section.blocks.iter().map(of).collect()
}

/// A section with its heading, its identifier and those of its blocks.
pub(super) fn section(section: &Section, place: &str, ids: &[Vec<String>]) -> String {
    let title = shown(&section.title);
    let heading = format!("<h2 id=\"{place}-title\">{title}</h2>");
    let mut text = match section.folded {
        true => format!("<details class=\"part\" id=\"{place}\">\n<summary>{heading}</summary>\n"),
        false => format!(
            "<section class=\"part\" id=\"{place}\" aria-labelledby=\"{place}-title\">\n{heading}\n"
        ),
    };
    if !section.lead.is_empty() {
        let _ = writeln!(text, "<p>{}</p>", shown(&section.lead));
    }
    let blocks = section.blocks.par_iter().zip(ids).map(|(one, ids)| block(one, ids));
    text.extend(blocks.collect::<Vec<String>>());
    text + if section.folded { "</details>\n" } else { "</section>\n" }
}

fn block(block: &Block, ids: &[String]) -> String {
    let id = ids.first().map_or("", String::as_str);
    match block {
        Block::Text(text) => format!("<p>{}</p>\n", shown(text)),
        Block::Facts(facts) => list_of(facts),
        Block::Findings(findings) => list(findings),
        Block::Groups(all) => groups(all),
        Block::Chart(one) => chart(one, id, Level::Below),
        Block::Choice(label, charts) => choice(label, charts, ids),
        Block::Table(grid) => table(grid, id),
        Block::File(one) => file(one),
        Block::Cards(all) => cards(all),
        Block::Component(one) => component(one, id),
    }
}

fn list_of(facts: &[(String, String)]) -> String {
    let fact = |(name, value): &(String, String)| {
        format!("<div><dt>{}</dt><dd>{}</dd></div>\n", shown(name), shown(value))
    };
    format!("<dl class=\"facts\">\n{}</dl>\n", facts.iter().map(fact).collect::<String>())
}

/// A frame for each group; a single group is a list.
fn groups(all: &[(String, Vec<Finding>)]) -> String {
    if let [(_, only)] = all {
        return list(only);
    }
    let group = |(title, findings): &(String, Vec<Finding>)| {
        format!(
            "<section class=\"group\">\n<h3>{}</h3>\n{}</section>\n",
            shown(title),
            list(findings)
        )
    };
    format!("<div class=\"groups\">\n{}</div>\n", all.iter().map(group).collect::<String>())
}

fn list(findings: &[Finding]) -> String {
    let mut text = "<ul class=\"findings\">\n".to_owned();
    for finding in findings {
        let tone = match finding.tone {
            Tone::Good => "good",
            Tone::Bad => "bad",
            Tone::Open => "open",
            Tone::Plain => "plain",
        };
        let _ = write!(text, "<li class=\"{tone}\" data-name=\"{}\">", shown(&finding.head));
        if !finding.head.is_empty() {
            let head = shown(&finding.head);
            match finding.card.as_str() {
                "" => _ = write!(text, "<strong>{head}</strong> "),
                card => _ = write!(text, "<a href=\"#card={}\">{head}</a> ", address(card)),
            }
        }
        if !finding.badge.is_empty() {
            let _ = write!(text, "<span class=\"badge\">{}</span> ", shown(&finding.badge));
        }
        let _ = writeln!(text, "<span>{}</span></li>", shown(&finding.text));
    }
    text + "</ul>\n"
}

/// A name as a fragment of an address (RFC 3986, 3.5): all but unreserved letters as bytes.
fn address(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            byte => _ = write!(text, "%{byte:02X}"),
        }
    }
    text
}

fn table(grid: &Grid, place: &str) -> String {
    let data = json!({
        "id": place, "title": grid.title, "columns": grid.columns, "cards": grid.cards,
        "links": grid.links, "rows": grid.rows,
    });
    let sentence = match grid.sentence.as_str() {
        "" => String::new(),
        sentence => format!("<p>{}</p>\n", shown(sentence)),
    };
    format!(
        "<section class=\"grid\" id=\"{place}\" aria-labelledby=\"{place}-title\">\n\
         <h3 id=\"{place}-title\">{}</h3>\n{sentence}<div class=\"holder\"></div>\n\
         <script type=\"application/json\">{}</script>\n</section>\n",
        shown(&grid.title),
        inert(&data.to_string())
    )
}

fn file(file: &File) -> String {
    let name = shown(&file.name);
    format!(
        "<details class=\"file\" data-file=\"{name}\"><summary>{}: <code>{name}</code></summary>\n\
         <div class=\"tools\"><button type=\"button\">Save {name}</button></div>\n\
         <pre tabindex=\"0\" role=\"region\" aria-label=\"{name}\">{}</pre></details>\n",
        shown(&file.meaning),
        shown(&file.text)
    )
}

fn cards(all: &Cards) -> String {
    let data = json!({"each": all.each, "cards": all.cards.iter().map(card).collect::<Vec<_>>()});
    format!(
        "<div class=\"cards\" id=\"cards\"><div class=\"holder\"></div>\n\
         <script type=\"application/json\">{}</script></div>\n",
        inert(&data.to_string())
    )
}

fn card(card: &Card) -> Value {
    let short = |values: &[f64]| values.iter().map(|v| digits(*v, DIGITS)).collect::<Vec<_>>();
    let courses = card.courses.iter().map(|course| {
        let y = course.y.iter().map(|y| y.map(|y| digits(y, DIGITS)));
        json!({
            "series": course.series, "title": course.title, "x": short(&course.x),
            "y": y.collect::<Vec<_>>(),
        })
    });
    let stage = |one: &CardStage| {
        json!([one.name, digits(one.ms, DIGITS), COLOURS[one.colour % COLOURS.len()]])
    };
    let stages = card.stages.iter().map(|(name, all)| {
        let all: Vec<Value> = all.iter().filter(|one| one.ms > 0.0).map(stage).collect();
        json!([name, all])
    });
    json!({
        "name": card.name, "point": card.point, "said": card.said, "facts": card.facts,
        "stages": stages.collect::<Vec<_>>(), "courses": courses.collect::<Vec<_>>(),
    })
}

fn component(one: &Component, place: &str) -> String {
    format!(
        "<div class=\"component {}\" id=\"{place}\">\n<p>{}</p>\n\
         <script type=\"application/json\">{}</script>\n</div>\n",
        one.kind,
        shown(&one.sentence),
        inert(&one.data)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_headings_and_one_alone_is_a_list() {
        let finding = |head: &str| Finding { head: head.into(), ..Finding::default() };
        let group = |title: &str, heads: &[&str]| {
            (title.to_owned(), heads.iter().map(|head| finding(head)).collect::<Vec<_>>())
        };
        let text = groups(&[group("a <b>", &["one", "two"]), group("c", &["three"])]);
        assert_eq!((text.matches("<h3>").count(), text.matches("<li").count()), (2, 3));
        assert!(text.contains("<h3>a &lt;b&gt;</h3>"), "{text}");
        assert!(!groups(&[group("c", &["three"])]).contains("<h3>"));
    }

    #[test]
    fn places_differ_and_names_are_addresses() {
        let mut places = Places::default();
        let all = ["a b", "a b", "a-b-2"].map(|name| places.take(name));
        assert_eq!(all, ["a-b", "a-b-2", "a-b-2-2"]);
        // RFC 3986, 2.1 and 2.3; ü is C3 BC in UTF-8.
        assert_eq!(address("a b\"<ü"), "a%20b%22%3C%C3%BC");
    }
}
