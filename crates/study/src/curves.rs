//! Pictures of ramp-ups (SVG): a panel for each kind of access, a line for each TTI.

use std::fmt::Write as _;

use crate::RampRow;
use crate::svg::{WIDTH, head};

const COLOURS: [&str; 4] = ["#c2571a", "#2f6f9f", "#5a8f4a", "#7a4f9a"];

/// What is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Curve {
    /// Title of the picture.
    pub(crate) title: &'static str,
    /// The curve of a download, in Mbit/s.
    pub(crate) of: fn(&RampRow) -> &[f64],
    /// Distance of its points in ms.
    pub(crate) step_ms: f64,
    /// Right end of the axis in ms.
    pub(crate) until_ms: f64,
    /// Upper end of the axis in Mbit/s.
    pub(crate) most_mbps: f64,
}

struct Panel {
    left: f64,
    width: f64,
    top: f64,
    height: f64,
}

/// Downloads whose runs are called `TTI-ACCESS`: a panel for each access, in it a line for
/// each TTI. None without downloads.
pub(crate) fn curves_picture(rows: &[&RampRow], curve: Curve) -> Option<String> {
    let parts = |row: &RampRow| -> Option<(String, String)> {
        let (tti, access) = row.run.split_once('-')?;
        Some((tti.to_owned(), access.to_owned()))
    };
    let mut panels: Vec<String> = Vec::new();
    for (_, access) in rows.iter().filter_map(|row| parts(row)) {
        if !panels.contains(&access) {
            panels.push(access);
        }
    }
    let width = (WIDTH - 40.0) / panels.len().max(1) as f64 - 60.0;
    let mut text = head(400.0, curve.title);
    for (n, access) in panels.iter().enumerate() {
        let panel =
            Panel { left: 70.0 + n as f64 * (width + 60.0), width, top: 76.0, height: 270.0 };
        text += &panel.axes(access, curve);
        let own =
            rows.iter().filter_map(|row| parts(row).filter(|p| p.1 == *access).zip(Some(row)));
        for (n, ((tti, _), row)) in own.enumerate() {
            text += &panel.line(n, &tti, (curve.of)(row), curve);
        }
    }
    (!panels.is_empty()).then(|| text + "</svg>\n")
}

impl Panel {
    fn axes(&self, access: &str, curve: Curve) -> String {
        let (bottom, right) = (self.top + self.height, self.left + self.width);
        let mut text = format!(
            "  <text x=\"{:.1}\" y=\"{:.1}\" font-weight=\"bold\">{access}: Mbit/s over ms</text>\n",
            self.left,
            self.top - 12.0
        );
        for n in 0..=5 {
            let share = f64::from(n) / 5.0;
            let (x, y) = (self.left + self.width * share, bottom - self.height * share);
            let (ms, mbps) = (curve.until_ms * share, curve.most_mbps * share);
            let _ = write!(
                text,
                "  <path d=\"M{:.1} {y:.1}H{right:.1}\" stroke=\"#dde3ea\"/>\n  \
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"12\">{mbps:.0}</text>\n  \
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"12\">{ms:.0}</text>\n",
                self.left,
                self.left - 6.0,
                y + 4.0,
                bottom + 18.0
            );
        }
        text
    }

    fn line(&self, n: usize, name: &str, points: &[f64], curve: Curve) -> String {
        let colour = COLOURS[n % COLOURS.len()];
        let bottom = self.top + self.height;
        let mut text = format!("  <path fill=\"none\" stroke-width=\"2\" stroke=\"{colour}\" d=\"");
        let _ = write!(text, "M{:.1} {bottom:.1}", self.left);
        for (value, at) in points.iter().zip(1..) {
            let ms = f64::from(at) * curve.step_ms;
            if ms > curve.until_ms {
                break;
            }
            let x = self.left + self.width * ms / curve.until_ms;
            let y = bottom - self.height * (value / curve.most_mbps).min(1.0);
            let _ = write!(text, "L{x:.1} {y:.1}");
        }
        let x = self.left + self.width - 74.0;
        let y = bottom - 14.0 - 20.0 * n as f64;
        let below = y + 4.0;
        text + &format!(
            "\"/>\n  <path d=\"M{:.1} {y:.1}h18\" stroke=\"{colour}\" stroke-width=\"2\"/>\n  \
             <text x=\"{x:.1}\" y=\"{below:.1}\" font-size=\"12\">{name}</text>\n",
            x - 24.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RampFigures;

    #[test]
    fn a_panel_for_each_access_and_a_line_for_each_tti() {
        let row = |run: &str| RampRow {
            reading: "r".into(),
            run: run.into(),
            flow: "f".into(),
            seed: 1,
            figures: RampFigures { moving_mbps: vec![0.0, 5.0, 30.0], ..RampFigures::default() },
        };
        let rows = [row("1ms-sr5"), row("500us-sr5"), row("1ms-sr1")];
        let curve = Curve {
            title: "t",
            of: |row| &row.figures.moving_mbps,
            step_ms: 5.0,
            until_ms: 10.0,
            most_mbps: 10.0,
        };
        let text = curves_picture(&rows.iter().collect::<Vec<_>>(), curve).expect("a picture");
        assert_eq!(text.matches("fill=\"none\"").count(), 3);
        assert_eq!(text.matches("Mbit/s over ms").count(), 2);
        // 5 of 10 Mbit/s at 10 ms: the middle of the panel at its right end; 15 ms is off.
        assert!(text.contains("M70.0 346.0L270.0 346.0L470.0 211.0\""), "{text}");
        assert_eq!(curves_picture(&[], curve), None);
    }
}
