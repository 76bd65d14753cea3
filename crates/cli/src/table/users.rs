//! Users of video: a line for each direction.

use airpath_base::BitRate;
use airpath_plot::plural;
use airpath_results::measures::unit;
use airpath_results::{MetricName, OverUsers, UsersSummary};

use super::SCREEN;
use super::numbers::number;
use crate::wrap::wrap;

/// The measure that only users of video have.
const FRAMES: &str = "frames";
/// Delay of their frames: the mean and the 99th percentile of a user.
const DELAY: [&str; 2] = ["frame_delay_mean_ms", "frame_delay_p99_ms"];

/// Users of video: their number, those below the low rate, and frame delays in ms; empty without
/// video.
pub fn text(users: &[UsersSummary]) -> String {
    let video = users.iter().filter(|of| of.kpis.get(FRAMES).is_some());
    video.map(line).collect()
}

/// Of several users, percentiles are those of users by their means.
fn line(of: &UsersSummary) -> String {
    let several = of.users > 1;
    let value = |name, of_users: fn(&OverUsers) -> f64| number(of.kpis.get(name).map(of_users));
    let worst = match several {
        true => value(DELAY[0], |over| over.p99),
        false => value(DELAY[1], |over| over.mean),
    };
    let (mean, unit) = (value(DELAY[0], |over| over.mean), unit(DELAY[0]));
    let MetricName { what, .. } = MetricName::of(DELAY[0]);
    let who = if several { " over users" } else { "" };
    let (low, rate) = (of.low_rate_users, BitRate::from_bps(of.low_rate_bps));
    let text = format!(
        "{}, {low} below {rate}; {what} mean {mean} {unit}, p99{who} {worst} {unit}",
        plural(of.users as usize, "user"),
    );
    let direction = of.direction.as_deref().map(|direction| format!(" {direction}"));
    let name = format!("{}{}: ", of.application, direction.unwrap_or_default());
    wrap(&text, &name, "  ", SCREEN)
}

#[cfg(test)]
mod tests {
    use airpath_results::measures::is_declared;
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
    fn quantities_are_declared() {
        DELAY.iter().chain([&FRAMES]).for_each(|name| assert!(is_declared(name), "{name}"));
    }

    #[test]
    fn video_has_a_line_and_other_applications_have_none() {
        let kpis = json!({"frames": over(9.0, 9.0), "frame_delay_mean_ms": over(35.5, 120.0),
            "frame_delay_p99_ms": over(88.0, 300.0)});
        let several = text(&[users("web", 9, json!({})), users("video", 20, kpis.clone())]);
        let expected = "video down: 20 users, 1 below 2 Mbit/s; \
            frame delay mean 35.5 ms, p99 over users\n  120 ms\n";
        assert_eq!(several, expected);
        // Of one user, its own frames'.
        let one = text(&[users("video", 1, kpis)]);
        let expected =
            "video down: 1 user, 1 below 2 Mbit/s; frame delay mean 35.5 ms, p99 88.0 ms\n";
        assert_eq!(one, expected);
    }
}
