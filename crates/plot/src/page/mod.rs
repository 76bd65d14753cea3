//! Charts as one HTML file that needs nothing else: it opens from disk, without a network.
//!
//! What draws is vega, vega-lite and vega-embed (`assets/`), included as they are published.
//! Expressions of specifications are interpreted, not compiled, so the page's policy forbids
//! `eval` as well as any request: only the four scripts written here run, named by their hashes.
//! A chart's sentence is its alternative text, its data a table on demand.

mod escape;
#[cfg(test)]
mod page_tests;
mod swatch;

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::{Chart, Series};
use escape::{html as shown, id, json};

const CSS: &str = include_str!("page.css");
const LICENCES: &str = include_str!("../../assets/LICENSES.txt");
/// Scripts in the order in which they run.
const SCRIPTS: [&str; 4] = [
    include_str!("../../assets/vega.min.js"),
    include_str!("../../assets/vega-lite.min.js"),
    include_str!("../../assets/vega-embed.min.js"),
    include_str!("page.js"),
];

/// A page with charts: its title, a paragraph above them (may be empty), the charts in their
/// order. About 0.9 MB, and the data of the charts.
pub fn html(title: &str, lead: &str, charts: &[Chart]) -> String {
    let ids = ids(charts);
    let mut page = head(title);
    let _ = write!(
        page,
        "<body>\n<a class=\"skip\" href=\"#charts\">To the charts</a>\n<header>\n<h1>{}</h1>\n",
        shown(title)
    );
    if !lead.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", shown(lead));
    }
    page += &contents(charts, &ids);
    page += "<noscript><p>The charts are drawn by a script, and scripts are off.</p></noscript>\n\
             </header>\n<main id=\"charts\">\n";
    for (chart, id) in charts.iter().zip(&ids) {
        page += &section(chart, id);
    }
    page += "</main>\n";
    page += &foot();
    for script in SCRIPTS {
        let _ = writeln!(page, "<script>{}</script>", code(script));
    }
    page + "</body>\n</html>\n"
}

/// A name for each chart, all different.
fn ids(charts: &[Chart]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for chart in charts {
        let own = id(&chart.id);
        let mut name = own.clone();
        let mut n = 2;
        while ids.contains(&name) {
            name = format!("{own}-{n}");
            n += 1;
        }
        ids.push(name);
    }
    ids
}

fn head(title: &str) -> String {
    let hashes: Vec<String> = SCRIPTS.iter().map(|script| hash(code(script))).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"generator\" content=\"airpath\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src {}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{CSS}</style>\n</head>\n",
        hashes.join(" "),
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
fn base64(bytes: &[u8]) -> String {
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

fn contents(charts: &[Chart], ids: &[String]) -> String {
    if charts.len() < 2 {
        return String::new();
    }
    let mut text = "<nav aria-label=\"Charts\">\n<ul>\n".to_owned();
    for (chart, id) in charts.iter().zip(ids) {
        let _ = writeln!(text, "<li><a href=\"#{id}\">{}</a></li>", shown(&chart.title));
    }
    text + "</ul>\n</nav>\n"
}

/// The sentence stands for what is drawn, in which Vega has roles without names.
fn section(chart: &Chart, id: &str) -> String {
    let mut spec = chart.vega_lite();
    spec["usermeta"]["airpath"]["id"] = id.into();
    let sentence = shown(&chart.sentence);
    let mut text = format!(
        "<section class=\"chart\" id=\"{id}\" aria-labelledby=\"{id}-title\">\n\
         <h2 id=\"{id}-title\">{}</h2>\n<figure>\n<figcaption>{sentence}</figcaption>\n\
         <div role=\"img\" aria-label=\"{sentence}\">\
         <div class=\"plot\" aria-hidden=\"true\"></div></div>\n",
        shown(&chart.title)
    );
    text += &legend(chart);
    let meanings: Vec<String> =
        chart.meanings().into_iter().map(str::to_owned).chain(chart.left_out()).collect();
    let meanings = meanings.join("; ");
    if !meanings.is_empty() {
        let _ = writeln!(text, "<p class=\"meaning\">{}</p>", shown(&meanings));
    }
    text += &tools(chart);
    let _ = write!(
        text,
        "</figure>\n<details><summary>Data of this chart as a table</summary>\
         <div class=\"rows\" tabindex=\"0\" role=\"region\" aria-label=\"Data: {}\"></div></details>\n\
         <script type=\"application/json\">{}</script>\n</section>\n",
        shown(&chart.title),
        json(&spec.to_string())
    );
    text
}

/// The series as buttons that let all others fade.
fn legend(chart: &Chart) -> String {
    let series: Vec<&Series> = chart.series();
    if series.is_empty() {
        return String::new();
    }
    let mut text =
        "<ul class=\"series\" aria-label=\"Series: pick some, and the others fade\">\n".to_owned();
    for series in series {
        let name = shown(&series.name);
        let _ = writeln!(
            text,
            "<li><button type=\"button\" aria-pressed=\"false\" data-series=\"{name}\">{}{name}\
             </button></li>",
            swatch::svg(series, chart.used(series))
        );
    }
    text + "</ul>\n"
}

fn tools(chart: &Chart) -> String {
    let title = shown(&chart.title);
    let mut text = "<div class=\"tools\"><span>Save as</span>".to_owned();
    for (tool, what) in [("svg", "SVG"), ("png", "PNG"), ("csv", "CSV"), ("json", "JSON")] {
        let _ = write!(
            text,
            "<button type=\"button\" data-tool=\"{tool}\" aria-label=\"{what}: save {title}\">\
             {what}</button>"
        );
    }
    if chart.can_zoom() {
        let _ = write!(
            text,
            "<button type=\"button\" data-tool=\"whole\" aria-label=\"Whole view: {title}\">\
             Whole view</button><span class=\"hint\">Drag moves, Ctrl and wheel zoom.</span>"
        );
    }
    text + "</div>\n"
}

fn foot() -> String {
    format!(
        "<footer>\n<p>Made by airpath, drawn by Vega and Vega-Lite. This file needs no network.</p>\n\
         <details><summary>Licences of the scripts in this page</summary><pre>{}</pre></details>\n\
         </footer>\n",
        shown(LICENCES)
    )
}
