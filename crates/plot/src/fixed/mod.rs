//! Static pictures of a chart, as SVG and PNG.
//!
//! The crate `kuva` draws axes, grid and ticks by its own layout. Marks are primitives of its
//! scene, at the positions that its axes give. Its ready-made plots are not used, as they lack
//! ellipses, gaps and hollow points. They also number their clips through the life of the process,
//! so that the second picture would differ from the first.
//!
//! Positions are rounded to a quarter of a pixel (points of lines to a tenth). The last bit of a
//! platform's logarithm therefore does not show, and the same chart gives the same bytes
//! everywhere. A PNG has twice as many pixels as the SVG states.

mod axes;
mod bars;
mod canvas;
mod cells;
mod legend;
mod lines;
mod marks;
mod place;
mod plan;
mod points;
pub(crate) mod range;
mod text;

use kuva::backend::raster::RasterBackend;
use kuva::backend::svg::SvgBackend;

use crate::Chart;
use canvas::Canvas;

/// Width of a picture in pixels.
const WIDTH: f64 = 960.0;
/// Free pixels at the edges.
const MARGIN: f64 = 20.0;
/// Colours of what is no series.
const GROUND: &str = "#ffffff";
const INK: &str = "#222222";
const MUTED: &str = "#5f6b76";
const GRID: &str = "#dde3ea";

impl Chart {
    /// The chart as SVG, 960 pixels wide. Title and sentence are its title and description for
    /// those who do not see it.
    pub fn svg(&self) -> String {
        let canvas = drawn(self, Canvas::new(&self.id, false));
        let picture = SvgBackend::new().with_pretty(true).render_scene(canvas.scene());
        titled(self, &canvas, &picture)
    }

    /// The chart as PNG, 1920 pixels wide, in the font DejaVu Sans.
    pub fn png(&self) -> Vec<u8> {
        let canvas = drawn(self, Canvas::new(&self.id, true));
        RasterBackend::new()
            .with_scale(2.0)
            .render_scene(canvas.scene())
            .expect("a picture has a width and a height")
    }
}

/// Title, legend, panels and what marks mean, from top to bottom.
fn drawn(chart: &Chart, mut canvas: Canvas) -> Canvas {
    let mut y = MARGIN;
    for line in text::wrapped(&chart.title, 17, WIDTH - 2.0 * MARGIN) {
        canvas.bold(MARGIN, y + 14.0, &line, 17);
        y += 23.0;
    }
    y = legend::draw(chart, &mut canvas, y + 6.0);
    y = plan::draw(chart, &mut canvas, y + 6.0);
    for line in text::wrapped(&chart.meanings().join("; "), 12, WIDTH - 2.0 * MARGIN) {
        canvas.text(MARGIN, y + 14.0, &line, canvas::Type::small(MUTED));
        y += 17.0;
    }
    canvas.grow(y + MARGIN / 2.0);
    canvas
}

/// Elements that `kuva`'s SVG lacks: a view box, and title and description.
fn titled(chart: &Chart, canvas: &Canvas, picture: &str) -> String {
    const ROOT: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
    let inside = picture.strip_prefix(ROOT).expect("an SVG begins with its root");
    let (attributes, content) = inside.split_once('>').expect("the root ends");
    let (id, height) = (canvas.id(), canvas.scene().height);
    format!(
        "{ROOT} viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\" \
         aria-labelledby=\"{id}-title {id}-description\"{attributes}>\n  \
         <title id=\"{id}-title\">{}</title>\n  \
         <desc id=\"{id}-description\">{}</desc>{content}",
        text::escaped(&chart.title),
        text::escaped(&chart.sentence),
    )
}

#[cfg(test)]
#[path = "fixed_tests.rs"]
mod tests;
