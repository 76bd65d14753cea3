//! A drop as a map: sites with the directions of their cells, UEs by their geometry.

use std::fmt::Write as _;

use airpath_channel::{Point, Surroundings};
use airpath_scenario::world::NetworkDrop;

/// Width and height of the map in pixels, and what is free around it.
const SIZE: f64 = 760.0;
const MARGIN: f64 = 30.0;
/// Height of the legend below it.
const LEGEND: f64 = 40.0;

/// Geometry in dB below which a UE has this colour; what is above all has the last.
const COLOURS: [(f64, &str); 4] =
    [(0.0, "#b2182b"), (5.0, "#ef8a62"), (10.0, "#67a9cf"), (f64::INFINITY, "#2166ac")];

/// The map as SVG.
pub fn svg(dropped: &NetworkDrop) -> String {
    let frame = Frame::around(dropped);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{SIZE}\" height=\"{0}\" \
         viewBox=\"0 0 {SIZE} {0}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        SIZE + LEGEND
    );
    sites(dropped, &frame, &mut out);
    ues(dropped, &frame, &mut out);
    legend(&frame, &mut out);
    out + "</svg>\n"
}

/// From metres to pixels.
struct Frame {
    centre: Point,
    /// Pixels a metre.
    scale: f64,
}

impl Frame {
    fn around(dropped: &NetworkDrop) -> Frame {
        let sites = dropped.network.config().layout.sites().iter().map(|site| site.at);
        let all: Vec<Point> = sites.chain(dropped.ues.iter().map(|one| one.ue.at)).collect();
        let bounds = |of: fn(&Point) -> f64| {
            let values = || all.iter().map(of);
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
        };
        let ((left, right), (low, high)) = (bounds(|at| at.x), bounds(|at| at.y));
        let extent = (right - left).max(high - low).max(10.0);
        let centre = Point { x: (left + right) / 2.0, y: (low + high) / 2.0 };
        Frame { centre, scale: (SIZE - 2.0 * MARGIN) / extent }
    }

    /// North is up.
    fn pixel(&self, at: Point) -> (f64, f64) {
        let way = at - self.centre;
        (SIZE / 2.0 + way.x * self.scale, SIZE / 2.0 - way.y * self.scale)
    }
}

/// Writing to a string cannot fail.
macro_rules! put {
    ($out:expr, $($text:tt)*) => { let _ = writeln!($out, $($text)*); };
}

fn sites(dropped: &NetworkDrop, frame: &Frame, out: &mut String) {
    for (number, cell) in dropped.network.cells().iter().enumerate() {
        let site = dropped.network.config().layout.sites()[cell.site].at;
        let (x, y) = frame.pixel(site);
        let tip = Point::polar(22.0, cell.azimuth_deg);
        put!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#555\" \
             stroke-width=\"2\"><title>cell {number}, site {}</title></line>",
            x + tip.x,
            y - tip.y,
            cell.site
        );
        let label = Point::polar(30.0, cell.azimuth_deg);
        put!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#777\" font-size=\"9\" text-anchor=\"middle\">\
             {number}</text>",
            x + label.x,
            y - label.y + 3.0
        );
    }
}

fn ues(dropped: &NetworkDrop, frame: &Frame, out: &mut String) {
    for one in &dropped.ues {
        let (x, y) = frame.pixel(one.ue.at);
        let colour = COLOURS.iter().find(|(below, _)| one.geometry.0 < *below);
        let colour = colour.map_or("black", |(_, colour)| colour);
        let title = format!(
            "<title>{}: cell {}, RSRP {:.1} dBm, geometry {:.1} dB</title>",
            escaped(&one.name),
            one.cell,
            one.rsrp.0,
            one.geometry.0
        );
        match one.ue.surroundings {
            Surroundings::Building => {
                let (x, y) = (x - 3.0, y - 3.0);
                put!(
                    out,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"6\" height=\"6\" \
                     fill=\"{colour}\">{title}</rect>"
                );
            }
            Surroundings::Outdoors | Surroundings::Car => {
                put!(
                    out,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\">{title}</circle>"
                );
            }
        }
    }
}

fn legend(frame: &Frame, out: &mut String) {
    let y = SIZE + LEGEND / 2.0;
    let words = ["below 0 dB", "0 to 5 dB", "5 to 10 dB", "above 10 dB"];
    put!(out, "<text x=\"{MARGIN}\" y=\"{y}\">geometry:</text>");
    for (n, ((_, colour), word)) in COLOURS.iter().zip(words).enumerate() {
        let x = 100.0 + 95.0 * n as f64;
        put!(out, "<circle cx=\"{x}\" cy=\"{:.1}\" r=\"5\" fill=\"{colour}\"/>", y - 4.0);
        put!(out, "<text x=\"{}\" y=\"{y}\">{word}</text>", x + 9.0);
    }
    put!(out, "<text x=\"490\" y=\"{y}\">squares: in buildings</text>");
    // The longest of 1, 2 or 5 times a power of ten that takes 100 pixels at most.
    let steps = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0, 5_000.0];
    let metres = steps.into_iter().rfind(|step| step * frame.scale <= 100.0).unwrap_or(1.0);
    let (left, right) = (SIZE - MARGIN - metres * frame.scale, SIZE - MARGIN);
    put!(
        out,
        "<path d=\"M{left:.1} {y} H{right:.1}\" stroke=\"black\" stroke-width=\"2\"/>\n\
         <text x=\"{right:.1}\" y=\"{:.1}\" text-anchor=\"end\">{metres} m</text>",
        y - 6.0
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
