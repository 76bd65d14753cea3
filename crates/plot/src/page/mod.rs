//! Charts as one HTML file that needs nothing else: it opens from disk, without a network.
//!
//! The page draws with vega, vega-lite and vega-embed (`assets/`), included as they are published.
//! Expressions of specifications are interpreted, not compiled, so the page's policy forbids `eval`
//! as well as any request. Only the scripts written here run, named by their hashes. A chart's
//! sentence is its alternative text, its data a table on demand.
//!
//! [`html`] is a page of charts alone; a [`Page`] has sections, sentences and tables as well.

mod blocks;
mod chart;
mod escape;
mod fine;
#[cfg(test)]
mod page_tests;
mod parts;
mod swatch;

use std::fmt::Write as _;

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::Chart;
use blocks::Places;
use chart::Level;
use escape::html as shown;

pub use parts::{
    Block, Card, CardCourse, CardStage, Cards, Component, File, Finding, Grid, Page, Section, Tone,
};

const CSS: &str = include_str!("page.css");
/// Style of what stands beside charts.
const REPORT_CSS: &str = include_str!("report.css");
const LICENCES: &str = include_str!("../../assets/LICENSES.txt");
/// Scripts of every page in the order in which they run.
const SCRIPTS: [&str; 6] = [
    include_str!("../../assets/vega.min.js"),
    include_str!("../../assets/vega-lite.min.js"),
    include_str!("../../assets/vega-embed.min.js"),
    include_str!("files.js"),
    include_str!("zoom.js"),
    include_str!("page.js"),
];
/// Scripts of what stands beside charts.
const REPORT_SCRIPTS: [&str; 3] =
    [include_str!("grid.js"), include_str!("cards.js"), include_str!("names.js")];

/// A page with charts: its title, a paragraph above them (may be empty), the charts in their
/// order. About 0.9 MB, and the data of the charts.
pub fn html(title: &str, lead: &str, charts: &[Chart]) -> String {
    let mut places = Places::default();
    let ids: Vec<String> = charts.iter().map(|chart| places.take(&chart.id)).collect();
    let mut page = head(title, CSS, &SCRIPTS);
    let _ = write!(
        page,
        "<body>\n<a class=\"skip\" href=\"#charts\">To the charts</a>\n<header>\n<h1>{}</h1>\n",
        shown(title)
    );
    page += &paragraph(lead);
    let titles = charts.iter().zip(&ids).map(|(chart, id)| (chart.title.as_str(), id.as_str()));
    page += &contents("Charts", titles);
    page += NO_SCRIPT;
    page += "</header>\n<main id=\"charts\">\n";
    for (one, id) in charts.iter().zip(&ids) {
        page += &chart::section(one, id, Level::Top);
    }
    page += "</main>\n";
    page + &foot(&SCRIPTS)
}

const NO_SCRIPT: &str =
    "<noscript><p>The charts are drawn by a script, and scripts are off.</p></noscript>\n";

