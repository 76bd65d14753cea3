//! Angular spreads at the base station, clusters, K-factor and cross polarisation of a link.
//!
//! Left out: their correlation over distance and with each other and with shadowing.
//!
//! Sources: TR 38.901, tables 7.5-6 to 7.5-10; TR 36.873, tables 7.3-6 to 7.3-8.

use airpath_base::math::{exp, log10};

use crate::environment::{Condition, Environment, Sight};
use crate::geometry::{Span, slope_deg};

/// A normal distribution: mean and standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normal {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sigma: f64,
}

const fn normal(mean: f64, sigma: f64) -> Normal {
    Normal { mean, sigma }
}

/// Spread of a link's power over directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angles {
    /// Logarithm to base 10 of the azimuth spread of departure in degrees.
    pub azimuth: Normal,
    /// Logarithm to base 10 of the zenith spread of departure in degrees.
    pub zenith: Normal,
    /// Mean zenith angle of departure less the zenith angle of the straight path, in degrees.
    pub zenith_offset_deg: f64,
    /// Power of the straight way beside all others in dB; none without line of sight, and
    /// none into buildings.
    pub k_db: Option<Normal>,
    /// Cross polarisation ratio of scattered power in dB.
    pub cross_db: Normal,
    /// Its clusters.
    pub clusters: Clusters,
}

/// The clusters of a link's scattered power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clusters {
    /// Number of clusters, [`MOST_CLUSTERS`] at most.
    pub count: usize,
    /// Proportionality factor of delays, r of TR 38.901, table 7.5-6.
    pub delay_scaling: f64,
    /// Standard deviation of the power of one cluster in dB.
    pub shadowing_db: f64,
    /// Azimuth spread of one cluster in degrees.
    pub azimuth_deg: f64,
}

/// Most clusters of a link.
pub const MOST_CLUSTERS: usize = 20;

const fn clusters(
    count: usize,
    delay_scaling: f64,
    shadowing_db: f64,
    azimuth_deg: f64,
) -> Clusters {
    Clusters { count, delay_scaling, shadowing_db, azimuth_deg }
}

impl Angles {
    /// Mean of the power that scattering turns into the other polarisation, as a factor: the
    /// mean of 1 / ratio over the rays.
    pub fn crossed(&self) -> f64 {
        let neper = core::f64::consts::LN_10 / 10.0;
        let Normal { mean, sigma } = self.cross_db;
        exp(-neper * mean + 0.5 * neper * neper * sigma * sigma)
    }
}

/// Largest azimuth spread in degrees (TR 38.901, 7.5, step 4).
pub const MOST_AZIMUTH_DEG: f64 = 104.0;
/// Largest zenith spread in degrees (TR 38.901, 7.5, step 4).
pub const MOST_ZENITH_DEG: f64 = 52.0;

/// The distributions of a link's angles.
pub fn angles(
    environment: Environment,
    condition: Condition,
    carrier_hz: f64,
    span: &Span,
) -> Angles {
    let ghz = carrier_hz / 1e9;
    let mut angles = match environment {
        // Tables 7.5-6 to 7.5-10, notes: carriers below 6 GHz (UMi: 2 GHz) count as that.
        Environment::Uma => uma(condition, ghz.max(6.0), span),
        Environment::Umi => umi(condition, ghz.max(2.0), span),
        Environment::Rma => rma(condition, span),
        Environment::InhOpen | Environment::InhMixed => office(condition, ghz.max(6.0)),
        Environment::Uma3d => uma_3d(condition, span),
        Environment::Umi3d => umi_3d(condition, span),
    };
    if condition.indoors || condition.sight == Sight::Nlos {
        angles.k_db = None;
    }
    angles
}

/// One of three columns: sight, no sight, in a building.
fn column<T>(condition: Condition, los: T, nlos: T, indoors: T) -> T {
    match condition {
        Condition { indoors: true, .. } => indoors,
        Condition { sight: Sight::Los, .. } => los,
        Condition { sight: Sight::Nlos, .. } => nlos,
    }
}

/// One of two: the tables of zenith spreads of UMa and UMi go by sight alone.
fn by_sight<T>(condition: Condition, los: T, nlos: T) -> T {
    match condition.sight {
        Sight::Los => los,
        Sight::Nlos => nlos,
    }
}

fn uma(condition: Condition, ghz: f64, span: &Span) -> Angles {
    let carrier = log10(ghz);
    let offset = {
        let slope = 0.208 * carrier - 0.782;
        let height = -0.13 * carrier + 2.03 - 0.07 * (span.ue_m - 1.5);
        let power = slope * log10(span.ground_m.max(25.0)) + height;
        7.66 * carrier - 5.96 - airpath_base::math::exp10(power)
    };
    let azimuth = column(
        condition,
        normal(1.06 + 0.1114 * carrier, 0.28),
        normal(1.5 - 0.1144 * carrier, 0.28),
        normal(1.25, 0.42),
    );
    any_uma(condition, span, azimuth, offset)
}

fn uma_3d(condition: Condition, span: &Span) -> Angles {
    let power = -0.62 * log10(span.ground_m.max(10.0)) + 1.93 - 0.07 * (span.ue_m - 1.5);
    let azimuth = column(condition, normal(1.15, 0.28), normal(1.41, 0.28), normal(1.25, 0.42));
    any_uma(condition, span, azimuth, -airpath_base::math::exp10(power))
}

