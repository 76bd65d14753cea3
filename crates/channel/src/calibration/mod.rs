//! Published calibrations: their set-ups, and the same measured here.
//!
//! Rows of published figures are not read here: nothing that is measured can depend on them.

mod setups;

pub use setups::{RP_180524, Setup, TR_36873, TR_38901, carrier_ghz, known, setup};

use airpath_base::math;
use airpath_base::random::Seed;

use crate::association::Association;
use crate::error::ChannelError;
use crate::network::Network;

/// Users of one realisation of shadowing.
const USERS_A_DROP: u64 = 1_000;

/// Coupling gain and geometry of many users, each sorted.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    coupling_db: Vec<f64>,
    geometry_db: Vec<f64>,
}

/// Drops so many users on the network of a set-up and associates each with its strongest cell.
///
/// # Errors
///
/// A set-up outside the limits of its models.
pub fn measure(setup: &Setup, seed: Seed, users: u64) -> Result<Measured, ChannelError> {
    let mut network = Network::new(setup.network.clone(), seed)?;
    let (mut coupling_db, mut geometry_db) = (Vec::new(), Vec::new());
    let mut gains = Vec::new();
    for drop in 0..users.div_ceil(USERS_A_DROP) {
        network.reseed(Seed(seed.0.wrapping_add(drop)));
        for number in 0..USERS_A_DROP.min(users - drop * USERS_A_DROP) {
            network.gains(&network.drop(number), &mut gains);
            if let Some(best) = Association::strongest(&gains) {
                coupling_db.push(10.0 * math::log10(best.gain));
                geometry_db.push(10.0 * math::log10(best.geometry(setup.noise)));
            }
        }
    }
    coupling_db.sort_by(f64::total_cmp);
    geometry_db.sort_by(f64::total_cmp);
    Ok(Measured { coupling_db, geometry_db })
}

impl Measured {
    /// Coupling gain to the serving cell in dB of which `percentile` percent of users have less.
    pub fn coupling_db(&self, percentile: f64) -> f64 {
        quantile(&self.coupling_db, percentile)
    }

    /// Geometry in dB of which `percentile` percent of users have less.
    pub fn geometry_db(&self, percentile: f64) -> f64 {
        quantile(&self.geometry_db, percentile)
    }
}

/// Percentile of sorted values, linear between them; not a number if there are none.
fn quantile(sorted: &[f64], percentile: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = (percentile / 100.0).clamp(0.0, 1.0) * last as f64;
    let (low, share) = (place as usize, place.fract());
    let high = sorted[(low + 1).min(last)];
    sorted[low] + (high - sorted[low]) * share
}
