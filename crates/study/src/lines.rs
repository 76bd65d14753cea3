//! Pictures of figures over something that is varied (SVG): figures of a campaign whose
//! names are `PICTURE / LINE / X`.

use std::fmt::Write as _;

use crate::Report;
use crate::svg::{WIDTH, head};

const COLOURS: [&str; 3] = ["#c2571a", "#2f6f9f", "#5a8f4a"];
const LEFT: f64 = 70.0;
const TOP: f64 = 70.0;
const HEIGHT: f64 = 270.0;
/// Steps of both axes.
const STEPS: u32 = 5;

/// What a picture is about.
#[derive(Clone, Copy)]
pub(crate) struct Axes {
    /// First part of the figures' names.
    pub(crate) picture: &'static str,
    /// Title.
    pub(crate) title: &'static str,
    /// Ends of the axes.
    pub(crate) most: (f64, f64),
}

/// A line for each name, its points in the order of x; none without figures.
pub(crate) fn lines_picture(report: &Report, axes: Axes) -> Option<String> {
    let mut lines: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    for figure in &report.figures {
        let Some((line, x)) = parts(&figure.name, axes.picture) else { continue };
        match lines.iter_mut().find(|(name, _)| *name == line) {
            Some((_, points)) => points.push((x, figure.value)),
            None => lines.push((line, vec![(x, figure.value)])),
        }
    }
    let mut text = head(400.0, axes.title) + &grid(axes);
    for (n, (name, points)) in lines.iter_mut().enumerate() {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        text += &line(n, name, points, axes);
    }
    (!lines.is_empty()).then(|| text + "</svg>\n")
}

fn parts<'a>(name: &'a str, picture: &str) -> Option<(&'a str, f64)> {
    let (line, x) = name.strip_prefix(picture)?.strip_prefix(" / ")?.rsplit_once(" / ")?;
    Some((line, x.parse().ok()?))
}

fn place((x, y): (f64, f64), axes: Axes) -> (f64, f64) {
    let across = (WIDTH - LEFT - 30.0) * x / axes.most.0;
    (LEFT + across, TOP + HEIGHT - HEIGHT * (y / axes.most.1).min(1.0))
}

fn grid(axes: Axes) -> String {
    let mut text = String::new();
    for n in 0..=STEPS {
        let share = f64::from(n) / f64::from(STEPS);
        let (own_x, own_y) = (axes.most.0 * share, axes.most.1 * share);
        let (x, y) = place((own_x, own_y), axes);
        let _ = write!(
            text,
            "  <path d=\"M{LEFT:.1} {y:.1}H{:.1}\" stroke=\"#dde3ea\"/>\n  \
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"12\">{own_y:.0}</text>\n  \
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"12\">{own_x:.0}</text>\n",
            WIDTH - 30.0,
            LEFT - 6.0,
            y + 4.0,
            TOP + HEIGHT + 18.0
        );
    }
    text
}

fn line(n: usize, name: &str, points: &[(f64, f64)], axes: Axes) -> String {
    let colour = COLOURS[n % COLOURS.len()];
    let mut text = format!("  <path fill=\"none\" stroke-width=\"2\" stroke=\"{colour}\" d=\"");
    for (n, point) in points.iter().enumerate() {
        let (x, y) = place(*point, axes);
        let _ = write!(text, "{}{x:.1} {y:.1}", if n == 0 { "M" } else { "L" });
    }
    text += "\"/>\n";
    for point in points {
        let (x, y) = place(*point, axes);
        let _ = writeln!(text, "  <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
    }
    let (x, y) = (WIDTH - 260.0, TOP + 20.0 + 20.0 * n as f64);
    text + &format!(
        "  <path d=\"M{:.1} {y:.1}h18\" stroke=\"{colour}\" stroke-width=\"2\"/>\n  \
         <text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"12\">{name}</text>\n",
        x - 24.0,
        y + 4.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Figure;

    #[test]
    fn points_lie_where_they_should() {
        let figure = |name: &str, value| Figure { name: name.into(), reading: "r".into(), value };
        let figures = vec![
            figure("use / open / 800", 50.0),
            figure("use / open / 0", 100.0),
            figure("use / small / 0", 0.0),
            figure("other / open / 0", 1.0),
            figure("use", 1.0),
        ];
        let report = Report { figures, ..Report::default() };
        let axes = Axes { picture: "use", title: "t", most: (800.0, 100.0) };
        let text = lines_picture(&report, axes).expect("a picture");
        // From the upper left corner to the middle of the right edge.
        assert!(text.contains("d=\"M70.0 70.0L930.0 205.0\""), "{text}");
        assert_eq!(
            (text.matches("<circle").count(), text.matches("fill=\"none\"").count()),
            (3, 2)
        );
        assert_eq!(lines_picture(&Report::default(), axes), None);
    }
}
