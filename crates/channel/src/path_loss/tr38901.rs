//! TR 38.901, table 7.4.1-1. TR 38.900 has the same formulas for the same environments.

use airpath_base::math::log10;

use super::{LIGHT, Link};
use crate::environment::Sight;

/// Average height of buildings in RMa, in metres (table 7.4.1-1).
const RURAL_BUILDINGS_M: f64 = 5.0;
/// Average width of streets in RMa, in metres (table 7.4.1-1).
const RURAL_STREETS_M: f64 = 20.0;

pub(super) fn uma(sight: Sight, link: &Link<'_>) -> f64 {
    let los = two_slopes(link, 28.0, 22.0, 9.0);
    match sight {
        Sight::Los => los,
        Sight::Nlos => {
            let nlos = 13.54 + 39.08 * log10(link.d) + 20.0 * log10(link.ghz);
            los.max(nlos - 0.6 * (link.span.ue_m - 1.5))
        }
    }
}

pub(super) fn umi(sight: Sight, link: &Link<'_>) -> f64 {
    let los = two_slopes(link, 32.4, 21.0, 9.5);
    match sight {
        Sight::Los => los,
        Sight::Nlos => {
            let nlos = 22.4 + 35.3 * log10(link.d) + 21.3 * log10(link.ghz);
            los.max(nlos - 0.3 * (link.span.ue_m - 1.5))
        }
    }
}

/// One slope up to the breakpoint, 40 dB a decade beyond.
pub(super) fn two_slopes(link: &Link<'_>, at_one: f64, slope: f64, step: f64) -> f64 {
    let carrier = 20.0 * log10(link.ghz);
    if link.span.ground_m <= link.breakpoint_m() {
        at_one + slope * log10(link.d) + carrier
    } else {
        at_one + 40.0 * log10(link.d) + carrier - step * log10(link.breakpoint_squared())
    }
}

pub(super) fn rma(sight: Sight, link: &Link<'_>) -> f64 {
    let los = rural_los(link);
    match sight {
        Sight::Los => los,
        Sight::Nlos => los.max(rural_nlos(link)),
    }
}

fn rural_los(link: &Link<'_>) -> f64 {
    let (h, span) = (RURAL_BUILDINGS_M, link.span);
    // Note 5 of the table: no effective heights here.
    let breakpoint = 2.0 * core::f64::consts::PI * span.base_m * span.ue_m * link.ghz * 1e9 / LIGHT;
    let power = airpath_base::math::pow(h, 1.72);
    let near = |d: f64| {
        20.0 * log10(40.0 * core::f64::consts::PI * d * link.ghz / 3.0)
            + (0.03 * power).min(10.0) * log10(d)
            - (0.044 * power).min(14.77)
            + 0.002 * log10(h) * d
    };
    if span.ground_m <= breakpoint {
        near(link.d)
    } else {
        near(breakpoint) + 40.0 * log10(link.d / breakpoint)
    }
}

fn rural_nlos(link: &Link<'_>) -> f64 {
    let ue = log10(11.75 * link.span.ue_m);
    over_roofs(link, RURAL_BUILDINGS_M, RURAL_STREETS_M) - (3.2 * ue * ue - 4.97)
}

/// The part that RMa and TR 36.873's 3D-UMa share: over buildings of this height and streets
/// of this width in metres.
pub(super) fn over_roofs(link: &Link<'_>, buildings_m: f64, streets_m: f64) -> f64 {
    let base = link.span.base_m;
    let share = buildings_m / base;
    161.04 - 7.1 * log10(streets_m) + 7.5 * log10(buildings_m)
        - (24.37 - 3.7 * share * share) * log10(base)
        + (43.42 - 3.1 * log10(base)) * (log10(link.d) - 3.0)
        + 20.0 * log10(link.ghz)
}

pub(super) fn office(sight: Sight, link: &Link<'_>) -> f64 {
    let d = log10(link.d.max(1.0));
    let los = 32.4 + 17.3 * d + 20.0 * log10(link.ghz);
    match sight {
        Sight::Los => los,
        Sight::Nlos => los.max(17.3 + 38.3 * d + 24.9 * log10(link.ghz)),
    }
}
