//! Users of video and of the web: a line for each application and direction.

use airpath_base::BitRate;
use airpath_results::UsersSummary;

use super::SCREEN;
use super::numbers::{number, plural};
use crate::wrap::wrap;

/// How many users get too little, and how late their frames are; how many pages they got, and how
/// late. Empty without either.
pub fn text(users: &[UsersSummary]) -> String {
    let has = |of: &UsersSummary, kpi: &str| of.kpis.get(kpi).is_some();
    let lines = users.iter().filter_map(|of| match () {
        () if has(of, "frames") => Some(video(of)),
        () if has(of, "pages_finished") => Some(web(of)),
        () => None,
    });
    lines.collect()
}

fn video(of: &UsersSummary) -> String {
    let (low, rate) = (of.low_rate_users, BitRate::from_bps(of.low_rate_bps));
    line(of, &format!("{low} below {rate}"), "frame delay", "frame_delay")
}

fn web(of: &UsersSummary) -> String {
    let pages = of.kpis.get("pages_finished").map(|over| over.mean);
    let each = if of.users > 1 { " each" } else { "" };
    line(of, &format!("{} pages finished{each}", number(pages)), "page delay", "page_delay")
}

/// Of several users, percentiles are those of users by their means.
fn line(of: &UsersSummary, what: &str, delay: &str, kpi: &str) -> String {
    let several = of.users > 1;
    let over = |statistic: &str| of.kpis.get(&format!("{kpi}_{statistic}_ms"));
    let worst = match several {
        true => over("mean").map(|over| over.p99),
        false => over("p99").map(|over| over.mean),
    };
    let who = if several { " over users" } else { "" };
    let text = format!(
        "{}, {what}; {delay} mean {} ms, p99{who} {} ms",
        plural(of.users as usize, "user"),
        number(over("mean").map(|over| over.mean)),
        number(worst)
    );
    let direction = of.direction.as_deref().map(|direction| format!(" {direction}"));
    let name = format!("{}{}: ", of.application, direction.unwrap_or_default());
    wrap(&text, &name, "  ", SCREEN)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn users(application: &str, n: u64, kpis: serde_json::Value) -> UsersSummary {
        let keys = json!({"application": application, "direction": "down", "users": n,
            "low_rate_bps": 2_000_000, "low_rate_users": 1, "kpis": kpis});
        serde_json::from_value(keys).expect("users")
    }

    fn over(mean: f64, p99: f64) -> serde_json::Value {
        json!({"users": 1, "mean": mean, "p5": 0.0, "p50": 0.0, "p95": 0.0, "p99": p99})
    }

    #[test]
    fn video_and_pages_have_a_line_and_other_applications_have_none() {
        let kpis = json!({"frames": over(9.0, 9.0), "frame_delay_mean_ms": over(35.5, 120.0),
            "frame_delay_p99_ms": over(88.0, 300.0)});
        let several = text(&[users("tcp", 9, json!({})), users("video", 20, kpis.clone())]);
        let expected = "video down: 20 users, 1 below 2 Mbit/s; \
            frame delay mean 35.5 ms, p99 over users\n  120 ms\n";
        assert_eq!(several, expected);
        // Of one user, its own frames'.
        let one = text(&[users("video", 1, kpis)]);
        let expected =
            "video down: 1 user, 1 below 2 Mbit/s; frame delay mean 35.5 ms, p99 88.0 ms\n";
        assert_eq!(one, expected);
        let kpis =
            json!({"pages_finished": over(13.5, 20.0), "page_delay_mean_ms": over(480.0, 900.0)});
        let expected = "web down: 10 users, 13.5 pages finished each; \
            page delay mean 480 ms, p99 over\n  users 900 ms\n";
        assert_eq!(text(&[users("web", 10, kpis)]), expected);
    }
}
