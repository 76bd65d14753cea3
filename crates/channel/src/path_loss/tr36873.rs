//! TR 36.873, table 7.2-1.

use airpath_base::math::log10;

use super::Link;
use super::tr38901::{over_roofs, two_slopes};
use crate::environment::Sight;

/// Average height of buildings in 3D-UMa, in metres.
const BUILDINGS_M: f64 = 20.0;
/// Average width of streets in 3D-UMa, in metres.
const STREETS_M: f64 = 20.0;

pub(super) fn uma(sight: Sight, link: &Link<'_>) -> f64 {
    let los = two_slopes(link, 28.0, 22.0, 9.0);
    match sight {
        Sight::Los => los,
        Sight::Nlos => {
            let ue = log10(17.625);
            let nlos = over_roofs(link, BUILDINGS_M, STREETS_M) - (3.2 * ue * ue - 4.97);
            los.max(nlos - 0.6 * (link.span.ue_m - 1.5))
        }
    }
}

pub(super) fn umi(sight: Sight, link: &Link<'_>) -> f64 {
    let los = two_slopes(link, 28.0, 22.0, 9.0);
    match sight {
        Sight::Los => los,
        Sight::Nlos => {
            let nlos = 22.7 + 36.7 * log10(link.d) + 26.0 * log10(link.ghz);
            los.max(nlos - 0.3 * (link.span.ue_m - 1.5))
        }
    }
}
