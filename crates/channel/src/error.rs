//! Errors of a network.

use core::fmt;

use crate::environment::Environment;
use crate::layout::{MOST_SITES, closing_numbers};

/// Error of a network or a UE, with the allowed values.
#[derive(Clone, Debug, PartialEq)]
pub enum ChannelError {
    /// A number of sites out of range.
    Sites {
        /// Given number of sites.
        sites: usize,
    },
    /// A distance between sites that is no distance.
    SiteDistance {
        /// Given distance in metres.
        metres: f64,
    },
    /// A number of sites that does not wrap around.
    WrapAround {
        /// Given number of sites.
        sites: usize,
    },
    /// A carrier outside the range of the environment.
    Carrier {
        /// Environment with this range.
        environment: Environment,
        /// Given carrier in GHz.
        ghz: f64,
    },
    /// A height of base stations outside the range of the environment.
    BaseHeight {
        /// Environment with this range.
        environment: Environment,
        /// Given height in metres.
        metres: f64,
    },
    /// A height of a UE outside the range of the environment.
    UeHeight {
        /// Environment with this range.
        environment: Environment,
        /// Given height in metres.
        metres: f64,
    },
    /// A UE nearer to a site than the environment allows.
    TooNear {
        /// Distance to the site in metres.
        metres: f64,
        /// To which site, counted from 0.
        site: usize,
        /// Least distance in metres.
        least_m: f64,
    },
    /// A route that cannot be.
    Route(crate::route::RouteError),
    /// A least distance that leaves no room for UEs, or is less than the environment allows.
    LeastDistance {
        /// Given least distance in metres.
        metres: f64,
        /// Allowed range in metres.
        allowed: (f64, f64),
    },
    /// Shares of UEs that are none.
    Shares {
        /// Share indoors.
        indoors: f64,
        /// Share in cars.
        in_cars: f64,
    },
    /// An antenna that cannot be.
    Antenna {
        /// Fault of the antenna, as a sentence.
        why: &'static str,
    },
    /// UEs behind walls, or in cars, in an environment without.
    NoWalls {
        /// Environment of the network.
        environment: Environment,
    },
}

impl std::error::Error for ChannelError {}

impl fmt::Display for ChannelError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChannelError::Route(error) => write!(out, "{error}"),
            ChannelError::Sites { sites } => {
                write!(out, "a network cannot have {sites} sites: 1 to {MOST_SITES} are allowed")
            }
            ChannelError::SiteDistance { metres } => {
                write!(out, "sites cannot be {metres} m apart: it must be more than 0 m")
            }
            ChannelError::WrapAround { sites } => {
                let allowed: Vec<String> =
                    closing_numbers().iter().map(ToString::to_string).collect();
                write!(
                    out,
                    "{sites} sites do not wrap around: the numbers that do are {}",
                    allowed.join(", ")
                )
            }
            ChannelError::Carrier { environment, ghz } => {
                let (low, high) = environment.limits().carrier_ghz;
                range(out, *environment, "a carrier", *ghz, (low, high), "GHz")
            }
            ChannelError::BaseHeight { environment, metres } => {
                let limits = environment.limits().base_m;
                range(out, *environment, "a base station's height", *metres, limits, "m")
            }
            ChannelError::UeHeight { environment, metres } => {
                let limits = environment.limits().ue_m;
                range(out, *environment, "a UE's height", *metres, limits, "m")
            }
            ChannelError::TooNear { metres, site, least_m } => write!(
                out,
                "a UE is {metres:.1} m from site {site}: at least {least_m} m are allowed"
            ),
            ChannelError::LeastDistance { allowed: (low, high), .. } if low > high => write!(
                out,
                "sites so near each other leave no room for UEs, which keep at least {low} m: \
                 they must be farther apart"
            ),
            ChannelError::LeastDistance { metres, allowed: (low, high) } => write!(
                out,
                "UEs cannot keep {metres} m from the sites: {low:.0} m to {high:.0} m are allowed"
            ),
            ChannelError::Shares { indoors, in_cars } => write!(
                out,
                "{indoors} of the UEs indoors and {in_cars} in cars: each must be from 0 to 1, \
                 and both together 1 at most"
            ),
            ChannelError::Antenna { why } => out.write_str(why),
            ChannelError::NoWalls { environment } => write!(
                out,
                "{} is one floor without walls: no UE can be behind one, or in a car",
                environment.name()
            ),
        }
    }
}

fn range(
    out: &mut fmt::Formatter<'_>,
    environment: Environment,
    what: &str,
    value: f64,
    (low, high): (f64, f64),
    unit: &str,
) -> fmt::Result {
    let name = environment.name();
    write!(
        out,
        "{what} of {value} {unit} is outside {name}: {low} {unit} to {high} {unit} are allowed"
    )
}
