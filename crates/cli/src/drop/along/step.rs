//! Steps between positions of a path: times, or lengths along the route.

use airpath_base::{Duration, Time};
use airpath_channel::route::Route;

/// Positions on the screen without a step of the user's own.
const USUAL: u64 = 12;
/// Positions at most.
const MOST: usize = 10_000;

/// Step between positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// A time.
    Time(Duration),
    /// A length along the route in metres.
    Length(f64),
}

/// A time or a length with its unit, above zero.
///
/// # Errors
///
/// Any other text.
pub fn step(text: &str) -> Result<Step, String> {
    let text = text.trim();
    let metres = |(end, factor): (&str, f64)| {
        let number: f64 = text.strip_suffix(end)?.trim().parse().ok()?;
        Some(Step::Length(number * factor))
    };
    let step = [("km", 1_000.0), ("m", 1.0)].into_iter().find_map(metres);
    match step.map_or_else(|| airpath_scenario::duration(text).map(Step::Time), Ok)? {
        Step::Time(time) if time.is_zero() => Err("it must be above 0 s".to_owned()),
        Step::Length(metres) if !(metres.is_finite() && metres > 0.0) => {
            Err("it must be above 0 m".to_owned())
        }
        step => Ok(step),
    }
}

impl Step {
    /// The least of 1, 2 and 5 times a power of ten milliseconds with at most [`USUAL`] steps in a run.
    pub fn usual(lasts: Duration) -> Step {
        let mut tens = Duration::from_millis(1);
        loop {
            for factor in [1, 2, 5] {
                if tens * factor * USUAL >= lasts {
                    return Step::Time(tens * factor);
                }
            }
            tens = tens * 10;
        }
    }

    /// Times of the positions within a run, from its begin on.
    ///
    /// # Errors
    ///
    /// More positions than [`MOST`], with the mend.
    pub fn times(self, route: &Route, lasts: Duration) -> Result<Vec<Time>, String> {
        let end = Time::ZERO + lasts;
        let times: Vec<Time> = match self {
            Step::Time(step) => {
                let next = |at: &Time| Some(at.saturating_add(step));
                let all = std::iter::successors(Some(Time::ZERO), next);
                all.take_while(|at| *at <= end).take(MOST + 1).collect()
            }
            Step::Length(metres) => {
                let way = Way::of(route);
                let all = (0..=MOST).map(|n| way.time(n as f64 * metres));
                all.map_while(|at| at.filter(|at| *at <= end)).collect()
            }
        };
        match times.len() > MOST {
            true => Err(format!("--every is so short that there are more than {MOST} positions")),
            false => Ok(times),
        }
    }
}

/// The way along a route.
pub struct Way {
    /// Begin, way before it in metres, and speed in metres a second of each leg.
    legs: Vec<(Time, f64, f64)>,
}

impl Way {
    /// The way along a route from the begin of the run on.
    pub fn of(route: &Route) -> Way {
        let (mut legs, mut before): (Vec<(Time, f64, f64)>, f64) = (Vec::new(), 0.0);
        for leg in route.legs() {
            if let Some((from, _, speed)) = legs.last() {
                before += speed * leg.from.saturating_since(*from).as_secs_f64();
            }
            legs.push((leg.from, before, leg.motion.velocity.length()));
        }
        Way { legs }
    }

    /// Metres up to a time.
    pub fn at(&self, time: Time) -> f64 {
        let next = self.legs.partition_point(|(from, ..)| *from <= time);
        let leg = self.legs.get(next.saturating_sub(1));
        leg.map_or(0.0, |(from, before, speed)| {
            before + speed * time.saturating_since(*from).as_secs_f64()
        })
    }

    /// The first time with so many metres behind the UE; none if it never comes so far.
    fn time(&self, metres: f64) -> Option<Time> {
        if metres == 0.0 {
            return Some(Time::ZERO);
        }
        let next = self.legs.partition_point(|(_, before, _)| *before < metres);
        let (from, before, speed) = *self.legs.get(next.checked_sub(1)?)?;
        let more = (metres - before) / speed;
        more.is_finite().then(|| from.saturating_add(Duration::from_secs_f64(more)))
    }
}

#[cfg(test)]
mod tests {
    use airpath_channel::Point;
    use airpath_channel::route::{Fix, through};

    use super::*;

    fn fix(millis: u64, x: f64) -> Fix {
        Fix { time: Time::from_millis(millis), at: Point { x, y: 0.0 } }
    }

    #[test]
    fn steps_are_times_or_lengths() {
        assert_eq!(step("50 m"), Ok(Step::Length(50.0)));
        assert_eq!(step("0.5km"), Ok(Step::Length(500.0)));
        assert_eq!(step("20 ms"), Ok(Step::Time(Duration::from_millis(20))));
        for wrong in ["0 m", "-1 m", "0 s", "5", "nan m", "", "1e999 m"] {
            assert!(step(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn usual_steps_are_round() {
        let of = |seconds| Step::usual(Duration::from_secs(seconds));
        let millis = |millis| Step::Time(Duration::from_millis(millis));
        // 12 steps of 0.5 s are 6 s, of 1 s 12 s, of 5 s 60 s.
        assert_eq!([of(10), of(12), of(16), of(60)], [1_000, 1_000, 2_000, 5_000].map(millis));
    }

    #[test]
    fn lengths_become_times() {
        // 10 m/s for 10 s, a rest of 5 s, and 20 m/s from 15 s on for 5 s.
        let fixes = [fix(0, 0.0), fix(10_000, 100.0), fix(15_000, 100.0), fix(20_000, 200.0)];
        let route = through(&fixes).expect("a route");
        let times = |metres: f64, seconds| {
            Step::Length(metres).times(&route, Duration::from_secs(seconds)).expect("positions")
        };
        let millis =
            |all: &[u64]| -> Vec<Time> { all.iter().map(|n| Time::from_millis(*n)).collect() };
        assert_eq!(times(40.0, 60), millis(&[0, 4_000, 8_000, 16_000, 18_000, 20_000]));
        assert_eq!(times(40.0, 17), millis(&[0, 4_000, 8_000, 16_000]));
        let way = Way::of(&route);
        let at = |seconds: u64| way.at(Time::from_millis(1_000 * seconds));
        assert_eq!([0, 5, 12, 18, 90].map(at), [0.0, 50.0, 100.0, 160.0, 200.0]);
        let short = Step::Time(Duration::from_millis(1)).times(&route, Duration::from_secs(60));
        assert!(short.expect_err("too many").contains("10000 positions"));
    }
}
