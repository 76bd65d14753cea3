//! Pictures of a study (SVG), the same text for the same figures.

use std::fmt::Write as _;

use airpath_base::math::log10;

use crate::{StageRow, UeRow};

/// Colours of stages, those that a packet can spend its time in at all in these studies.
const STAGE_COLOURS: [(&str, &str); 8] = [
    ("wired_queue", "#c2571a"),
    ("wired", "#9aa7b3"),
    ("pdcp", "#e0a030"),
    ("rlc", "#7a5c10"),
    ("radio", "#2f6f9f"),
    ("harq", "#7a4f9a"),
    ("arq", "#a33b5c"),
    ("reordering", "#5a8f4a"),
];
const MARKED: &str = "#2f6f9f";
const UNMARKED: &str = "#c2571a";
pub(crate) const WIDTH: f64 = 960.0;

/// Stacked bars: where the time of each flow's packets goes in the first reading.
pub(crate) fn stages_picture(rows: &[StageRow]) -> Option<String> {
    let reading = &rows.first()?.reading;
    let rows: Vec<&StageRow> = rows.iter().filter(|row| &row.reading == reading).collect();
    let total = |row: &StageRow| row.stages_ms.iter().map(|(_, ms)| ms).sum::<f64>();
    let most = rows.iter().map(|row| total(row)).fold(1.0, f64::max);
    let (left, step, top) = (190.0, 52.0, 84.0);
    let scale = (WIDTH - left - 110.0) / most;
    let bottom = top + step * rows.len() as f64;
    let mut text = head(
        bottom + 46.0,
        &format!("Where a packet's time goes: a real-time stream beside a download ({reading})"),
    );
    text += &axis(left, top, bottom, scale, most);
    for (n, row) in rows.iter().enumerate() {
        text += &bar(row, left, top + step * n as f64 + 8.0, scale);
    }
    text += &stage_legend(&rows, left);
    Some(text + "</svg>\n")
}

/// A bar with its label in front and its length behind.
fn bar(row: &StageRow, left: f64, y: f64, scale: f64) -> String {
    let marking = if row.marked { "marked" } else { "not marked" };
    let name = row.run.split('-').next().unwrap_or(&row.run);
    let (label, middle) = (left - 12.0, y + 23.0);
    let mut text = format!(
        "  <text x=\"{label:.1}\" y=\"{middle:.1}\" text-anchor=\"end\">{name}, {marking}</text>\n"
    );
    let (mut x, mut sum) = (left, 0.0);
    for (stage, ms) in &row.stages_ms {
        let width = ms * scale;
        let _ = writeln!(
            text,
            "  <rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"36\" \
             fill=\"{}\"><title>{stage}: {ms:.2} ms</title></rect>",
            colour(stage)
        );
        if width > 44.0 {
            let _ = writeln!(
                text,
                "  <text x=\"{:.1}\" y=\"{middle:.1}\" text-anchor=\"middle\" \
                 fill=\"#fff\">{ms:.1}</text>",
                x + width / 2.0
            );
        }
        x += width;
        sum += ms;
    }
    let after = x + 8.0;
    text + &format!(
        "  <text x=\"{after:.1}\" y=\"{middle:.1}\" font-weight=\"bold\">{sum:.1} ms</text>\n"
    )
}

fn colour(stage: &str) -> &'static str {
    STAGE_COLOURS.iter().find(|(name, _)| *name == stage).map_or("#777777", |(_, c)| c)
}

/// Grid lines every 5 ms from zero.
fn axis(left: f64, top: f64, bottom: f64, scale: f64, most: f64) -> String {
    let mut text = String::new();
    let mut ms = 0.0;
    while ms <= most {
        let (x, below) = (left + ms * scale, bottom + 20.0);
        let _ = write!(
            text,
            "  <path d=\"M{x:.1} {top:.1}V{bottom:.1}\" stroke=\"#dde3ea\"/>\n  \
             <text x=\"{x:.1}\" y=\"{below:.1}\" text-anchor=\"middle\" font-size=\"12\">{ms:.0} ms</text>\n"
        );
        ms += 5.0;
    }
    text
}

fn stage_legend(rows: &[&StageRow], left: f64) -> String {
    let used = |name: &str| rows.iter().any(|row| row.stages_ms.iter().any(|(s, _)| *s == name));
    let mut text = String::new();
    let mut x = left;
    for (stage, colour) in STAGE_COLOURS.iter().filter(|(name, _)| used(name)) {
        let _ = writeln!(
            text,
            "  <rect x=\"{x:.1}\" y=\"50\" width=\"14\" height=\"14\" fill=\"{colour}\"/>\n  \
             <text x=\"{:.1}\" y=\"62\">{stage}</text>",
            x + 20.0
        );
        x += 60.0 + 7.0 * stage.len() as f64;
    }
    text
}