impl Page {
    /// The page as HTML. About 0.9 MB, and the data of what it holds.
    pub fn html(&self) -> String {
        let components: Vec<&Component> = self.components().collect();
        let styles = components.iter().map(|one| one.style);
        let css: String = [CSS, REPORT_CSS].into_iter().chain(styles).collect();
        // All but the last of every page, which draws what the others have made.
        let (draws, before) = SCRIPTS.split_last().unwrap_or((&"", &[]));
        let mut scripts: Vec<&str> = before.to_vec();
        scripts.extend(REPORT_SCRIPTS);
        scripts.push(draws);
        for script in components.iter().map(|one| one.script) {
            if !scripts.contains(&script) {
                scripts.push(script);
            }
        }
        let mut page = head(&self.title, &css, &scripts);
        let title = shown(&self.title);
        let _ = write!(
            page,
            "<body class=\"report\">\n<a class=\"skip\" href=\"#main\">To the report</a>\n\
             <header>\n<h1>{title}</h1>\n{}{NO_SCRIPT}</header>\n",
            paragraph(&self.lead)
        );
        let mut places = Places::default();
        for own in ["main", "cards", "names"] {
            places.take(own);
        }
        let ids: Vec<String> = self.sections.iter().map(|one| places.take(&one.id)).collect();
        let titles = self.sections.iter().zip(&ids);
        page += "<div class=\"beside\">\n";
        page += &contents("Contents", titles.map(|(one, id)| (one.title.as_str(), id.as_str())));
        page += "<main id=\"main\">\n";
        page += &names(&self.names);
        // The data of charts are most of a page, and each chart's are made apart.
        let takes = |section| blocks::takes(section, &mut places);
        let own: Vec<Vec<Vec<String>>> = self.sections.iter().map(takes).collect();
        let sections = self.sections.par_iter().zip(&ids).zip(&own);
        let sections = sections.map(|((one, id), own)| blocks::section(one, id, own));
        page.extend(sections.collect::<Vec<String>>());
        page += "</main>\n</div>\n";
        page + &foot(&scripts)
    }

    fn components(&self) -> impl Iterator<Item = &Component> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            Block::Component(component) => Some(component),
            _ => None,
        })
    }
}

fn paragraph(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<p>{}</p>\n", shown(text)) }
}

/// Choice of names for the reader: an element that a script fills.
fn names(names: &[String]) -> String {
    if names.len() < 2 {
        return String::new();
    }
    let data = escape::json(&serde_json::json!(names).to_string());
    format!(
        "<div class=\"names\" id=\"names\" role=\"search\" aria-label=\"Show only\">\
         <script type=\"application/json\">{data}</script></div>\n"
    )
}

/// Scripts of all pages by their hashes, as sources of a policy (CSP level 3, 2.3.1). A page that shows
/// a page of charts in a frame hands its own policy down, and so has to allow them.
pub fn sources() -> String {
    let all = SCRIPTS.into_iter().chain(REPORT_SCRIPTS).chain([crate::timeline::SCRIPT]);
    hashes(all)
}

fn hashes<'a>(scripts: impl IntoIterator<Item = &'a str>) -> String {
    let hashes: Vec<String> = scripts.into_iter().map(|script| hash(code(script))).collect();
    hashes.join(" ")
}

fn head(title: &str, css: &str, scripts: &[&str]) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"generator\" content=\"airpath\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src {}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{css}</style>\n</head>\n",
        hashes(scripts.iter().copied()),
        shown(title)
    )
}

/// A script without the comment that names its source map, which is not there.
fn code(script: &str) -> &str {
    script.split("//# sourceMappingURL=").next().unwrap_or(script)
}

/// A script's hash as a source of the policy (CSP level 3, 2.3.1).
fn hash(script: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(script.as_bytes())))
}

/// RFC 4648, 4.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |n: usize| u32::from(chunk.get(n).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for n in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * n)) as usize & 63];
            out.push(if n <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

/// Links to elements with titles and identifiers; nothing for fewer than two.
fn contents<'a>(label: &str, titles: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let titles: Vec<_> = titles.collect();
    if titles.len() < 2 {
        return String::new();
    }
    let mut text = format!("<nav aria-label=\"{label}\">\n<ul>\n");
    for (title, id) in titles {
        let _ = writeln!(text, "<li><a href=\"#{id}\">{}</a></li>", shown(title));
    }
    text + "</ul>\n</nav>\n"
}

fn foot(scripts: &[&str]) -> String {
    let mut text = format!(
        "<footer>\n<p>Made by airpath, drawn by Vega and Vega-Lite. This file needs no network.</p>\n\
         <details><summary>Licences of the scripts in this page</summary><pre>{}</pre></details>\n\
         </footer>\n",
        shown(LICENCES)
    );
    for script in scripts {
        let _ = writeln!(text, "<script>{}</script>", code(script));
    }
    text + "</body>\n</html>\n"
}
