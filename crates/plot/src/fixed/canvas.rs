//! Canvas of a picture: a scene of `kuva`'s primitives.

use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor, TextSpan};

use super::lines::dashed;
use super::text::{plain, width};
use super::{GROUND, INK, WIDTH};

/// Fonts by which a reader's system writes; none is wider than the one that is measured.
const FONTS: &str = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif";

/// Position in pixels.
pub(super) type Place = (f64, f64);

/// A picture that is being drawn.
pub(super) struct Canvas {
    scene: Scene,
    id: String,
    /// True if the canvas becomes pixels, where `kuva` begins a dash anew at each point of a line.
    pixels: bool,
    clips: usize,
}

/// Style of a text.
#[derive(Clone, Copy)]
pub(super) struct Type<'a> {
    /// Size in pixels.
    pub(super) size: u32,
    /// Part of the text that lies at its position.
    pub(super) anchor: TextAnchor,
    /// Colour.
    pub(super) colour: &'a str,
    /// Turned by degrees, clockwise.
    pub(super) turned: Option<f64>,
}

/// Style of a line.
#[derive(Clone, Copy)]
pub(super) struct Stroke<'a> {
    /// Colour.
    pub(super) colour: &'a str,
    /// Width in pixels.
    pub(super) width: f64,
    /// Lengths of strokes and gaps; none is a whole line.
    pub(super) dash: &'a [f64],
}

impl<'a> Type<'a> {
    /// Small letters that begin at their position.
    pub(super) fn small(colour: &'a str) -> Type<'a> {
        Type { size: 12, anchor: TextAnchor::Start, colour, turned: None }
    }

    pub(super) fn middle(self) -> Type<'a> {
        Type { anchor: TextAnchor::Middle, ..self }
    }

    pub(super) fn end(self) -> Type<'a> {
        Type { anchor: TextAnchor::End, ..self }
    }
}

impl Canvas {
    pub(super) fn new(id: &str, pixels: bool) -> Canvas {
        let mut scene = Scene::new(WIDTH, 0.0);
        scene.background_color = Some(GROUND.to_owned());
        scene.text_color = Some(INK.to_owned());
        scene.font_family = Some(FONTS.to_owned());
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let id = format!("chart-{}", id.chars().map(plain).collect::<String>());
        Canvas { scene, id, pixels, clips: 0 }
    }

    pub(super) fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Prefix of the picture's names in XML.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Makes the picture so high at least.
    pub(super) fn grow(&mut self, height: f64) {
        self.scene.height = self.scene.height.max(height.ceil());
    }

    /// Takes over what `kuva` drew.
    pub(super) fn take(&mut self, other: Scene) {
        self.scene.elements.extend(other.elements.into_iter().map(rounded));
    }

    pub(super) fn text(&mut self, x: f64, y: f64, text: &str, of: Type<'_>) {
        self.scene.add(Primitive::Text {
            x: quarter(x),
            y: quarter(y),
            content: literal(text),
            size: of.size,
            anchor: of.anchor,
            rotate: of.turned,
            bold: false,
            color: Some(Color::from(of.colour)),
        });
    }

    /// Text on a ground that lets little through, so that it can be read over lines.
    pub(super) fn backed(&mut self, x: f64, y: f64, text: &str, of: Type<'_>) {
        let wide = width(text, of.size);
        let left = match of.anchor {
            TextAnchor::Start => x,
            TextAnchor::Middle => x - wide / 2.0,
            TextAnchor::End => x - wide,
        };
        let (top, right, bottom) = (y - 11.0, left + wide, y + 3.0);
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        if wide > 0.0 {
            self.area(&corners, GROUND, Some(0.75));
            self.text(x, y, text, of);
        }
    }

    /// Writes bold text that begins at its position.
    pub(super) fn bold(&mut self, x: f64, y: f64, text: &str, size: u32) {
        self.scene.add(Primitive::RichText {
            x: quarter(x),
            y: quarter(y),
            spans: vec![TextSpan { bold: true, ..TextSpan::plain(plain(text)) }],
            size,
            anchor: TextAnchor::Start,
            color: Some(Color::from(INK)),
        });
    }

    /// A filled area of straight edges.
    pub(super) fn area(&mut self, corners: &[Place], colour: &str, opacity: Option<f64>) {
        self.path(format!("{}Z", path(corners)), Some((colour, opacity)), None);
    }