/// A point for each UE: delay above, jitter below, a column of points for each share of
/// marked UEs; the published reading on the left, the meant one on the right.
pub(crate) fn users_picture(title: &str, rows: &[UeRow]) -> Option<String> {
    let mut text = head(585.0, title);
    text += &legend_of_marking();
    let panel = (WIDTH - 190.0) / 2.0;
    for (n, reading) in ["as published", "as meant"].into_iter().enumerate() {
        let of: Vec<&UeRow> = rows.iter().filter(|row| row.reading == reading).collect();
        if of.is_empty() {
            return None;
        }
        let left = 80.0 + n as f64 * (panel + 80.0);
        let delay = Panel { left, top: 90.0, width: panel, height: 230.0, scale: Scale::Log };
        text += &delay.draw(&format!("{reading}: mean delay, ms"), &of, |row| row.delay_ms);
        let jitter = Panel { top: 370.0, height: 180.0, scale: Scale::Linear, ..delay };
        text += &jitter.draw(&format!("{reading}: jitter, ms"), &of, |row| row.jitter_ms);
    }
    Some(text + "</svg>\n")
}

fn legend_of_marking() -> String {
    format!(
        "  <circle cx=\"86\" cy=\"54\" r=\"4\" fill=\"{MARKED}\"/><text x=\"96\" y=\"59\">marked</text>\n  \
         <circle cx=\"176\" cy=\"54\" r=\"3.5\" fill=\"none\" stroke=\"{UNMARKED}\"/>\
         <text x=\"186\" y=\"59\">not marked</text>\n  \
         <text x=\"300\" y=\"59\" fill=\"#667\">each point is a UE; below the panels how many are marked; \
         delays on a logarithmic scale</text>\n"
    )
}

#[derive(Clone, Copy)]
enum Scale {
    Linear,
    Log,
}

#[derive(Clone, Copy)]
struct Panel {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    scale: Scale,
}

impl Panel {
    fn draw(self, title: &str, rows: &[&UeRow], value: fn(&UeRow) -> Option<f64>) -> String {
        let values: Vec<f64> = rows.iter().filter_map(|row| value(row)).collect();
        let ticks = self.ticks(values.iter().copied().fold(0.0, f64::max));
        let (low, high) = (ticks[0], ticks[ticks.len() - 1]);
        let place = |value: f64| match self.scale {
            Scale::Linear => (value - low) / (high - low),
            Scale::Log => log10(value.max(low) / low) / log10(high / low),
        };
        let y = |value: f64| self.top + self.height * (1.0 - place(value));
        let right = self.left + self.width;
        let mut text = format!(
            "  <text x=\"{:.1}\" y=\"{:.1}\" font-weight=\"bold\">{title}</text>\n",
            self.left,
            self.top - 10.0
        );
        for tick in &ticks {
            let _ = write!(
                text,
                "  <path d=\"M{:.1} {:.1}H{right:.1}\" stroke=\"#dde3ea\"/>\n  \
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"12\">{tick}</text>\n",
                self.left,
                y(*tick),
                self.left - 6.0,
                y(*tick) + 4.0
            );
        }
        let runs: Vec<&[&UeRow]> = rows.chunk_by(|a, b| a.run == b.run).collect();
        let column = self.width / runs.len() as f64;
        for (n, run) in runs.iter().enumerate() {
            let x = self.left + column * n as f64;
            text += &self.column(run, x, column, &|row| value(row).map(y));
        }
        text
    }

    fn column(
        self,
        run: &[&UeRow],
        left: f64,
        width: f64,
        y: &dyn Fn(&UeRow) -> Option<f64>,
    ) -> String {
        let marked = run.iter().filter(|row| row.marked).count();
        let mut text = format!(
            "  <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"12\">{marked}</text>\n",
            left + width / 2.0,
            self.top + self.height + 18.0
        );
        for (n, row) in run.iter().enumerate() {
            let x = left + width * (0.12 + 0.76 * (n as f64 + 0.5) / run.len() as f64);
            let Some(y) = y(row) else { continue };
            let look = match row.marked {
                true => format!("r=\"3\" fill=\"{MARKED}\""),
                false => format!("r=\"2.5\" fill=\"none\" stroke=\"{UNMARKED}\""),
            };
            let _ = writeln!(text, "  <circle cx=\"{x:.1}\" cy=\"{y:.1}\" {look}/>");
        }
        text
    }

    /// Round figures from the lower to the upper end of the axis.
    fn ticks(self, most: f64) -> Vec<f64> {
        let decades = [1.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0];
        match self.scale {
            Scale::Log => {
                let above = decades.iter().position(|decade| *decade >= most.max(10.0));
                decades[..=above.unwrap_or(decades.len() - 1)].to_vec()
            }
            Scale::Linear => {
                let steps = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1_000.0];
                let step = steps.into_iter().find(|step| step * 5.0 >= most).unwrap_or(1e4);
                let mut ticks = vec![0.0];
                while ticks[ticks.len() - 1] < most.max(step) {
                    ticks.push(step * ticks.len() as f64);
                }
                ticks
            }
        }
    }
}

/// The beginning of a picture: its size, ground and title.
pub(crate) fn head(height: f64, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" \
         font-family=\"sans-serif\" font-size=\"14\" role=\"img\" aria-labelledby=\"t\">\n  \
         <title id=\"t\">{title}</title>\n  \
         <rect width=\"{WIDTH:.0}\" height=\"{height:.0}\" fill=\"#fff\"/>\n  \
         <text x=\"24\" y=\"30\" font-size=\"17\" font-weight=\"bold\">{title}</text>\n"
    )
}
