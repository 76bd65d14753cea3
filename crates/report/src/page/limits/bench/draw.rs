//! Scenarios drawn while the test runs.

use std::hash::{BuildHasher, Hasher, RandomState};

use airpath_base::random::{Seed, Stream};

use super::scenario::{App, Cause, Row};

/// Another seed for each test, unless `AIRPATH_TEST_SEED` has one.
pub(super) fn seed() -> u64 {
    let given = std::env::var("AIRPATH_TEST_SEED").ok().and_then(|text| text.parse().ok());
    given.unwrap_or_else(|| RandomState::new().build_hasher().finish() >> 32)
}

/// Scenarios without end.
pub(super) fn rows(seed: u64) -> impl Iterator<Item = Row> {
    let mut stream = Seed(seed).stream("limits");
    std::iter::repeat_with(move || row(&mut stream))
}

fn row(stream: &mut Stream) -> Row {
    let tcp = ["cubic", "newreno", "prague"];
    let app = match stream.below(8) {
        0..4 => App::Tcp(tcp[stream.below(3) as usize]),
        4..7 => App::Scream("v2"),
        _ => App::Constant,
    };
    let first = cause(stream, app);
    let mut causes = vec![first];
    let second = cause(stream, app);
    // A flow that does not adapt has one cause: its rate is given, or others make it wait.
    if stream.chance(0.6) && kind(second) != kind(first) && app != App::Constant {
        causes.push(second);
    }
    let asks = matches!(app, App::Tcp(_)) && causes.iter().any(|cause| kind(*cause) == 4);
    Row {
        nr: stream.chance(0.5),
        // Requests are of the downlink.
        up: stream.chance(0.3) && !asks,
        app,
        delay_ms: 5 + stream.below(30) as u32,
        seed: stream.below(1 << 20),
        causes,
    }
}

/// Causes of one kind are not drawn together.
fn kind(cause: Cause) -> u8 {
    match cause {
        Cause::Cell(_) | Cause::Others(_) | Cause::Beside => 0,
        Cause::Link(_) | Cause::Shared(_) => 1,
        Cause::Losses(_) => 2,
        Cause::Marks(_) | Cause::Marker(_) => 3,
        Cause::Application(_) => 4,
        Cause::Window(_) => 5,
    }
}

/// A share or a rate with few digits, so that a rate is a whole number of bits.
fn drawn(stream: &mut Stream, low: f64, high: f64) -> f64 {
    (stream.between(low, high) * 1e4).round() / 1e4
}

fn cause(stream: &mut Stream, app: App) -> Cause {
    let (least, most) = match app {
        // A flow that does not adapt is there for the delay that others cause.
        App::Constant => {
            return [
                Cause::Beside,
                Cause::Shared(drawn(stream, 5.0, 20.0)),
                Cause::Application(drawn(stream, 1.0, 4.0)),
            ][stream.below(3) as usize];
        }
        App::Scream(_) => (0.01, 0.1),
        App::Tcp(_) => (0.001, 0.03),
    };
    match stream.below(7) {
        0 => Cause::Cell([15, 25, 50][stream.below(3) as usize]),
        1 => Cause::Others(1 + stream.below(3) as u32),
        2 => Cause::Link(drawn(stream, 4.0, 25.0)),
        3 => Cause::Losses(drawn(stream, least, most)),
        4 => Cause::Marks(drawn(stream, 0.05, 0.3)),
        5 => Cause::Application(drawn(stream, 2.0, 12.0)),
        _ => match app {
            App::Tcp(_) => Cause::Window(drawn(stream, 20e3, 100e3) as u32),
            _ => Cause::Link(drawn(stream, 4.0, 25.0)),
        },
    }
}
