//! Environments: which models of propagation belong together, and where they hold.

use airpath_schema::choice;

choice! {
    /// Models of propagation that belong together.
    #[derive(Hash)]
    pub enum Environment {
        /// Urban macro (TR 38.901).
        Uma = "uma",
        /// Urban micro, street canyon (TR 38.901).
        Umi = "umi",
        /// Rural macro (TR 38.901).
        Rma = "rma",
        /// Indoor hotspot, open office (TR 38.901).
        InhOpen = "inh-open",
        /// Indoor hotspot, mixed office (TR 38.901).
        InhMixed = "inh-mixed",
        /// Urban macro of 2 to 6 GHz (TR 36.873).
        Uma3d = "3d-uma",
        /// Urban micro of 2 to 6 GHz (TR 36.873).
        Umi3d = "3d-umi",
    }
}

/// Sight from a UE, or from the wall of its building, to the base station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sight {
    /// Line of sight.
    Los,
    /// None.
    Nlos,
}

/// State of a link that decides its statistics: line of sight, and a UE in a building.
///
/// A UE in a car counts as outdoors (TR 38.901, 7.4.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// Sight between the base station and the UE or its building.
    pub sight: Sight,
    /// True if there is a wall between them.
    pub indoors: bool,
}

/// Standard deviation and decorrelation distance of shadowing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowingStatistics {
    /// Standard deviation in dB.
    pub sigma_db: f64,
    /// Distance over which the correlation falls to 1 / e, in metres.
    pub correlation_m: f64,
}

/// Range in which the models of an environment hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Carrier frequencies in GHz.
    pub carrier_ghz: (f64, f64),
    /// Height of a UE in metres.
    pub ue_m: (f64, f64),
    /// Height of a base station in metres.
    pub base_m: (f64, f64),
    /// Least ground distance in metres.
    pub least_m: f64,
}

impl Environment {
    /// Every environment.
    pub const ALL: [Environment; 7] = [
        Environment::Uma,
        Environment::Umi,
        Environment::Rma,
        Environment::InhOpen,
        Environment::InhMixed,
        Environment::Uma3d,
        Environment::Umi3d,
    ];

    /// Its name in the report.
    pub fn name(self) -> &'static str {
        match self {
            Environment::Uma => "UMa",
            Environment::Umi => "UMi street canyon",
            Environment::Rma => "RMa",
            Environment::InhOpen => "InH open office",
            Environment::InhMixed => "InH mixed office",
            Environment::Uma3d => "3D-UMa",
            Environment::Umi3d => "3D-UMi",
        }
    }

    /// Range in which the models hold.
    ///
    /// Sources: TR 38.901, table 7.4.1-1 and 7.4.1 (0.5 to 100 GHz, RMa to 30 GHz); TR 36.873,
    /// table 7.2-1 and 1 (2 to 6 GHz). The height of a base station is 25 m in UMa and 10 m in UMi
    /// there. Other heights are the user's decision, but must be above the UEs.
    pub fn limits(self) -> Limits {
        let street = Limits {
            carrier_ghz: (0.5, 100.0),
            ue_m: (1.5, 22.5),
            base_m: (3.0, 150.0),
            least_m: 10.0,
        };
        match self {
            Environment::Uma | Environment::Umi => street,
            Environment::Rma => Limits {
                carrier_ghz: (0.5, 30.0),
                ue_m: (1.0, 10.0),
                base_m: (10.0, 150.0),
                ..street
            },
            Environment::InhOpen | Environment::InhMixed => {
                Limits { ue_m: (0.5, 3.0), base_m: (2.0, 10.0), least_m: 0.0, ..street }
            }
            Environment::Uma3d | Environment::Umi3d => Limits { carrier_ghz: (2.0, 6.0), ..street },
        }
    }

    /// True if the whole network is inside one building, so that no UE is behind a wall.
    pub fn is_office(self) -> bool {
        matches!(self, Environment::InhOpen | Environment::InhMixed)
    }

    /// Largest part of a link inside a building in metres, from which the lesser of two even
    /// draws is taken (TR 38.901, 7.4.3.1).
    pub fn deepest_m(self) -> f64 {
        if self == Environment::Rma { 10.0 } else { 25.0 }
    }

    /// Shadowing: TR 38.901, tables 7.4.1-1 and 7.5-6; TR 36.873, tables 7.2-1 and 7.3-6.
    pub fn shadowing(self, condition: Condition) -> ShadowingStatistics {
        let (los, nlos, indoors) = match self {
            Environment::Uma => ((4.0, 37.0), (6.0, 50.0), (7.0, 7.0)),
            Environment::Umi => ((4.0, 10.0), (7.82, 13.0), (7.0, 7.0)),
            Environment::Rma => ((4.0, 37.0), (8.0, 120.0), (8.0, 120.0)),
            Environment::InhOpen | Environment::InhMixed => ((3.0, 10.0), (8.03, 6.0), (8.03, 6.0)),
            Environment::Uma3d => ((4.0, 37.0), (6.0, 50.0), (7.0, 7.0)),
            Environment::Umi3d => ((3.0, 10.0), (4.0, 13.0), (7.0, 7.0)),
        };
        let (sigma_db, correlation_m) = match condition {
            Condition { indoors: true, .. } => indoors,
            Condition { sight: Sight::Los, .. } => los,
            Condition { sight: Sight::Nlos, .. } => nlos,
        };
        ShadowingStatistics { sigma_db, correlation_m }
    }
}