/// UMa in both reports, with what they differ in; the offset is that without sight.
fn any_uma(condition: Condition, span: &Span, azimuth: Normal, offset_deg: f64) -> Angles {
    let fall = -2.1 * span.ground_m / 1e3 - 0.01 * (span.ue_m - 1.5);
    let (at_zero, sigma) = by_sight(condition, (0.75, 0.40), (0.9, 0.49));
    Angles {
        azimuth,
        zenith: normal((fall + at_zero).max(-0.5), sigma),
        zenith_offset_deg: by_sight(condition, 0.0, offset_deg),
        k_db: Some(normal(9.0, 3.5)),
        cross_db: column(condition, normal(8.0, 4.0), normal(7.0, 3.0), normal(9.0, 5.0)),
        clusters: column(
            condition,
            clusters(12, 2.5, 3.0, 5.0),
            clusters(20, 2.3, 3.0, 2.0),
            clusters(12, 2.2, 4.0, 5.0),
        ),
    }
}

fn umi(condition: Condition, ghz: f64, span: &Span) -> Angles {
    let carrier = log10(1.0 + ghz);
    let zenith = by_sight(condition, [-14.8, 0.83, -0.21, 0.35], [-3.1, 0.2, -0.5, 0.35]);
    let power = -1.5 * log10(span.ground_m.max(10.0)) + 3.3;
    let azimuth = column(
        condition,
        normal(1.21 - 0.05 * carrier, 0.41),
        normal(1.53 - 0.23 * carrier, 0.11 * carrier + 0.33),
        normal(1.25, 0.42),
    );
    let outdoors = by_sight(condition, clusters(12, 3.0, 3.0, 3.0), clusters(19, 2.1, 3.0, 10.0));
    any_umi(condition, azimuth, umi_zenith(condition, span, zenith), power, outdoors)
}

fn umi_3d(condition: Condition, span: &Span) -> Angles {
    let zenith = by_sight(condition, [-2.1, 0.75, -0.5, 0.4], [-2.1, 0.9, -0.5, 0.6]);
    let power = -0.55 * log10(span.ground_m.max(10.0)) + 1.6;
    let azimuth = column(condition, normal(1.20, 0.43), normal(1.41, 0.17), normal(1.25, 0.42));
    let outdoors = by_sight(condition, clusters(12, 3.2, 3.0, 3.0), clusters(19, 3.0, 3.0, 10.0));
    any_umi(condition, azimuth, umi_zenith(condition, span, zenith), power, outdoors)
}

/// Zenith spread of UMi: it falls by `slope` with each km from `at_zero`, and rises with the
/// heights, but is `least` or more.
fn umi_zenith(
    condition: Condition,
    span: &Span,
    [slope, at_zero, least, sigma]: [f64; 4],
) -> Normal {
    let (far, rise) = (span.ground_m / 1e3, span.ue_m - span.base_m);
    let rise = by_sight(condition, rise.abs(), rise.max(0.0));
    normal((slope * far + 0.01 * rise + at_zero).max(least), sigma)
}

/// UMi in both reports, with what they differ in; `power` gives the offset without sight.
fn any_umi(
    condition: Condition,
    azimuth: Normal,
    zenith: Normal,
    power: f64,
    outdoors: Clusters,
) -> Angles {
    Angles {
        azimuth,
        zenith,
        zenith_offset_deg: by_sight(condition, 0.0, -airpath_base::math::exp10(power)),
        k_db: Some(normal(9.0, 5.0)),
        cross_db: column(condition, normal(9.0, 3.0), normal(8.0, 3.0), normal(9.0, 5.0)),
        clusters: column(condition, outdoors, outdoors, clusters(12, 2.2, 4.0, 5.0)),
    }
}

fn rma(condition: Condition, span: &Span) -> Angles {
    let (far, height) = (span.ground_m / 1e3, 0.01 * (span.ue_m - 1.5));
    let los = normal((-0.17 * far - height + 0.22).max(-1.0), 0.34);
    let nlos = normal((-0.19 * far - height + 0.28).max(-1.0), 0.30);
    let offset = slope_deg(35.0 - 3.5, span.ground_m) - slope_deg(35.0 - 1.5, span.ground_m);
    Angles {
        azimuth: column(condition, normal(0.90, 0.38), normal(0.95, 0.45), normal(0.67, 0.18)),
        zenith: column(condition, los, nlos, nlos),
        zenith_offset_deg: column(condition, 0.0, offset, offset),
        k_db: Some(normal(7.0, 4.0)),
        cross_db: column(condition, normal(12.0, 4.0), normal(7.0, 3.0), normal(7.0, 3.0)),
        clusters: column(
            condition,
            clusters(11, 3.8, 3.0, 2.0),
            clusters(10, 1.7, 3.0, 2.0),
            clusters(10, 1.7, 3.0, 2.0),
        ),
    }
}

fn office(condition: Condition, ghz: f64) -> Angles {
    let carrier = log10(1.0 + ghz);
    let los = normal(2.228 - 1.43 * carrier, 0.13 * carrier + 0.30);
    Angles {
        azimuth: by_sight(condition, normal(1.60, 0.18), normal(1.62, 0.25)),
        zenith: by_sight(condition, los, normal(1.08, 0.36)),
        zenith_offset_deg: 0.0,
        k_db: Some(normal(7.0, 4.0)),
        cross_db: by_sight(condition, normal(11.0, 4.0), normal(10.0, 4.0)),
        clusters: by_sight(condition, clusters(15, 3.6, 6.0, 5.0), clusters(19, 3.0, 3.0, 5.0)),
    }
}
