//! Latencies for people: within 80 columns.

use airpath_latency::{Convention, Errors, Figure, Latency, Line, Rational, Setting};

use super::{millis, round_trip};

/// One setting, step by step.
pub fn steps(setting: &Setting) -> String {
    let latency = Latency::of(setting);
    let with = format!("with {} errors", setting.bler);
    let mut cases = vec![(Errors::None, "without errors")];
    if !setting.bler.share().is_zero() {
        cases.push((Errors::Share, &with));
    }
    let head = format!(
        "TTI {}, access {}, BLER {}, HARQ round trip {}\nconvention {}\n\n",
        setting.tti, setting.access, setting.bler, setting.harq_round_trip, setting.convention
    );
    let down = [(Figure::Downlink, "downlink")];
    let up = [
        (Figure::UplinkAccess, "access"),
        (Figure::UplinkData, "data"),
        (Figure::Uplink, "uplink"),
    ];
    head + &titles("downlink")
        + &lines(&latency, &latency.downlink)
        + &sums(&latency, &down, &cases)
        + "\n"
        + &titles("uplink")
        + &lines(&latency, &latency.uplink)
        + &sums(&latency, &up, &cases)
        + "\n"
        + &conventions(setting, &cases)
}

fn titles(direction: &str) -> String {
    format!("{direction:36}{:>9}{:>10}  source\n", "TTI", "ms")
}

fn row(latency: &Latency, what: &str, nanos: Rational, source: &str) -> String {
    let (ttis, ms) = (latency.ttis(nanos), millis(nanos));
    format!("  {what:34} {ttis:>8} {ms:>9}  {source}").trim_end().to_owned() + "\n"
}

fn lines(latency: &Latency, lines: &[Line]) -> String {
    lines.iter().map(|line| row(latency, &line.what, line.nanos, line.source)).collect()
}

fn sums(latency: &Latency, figures: &[(Figure, &str)], cases: &[(Errors, &str)]) -> String {
    let mut text = String::new();
    for (figure, name) in figures {
        // No error touches what comes before the data.
        let once = *figure == Figure::UplinkAccess;
        for (errors, case) in cases.iter().take(if once { 1 } else { cases.len() }) {
            let name = if once { format!("= {name}") } else { format!("= {name} {case}") };
            text += &row(latency, &name, latency.figure(*figure, *errors), "");
        }
    }
    text
}

/// Latencies in ms by both conventions of counting the wait.
fn conventions(setting: &Setting, cases: &[(Errors, &str)]) -> String {
    let latencies =
        Convention::ALL.map(|convention| Latency::of(&Setting { convention, ..*setting }));
    let [first, second] = Convention::ALL;
    let mut text = format!("{:36}{first:>12}{second:>14}\n", "ms by convention");
    let mut row = |name: String, figure: &dyn Fn(&Latency) -> Rational| {
        let [first, second] = latencies.each_ref().map(|latency| millis(figure(latency)));
        text += &format!("  {name:34} {first:>11} {second:>13}\n");
    };
    row("uplink access".to_owned(), &|one| one.figure(Figure::UplinkAccess, Errors::None));
    for (errors, case) in cases {
        row(format!("uplink {case}"), &|one| one.figure(Figure::Uplink, *errors));
    }
    for (errors, case) in cases {
        row(format!("round trip {case}"), &|one| round_trip(one, *errors));
    }
    text
}

/// Several settings, a line each; times in ms, with errors.
pub fn grid(settings: &[Setting]) -> String {
    let [first, second] = Convention::ALL;
    let mut text = format!("ms{:46}{:>16}{:>16}\n", "", first.word(), second.word());
    text += &format!(
        "{:8} {:17}{:>6}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}\n",
        "TTI", "access", "BLER", "down", "data", "access", "up", "access", "up"
    );
    settings.iter().for_each(|setting| text += &line(setting));
    text
}

fn line(setting: &Setting) -> String {
    let latencies =
        Convention::ALL.map(|convention| Latency::of(&Setting { convention, ..*setting }));
    let ms = |latency: &Latency, figure| millis(latency.figure(figure, Errors::Share)).decimal(5);
    let [first, second] = &latencies;
    let [down, data] = [Figure::Downlink, Figure::UplinkData].map(|figure| ms(first, figure));
    let pair = |latency| [Figure::UplinkAccess, Figure::Uplink].map(|figure| ms(latency, figure));
    let ([access, up], [half_access, half_up]) = (pair(first), pair(second));
    format!(
        "{:8} {:17} {:>5} {down:>7} {data:>7} {access:>7} {up:>7} {half_access:>7} {half_up:>7}\n",
        setting.tti, setting.access, setting.bler
    )
}

#[cfg(test)]
mod tests {
    use airpath_latency::{Access, Span};

    use super::*;

    #[test]
    fn lines_keep_to_80_columns() {
        let period = Span::ttis(10, 1);
        let setting = Setting {
            tti: "mu1/2sym".parse().expect("a TTI"),
            access: Access::Configured { period },
            ..Setting::default()
        };
        let text = steps(&setting) + &steps(&Setting::default()) + &grid(&[setting; 2]);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