    /// Draws a line through positions.
    pub(super) fn line(&mut self, places: &[Place], stroke: Stroke<'_>) {
        if !self.pixels {
            return self.path(path(places), None, Some(stroke));
        }
        // Its ends are round: they take from the gaps what they give to the strokes.
        let round = |(n, length): (usize, &f64)| match n % 2 {
            0 => (length - stroke.width).max(0.1),
            _ => length + stroke.width,
        };
        let dash: Vec<f64> = stroke.dash.iter().enumerate().map(round).collect();
        for points in dashed(places, &dash) {
            self.scene.add(Primitive::PolyLine {
                points,
                stroke: Color::from(stroke.colour),
                stroke_width: stroke.width,
                stroke_dasharray: None,
            });
        }
    }

    /// A closed line.
    pub(super) fn outline(&mut self, corners: &[Place], stroke: Stroke<'_>) {
        let closed: Vec<Place> = corners.iter().chain(corners.first()).copied().collect();
        self.line(&closed, stroke);
    }

    pub(super) fn rect(&mut self, (x, y): Place, (width, height): (f64, f64), colour: &str) {
        let (left, top) = (quarter(x), quarter(y));
        self.scene.add(Primitive::Rect {
            x: left,
            y: top,
            width: quarter(x + width) - left,
            height: quarter(y + height) - top,
            fill: Color::from(colour),
            stroke: None,
            stroke_width: None,
            opacity: None,
        });
    }

    /// A circle, filled or an outline.
    pub(super) fn circle(&mut self, (x, y): Place, r: f64, colour: &str, hollow: bool) {
        let colour = Color::from(colour);
        let (fill, stroke) = if hollow { (Color::None, Some(colour)) } else { (colour, None) };
        self.scene.add(Primitive::Circle {
            cx: quarter(x),
            cy: quarter(y),
            r,
            fill,
            fill_opacity: None,
            stroke_width: stroke.as_ref().map(|_| 1.25),
            stroke,
        });
    }

    /// Draws with a title that a reader sees who points there.
    pub(super) fn titled(&mut self, title: Option<String>, draw: impl FnOnce(&mut Canvas)) {
        let Some(title) = title else { return draw(self) };
        let title = Some(plain(&title));
        self.scene.add(Primitive::GroupStart { transform: None, title, extra_attrs: None });
        draw(self);
        self.scene.add(Primitive::GroupEnd);
    }

    /// Draws only what lies within a rectangle.
    pub(super) fn clipped(
        &mut self,
        (x, y): Place,
        (width, height): (f64, f64),
        draw: impl FnOnce(&mut Canvas),
    ) {
        let id = format!("{}-clip-{}", self.id, self.clips);
        self.clips += 1;
        self.scene.defs.push(format!(
            "<clipPath id=\"{id}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"/></clipPath>"
        ));
        self.scene.add(Primitive::ClipStart { x, y, width, height, id });
        draw(self);
        self.scene.add(Primitive::ClipEnd);
    }

    fn path(&mut self, d: String, fill: Option<(&str, Option<f64>)>, stroke: Option<Stroke<'_>>) {
        let dash = stroke.map(|stroke| stroke.dash).filter(|dash| !dash.is_empty());
        let lengths = |dash: &[f64]| dash.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
        self.scene.add(Primitive::Path(Box::new(PathData {
            d,
            fill: fill.map(|(colour, _)| Color::from(colour)),
            stroke: stroke.map_or(Color::None, |stroke| Color::from(stroke.colour)),
            stroke_width: stroke.map_or(0.0, |stroke| stroke.width),
            opacity: fill.and_then(|(_, opacity)| opacity),
            stroke_dasharray: dash.map(lengths),
        })));
    }
}

/// Positions as an SVG path, to a tenth of a pixel.
fn path(places: &[Place]) -> String {
    let mut text = String::new();
    for (n, (x, y)) in places.iter().enumerate() {
        text += &format!("{}{x:.1} {y:.1}", if n == 0 { "M" } else { "L" });
    }
    text.replace("-0.0", "0.0")
}

/// Quarters have no digits that `kuva`'s rounding to hundredths would blur.
fn quarter(pixels: f64) -> f64 {
    (pixels * 4.0).round() / 4.0
}

/// Text without formulas: `kuva` reads them between dollar signs.
fn literal(text: &str) -> String {
    plain(text).replace('$', "\\$")
}

fn rounded(mut element: Primitive) -> Primitive {
    match &mut element {
        Primitive::Line { x1, y1, x2, y2, .. } => {
            for place in [x1, y1, x2, y2] {
                *place = quarter(*place);
            }
        }
        Primitive::Text { x, y, content, .. } => {
            (*x, *y) = (quarter(*x), quarter(*y));
            *content = literal(content);
        }
        _ => {}
    }
    element
}
