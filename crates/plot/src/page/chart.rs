//! A chart in a page: its sentence, its legend, and what can be done with it.

use std::fmt::Write as _;

use super::escape::{html as shown, json};
use super::{fine, swatch};
use crate::{Chart, Series};

/// The headings of charts: those of the page itself, or those below them.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Level {
    Top,
    Below,
}

/// The sentence stands for what is drawn, in which Vega has roles without names.
pub(super) fn section(chart: &Chart, id: &str, level: Level) -> String {
    let mut spec = chart.vega_lite();
    spec["usermeta"]["airpath"]["id"] = id.into();
    let sentence = shown(&chart.sentence);
    let heading = if level == Level::Top { "h2" } else { "h3" };
    let mut text = format!(
        "<section class=\"chart\" id=\"{id}\" aria-labelledby=\"{id}-title\">\n\
         <{heading} id=\"{id}-title\">{}</{heading}>\n<figure>\n<figcaption>{sentence}</figcaption>\n\
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
         <script type=\"application/json\">{}</script>\n",
        shown(&chart.title),
        json(&spec.to_string())
    );
    if let Some(data) = fine::data(chart) {
        let _ = writeln!(
            text,
            "<script type=\"application/json\" class=\"fine\">{}</script>",
            json(&data.to_string())
        );
    }
    text + "</section>\n"
}

/// Several charts, of which one is seen.
pub(super) fn choice(label: &str, charts: &[Chart], ids: &[String]) -> String {
    let option = |(chart, id): (&Chart, &String)| {
        format!("<option value=\"{id}\">{}</option>\n", shown(&chart.title))
    };
    let options: String = charts.iter().zip(ids).map(option).collect();
    let mut text = format!(
        "<div class=\"choice\"><label>{} <select>\n{options}</select></label>\n",
        shown(label)
    );
    for (chart, id) in charts.iter().zip(ids) {
        text += &section(chart, id, Level::Below);
    }
    text + "</div>\n"
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
    let button = |tool: &str, what: &str, label: &str| {
        format!(
            "<button type=\"button\" data-tool=\"{tool}\" aria-label=\"{label}: {title}\" \
             title=\"{label}\">{what}</button>"
        )
    };
    for (tool, what) in [("svg", "SVG"), ("png", "PNG"), ("csv", "CSV"), ("json", "JSON")] {
        text += &button(tool, what, &format!("{what}: save"));
    }
    if chart.can_zoom() {
        text += "<span class=\"gap\">See</span>";
        for (tool, sign, what) in [
            ("in", "+", "Closer"),
            ("out", "−", "From further off"),
            ("back", "←", "Further left"),
            ("on", "→", "Further right"),
        ] {
            text += &button(tool, sign, what);
        }
        text += &button("whole", "Whole view", "Whole view");
        text += "<span class=\"hint\">Drag moves, Ctrl and wheel zoom.</span>\
                 <span class=\"seen\" role=\"status\"></span>";
    }
    text + "</div>\n"
}
