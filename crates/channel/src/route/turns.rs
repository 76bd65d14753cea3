//! Routes along the centre lines of streets.
//!
//! At a crossing a UE goes straight on with probability 0.5, left with 0.25 and right with 0.25
//! (TR 36.885, A.1.2; TR 37.885, 6.1.2). At the border of the grid the directions that leave it
//! fall away, and the others keep their proportions. No UE turns back.

use airpath_base::Duration;

use super::{Draw, Draws, MOST_LEGS, Route, RouteError, leg, rest};
use crate::geometry::Point;
use crate::streets::Streets;

/// A direction along an axis: which one, and whether its coordinate grows.
#[derive(Clone, Copy, PartialEq)]
struct Way {
    axis: usize,
    up: bool,
}

/// Probability of going straight on, left and right.
const SHARES: [f64; 3] = [0.5, 0.25, 0.25];

impl Way {
    /// This way, and those to the left and to the right of it.
    fn options(self) -> [Way; 3] {
        let Way { axis, up } = self;
        let left = if axis == 0 { up } else { !up };
        [self, Way { axis: 1 - axis, up: left }, Way { axis: 1 - axis, up: !left }]
    }

    fn vector(self, length: f64) -> Point {
        let length = if self.up { length } else { -length };
        if self.axis == 0 { Point { x: length, y: 0.0 } } else { Point { x: 0.0, y: length } }
    }

    /// The crossing next to another along this way; none at the border.
    fn next(self, mut lines: [u32; 2], streets: &Streets) -> Option<[u32; 2]> {
        let line = &mut lines[self.axis];
        *line = if self.up { *line + 1 } else { line.checked_sub(1)? };
        (*line <= streets.blocks[self.axis]).then_some(lines)
    }
}

/// The route from a point of the centre lines at a speed in metres a second, for so long. A start
/// beside them counts as the nearest point of them.
///
/// # Errors
///
/// More legs than a route may have.
pub fn along_streets(
    streets: &Streets,
    start: Point,
    speed: f64,
    draws: Draws,
    lasts: Duration,
) -> Result<Route, RouteError> {
    let start = streets.nearest(start);
    let Some((mut way, mut to)) = first(streets, start, draws) else {
        return Ok(Route::new(vec![rest(0.0, start)]));
    };
    let mut legs = vec![leg(0.0, start, way.vector(speed))];
    let mut seconds = (streets.crossing(to) - start).length() / speed;
    while seconds < lasts.as_secs_f64() {
        if legs.len() >= MOST_LEGS {
            return Err(RouteError::TooLong);
        }
        let options = way.options().map(|way| way.next(to, streets).map(|next| (way, next)));
        let turn = draws.uniform(Draw::Turn, legs.len() as u64);
        let Some((chosen, next)) = choose(options, turn) else { break };
        legs.push(leg(seconds, streets.crossing(to), chosen.vector(speed)));
        (way, to) = (chosen, next);
        seconds += streets.block_m[way.axis] / speed;
    }
    Ok(Route::new(legs))
}

/// First direction, and the crossing that it leads to. Both directions of a street are as likely, and
/// all that leave a crossing.
fn first(streets: &Streets, start: Point, draws: Draws) -> Option<(Way, [u32; 2])> {
    let (at, reach) = ([start.x, start.y], streets.reach_m());
    let steps = [0, 1].map(|axis: usize| (at[axis] + reach[axis]) / streets.block_m[axis]);
    let lines = steps.map(|steps| steps.round() as u32);
    let whole = steps.map(|steps| (steps - steps.round()).abs() < 1e-9);
    let mut options = Vec::with_capacity(4);
    for (axis, up) in [(0, true), (0, false), (1, true), (1, false)] {
        // A street along an axis is a line of the other axis.
        let line = if up { steps[axis].floor() + 1.0 } else { steps[axis].ceil() - 1.0 };
        let line =
            if whole[axis] { f64::from(lines[axis]) + if up { 1.0 } else { -1.0 } } else { line };
        if whole[1 - axis] && (0.0..=f64::from(streets.blocks[axis])).contains(&line) {
            let mut to = lines;
            to[axis] = line as u32;
            options.push((Way { axis, up }, to));
        }
    }
    let chosen = draws.uniform(Draw::Heading, 0) * options.len() as f64;
    options.get(chosen as usize).copied()
}

/// One of the options that there are, by its share of theirs.
fn choose<T: Copy>(options: [Option<T>; 3], draw: f64) -> Option<T> {
    let there = || options.iter().zip(SHARES).filter_map(|(way, share)| Some(((*way)?, share)));
    let mut left = draw * there().map(|(_, share)| share).sum::<f64>();
    let mut chosen = None;
    for (option, share) in there() {
        chosen = Some(option);
        if left < share {
            break;
        }
        left -= share;
    }
    chosen
}
