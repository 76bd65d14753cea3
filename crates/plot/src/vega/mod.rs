//! A chart as a specification in Vega-Lite 6, data included.
//!
//! Dragging moves a panel, the wheel with Ctrl (or two fingers) zooms it, and a double click shows
//! all again. Panels with a shared x axis move together. Axes of categories stay. A click in the
//! legend lets all other series fade.

mod axes;
mod boxes;
mod layers;
mod legend;
mod rows;
#[cfg(test)]
mod vega_tests;

use serde_json::{Value, json};

use crate::{Chart, Direction, Panel, Scale};
use axes::Frame;

/// Width of the whole picture in pixels, where no page decides.
const WIDTH: usize = 860;
/// Width of what is beside a panel: its axis, and what separates it from the next.
const BESIDE: usize = 78;
/// Colour of text and of what has no series; a page may say another for dark ground.
const INK: &str = "#222222";
const FONT: &str = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

impl Chart {
    /// Its specification in Vega-Lite 6. The data is in it once, as one table; `usermeta` says
    /// what a page needs to fit it to a screen.
    pub fn vega_lite(&self) -> Value {
        let mut parts = vec![self.panels_view()];
        let series = self.series();
        let mut params = Vec::new();
        if !(series.is_empty() && self.meanings().is_empty()) {
            parts.push(legend::view(self, &series, WIDTH - BESIDE));
        }
        if !series.is_empty() {
            params.push(json!({
                "name": layers::PICK,
                "select": {"type": "point", "fields": ["series"], "toggle": "true"},
                "views": [legend::NAME],
            }));
        }
        params.extend(self.zooms());
        json!({
            "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
            "title": {"text": self.title, "anchor": "start", "fontSize": 16, "offset": 12,
                "limit": WIDTH},
            "description": self.sentence,
            "usermeta": {"airpath": self.fitting()},
            "config": config(),
            "background": "#ffffff",
            "padding": 12,
            "params": params,
            "data": {"name": "rows", "values": self.rows()},
            "vconcat": parts,
            "spacing": 16,
        })
    }

    fn rows(&self) -> Vec<Value> {
        let mut first = 0;
        let mut rows = Vec::new();
        for panel in &self.panels {
            rows.extend(rows::rows(panel, first));
            first += panel.layers.len();
        }
        rows
    }

    /// Height of its panels: less where many share the axis below them.
    fn panel_height(&self) -> usize {
        let stacked = self.shared_x && self.across() == 1 && self.panels.len() > 2;
        if stacked { axes::LOW } else { axes::HEIGHT }
    }

    /// Number of panels beside each other.
    pub(crate) fn across(&self) -> usize {
        self.columns.clamp(1, self.panels.len().max(1))
    }

    fn panels_view(&self) -> Value {
        let width = WIDTH / self.across() - BESIDE;
        let mut first = 0;
        let mut views = Vec::new();
        for (number, panel) in self.panels.iter().enumerate() {
            views.push(self.panel_view(panel, number, first, width));
            first += panel.layers.len();
        }
        let x = if self.shared_x { "shared" } else { "independent" };
        json!({
            "concat": views, "columns": self.across(), "spacing": {"row": 18, "column": 24},
            "resolve": {
                "scale": {"x": x, "y": "independent", "color": "independent"},
                "legend": {"color": "independent"}
            },
        })
    }

    fn panel_view(&self, panel: &Panel, number: usize, first: usize, width: usize) -> Value {
        let series = |layer: &crate::Layer| {
            let name = layer.series.as_ref().map(|series| &series.name);
            self.series().into_iter().find(|series| Some(&series.name) == name)
        };
        let frame = Frame::new(self, panel, width);
        let mut views = vec![ground(&frame, &format!("panel{number}"))];
        for (n, layer) in panel.layers.iter().enumerate() {
            views.extend(layers::layers(&frame, layer, series(layer), first + n));
        }
        json!({
            "title": {"text": panel.title, "anchor": "start", "fontSize": 13, "offset": 8,
                "limit": frame.width + BESIDE},
            "width": frame.width, "height": frame.height, "layer": views,
        })
    }

    /// Parameters that zoom: one for all panels with a shared x axis, otherwise one for each.
    fn zooms(&self) -> Vec<Value> {
        let name = |n: usize| format!("panel{n}");
        let zoom = |name: &str, channels: &[&str], views: Vec<String>| {
            json!({
                "name": name, "views": views, "bind": "scales",
                "select": {
                    "type": "interval", "encodings": channels,
                    "zoom": "wheel![event.ctrlKey]"
                },
            })
        };
        let all = self.panels.iter().enumerate();
        if self.shared_x && self.panels.len() > 1 {
            let zoomable = self.panels.iter().all(|panel| panel.zoomable().contains(&"x"));
            let views = all.map(|(n, _)| name(n)).collect();
            return zoomable.then(|| zoom("zoom", &["x"], views)).into_iter().collect();
        }
        all.filter(|(_, panel)| !panel.zoomable().is_empty())
            .map(|(n, panel)| zoom(&format!("zoom{n}"), &panel.zoomable(), vec![name(n)]))
            .collect()
    }

