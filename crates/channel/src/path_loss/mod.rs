//! Path loss between antennas without gain, before shadowing and walls.

mod tr36873;
mod tr38901;

use crate::environment::{Environment, Sight};
use crate::geometry::Span;

/// Speed of light in m/s, as the reports round it (TR 38.901, table 7.4.1-1, note 1).
pub(crate) const LIGHT: f64 = 3.0e8;

/// Path loss of an environment in dB.
///
/// `clutter_m` is the height of what stands around the UE, hE of TR 38.901, table 7.4.1-1,
/// note 1: 1 m but for some UEs on high floors in UMa. Heights and distances outside the
/// [limits](Environment::limits) are extrapolated.
pub fn path_loss_db(
    environment: Environment,
    sight: Sight,
    carrier_hz: f64,
    span: &Span,
    clutter_m: f64,
) -> f64 {
    let link = Link { ghz: carrier_hz / 1e9, d: span.distance_m(), span, clutter_m };
    match environment {
        Environment::Uma => tr38901::uma(sight, &link),
        Environment::Umi => tr38901::umi(sight, &link),
        Environment::Rma => tr38901::rma(sight, &link),
        Environment::InhOpen | Environment::InhMixed => tr38901::office(sight, &link),
        Environment::Uma3d => tr36873::uma(sight, &link),
        Environment::Umi3d => tr36873::umi(sight, &link),
    }
}

/// Input of the formulas.
struct Link<'a> {
    ghz: f64,
    /// Distance between the antennas in metres.
    d: f64,
    span: &'a Span,
    clutter_m: f64,
}

impl Link<'_> {
    /// Breakpoint distance with effective heights (TR 38.901, table 7.4.1-1, note 1).
    fn breakpoint_m(&self) -> f64 {
        let base = (self.span.base_m - self.clutter_m).max(0.0);
        let ue = (self.span.ue_m - self.clutter_m).max(0.0);
        4.0 * base * ue * self.ghz * 1e9 / LIGHT
    }

    /// Square of the distance between the antennas at the breakpoint.
    fn breakpoint_squared(&self) -> f64 {
        let (ground, rise) = (self.breakpoint_m(), self.span.base_m - self.span.ue_m);
        ground * ground + rise * rise
    }
}

#[cfg(test)]
#[path = "path_loss_tests.rs"]
mod tests;