    /// True if a panel can be moved and zoomed.
    pub(crate) fn can_zoom(&self) -> bool {
        !self.zooms().is_empty()
    }

    /// Data with which a page fits panels to a screen, and the columns of the table of data.
    fn fitting(&self) -> Value {
        let panels: Vec<Value> = self
            .panels
            .iter()
            .map(|panel| {
                json!({
                    "title": self.panel_name(panel),
                    "aspect": panel.equal.then(|| Frame::new(self, panel, WIDTH).aspect()),
                    "bar": panel.longest_bar(),
                    "categories": panel.x.categories().map_or(0, <[String]>::len),
                    "longest": panel.x.categories().map_or(0, axes::longest),
                })
            })
            .collect();
        let marks: Vec<Value> = self
            .panels
            .iter()
            .enumerate()
            .flat_map(|(n, panel)| panel.layers.iter().map(move |layer| (n, layer)))
            .map(|(n, layer)| json!({"panel": n, "meaning": layer.meaning}))
            .collect();
        json!({
            "id": self.id, "columns": self.across(), "panels": panels, "layers": marks,
            "table": self.table_columns(),
        })
    }

    fn panel_name(&self, panel: &Panel) -> String {
        match panel.title.as_str() {
            "" => panel.y.title(),
            title => title.to_owned(),
        }
    }

    /// Fields of the data and their headings, for people.
    fn table_columns(&self) -> Vec<Value> {
        let common = |of: fn(&Panel) -> String, short: &str| {
            let first = self.panels.first().map(of).unwrap_or_default();
            match self.panels.iter().all(|panel| of(panel) == first) {
                true => first,
                false => short.to_owned(),
            }
        };
        let x = common(|panel| panel.x.title(), "x");
        let y = common(|panel| panel.y.title(), "y");
        let value = common(Panel::value_title, "value");
        [
            ("series", "series".into()),
            ("name", "name".into()),
            ("xname", x.clone()),
            ("yname", y.clone()),
            ("x", x),
            ("y", y.clone()),
            ("y2", format!("{y}, upper end")),
            ("low", format!("{y}, lower end")),
            ("high", format!("{y}, upper end")),
            ("value", value),
            ("text", "text".into()),
        ]
        .map(|(field, title): (&str, String)| json!({"field": field, "title": title}))
        .to_vec()
    }
}

impl Panel {
    /// Quantity of the values of its marks: the meaning of its colours, or the axis of its bars.
    fn value_title(&self) -> String {
        match (&self.values, self.last_bars()) {
            (Some(values), _) => values.title(),
            (None, Some(_)) => self.axis(self.bars_along()).title(),
            (None, None) => String::new(),
        }
    }

    /// The sum of the longest horizontal bar, unless the axis has given ends.
    fn longest_bar(&self) -> Option<f64> {
        let free = self.bars_along() == Direction::X && self.x.range.is_none();
        let longest = self.sums().into_iter().fold(0.0, f64::max);
        (free && longest > 0.0).then_some(longest)
    }

    /// Channels that can be zoomed: those without categories.
    fn zoomable(&self) -> Vec<&'static str> {
        let free = |axis: &crate::Axis| !matches!(axis.scale, Scale::Category(_));
        let all = [(Direction::X, "x"), (Direction::Y, "y")];
        all.into_iter().filter(|(along, _)| free(self.axis(*along))).map(|(_, name)| name).collect()
    }
}

/// The axes of a panel, drawn with any marks in it. Zooming is bound to this view, since a mark may
/// have a position on one axis only.
fn ground(frame: &Frame<'_>, name: &str) -> Value {
    json!({
        "name": name,
        "transform": [{"filter": {"field": "mark", "equal": -1}}],
        "mark": "point",
        "encoding": {
            "x": frame.channel(Direction::X, "x"), "y": frame.channel(Direction::Y, "y")
        },
    })
}

fn config() -> Value {
    json!({
        "font": FONT,
        "view": {"stroke": null},
        "axis": {
            "labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal",
            "gridColor": "#dde1e6", "domainColor": "#8a9099", "tickColor": "#8a9099",
            "labelColor": INK, "titleColor": INK,
        },
        "title": {"color": INK},
        "legend": {"labelColor": INK, "titleColor": INK, "titleFontWeight": "normal"},
        "text": {"fontSize": 11},
        "style": {"ink": {"fill": INK, "color": INK}, "inkline": {"stroke": INK, "color": INK}},
    })
}
