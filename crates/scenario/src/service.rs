//! The class of service of a bearer, by its QCI or its 5QI.

use airpath_base::{BitRate, Duration};
use airpath_ran::{five_qi, qci};

use crate::file::{Bearer, PduSets, RlcMode};

/// The QCI of a bearer that has neither that nor a 5QI.
pub(crate) const USUAL_QCI: u8 = 9;

/// A class of service.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ServiceClass {
    Qci(&'static qci::Characteristics),
    FiveQi(&'static five_qi::Characteristics),
}

impl ServiceClass {
    /// Class of a bearer, if its identifier is standardised.
    pub fn of(bearer: &Bearer) -> Option<ServiceClass> {
        match bearer.five_qi {
            Some(five_qi) => five_qi::characteristics(five_qi).map(ServiceClass::FiveQi),
            None => qci::characteristics(bearer.qci.unwrap_or(USUAL_QCI)).map(ServiceClass::Qci),
        }
    }

    /// True if a bit rate is guaranteed.
    pub fn is_guaranteed(self) -> bool {
        match self {
            ServiceClass::Qci(class) => class.guaranteed,
            ServiceClass::FiveQi(class) => class.is_guaranteed(),
        }
    }

    /// The packet delay budget.
    pub fn delay_budget(self) -> Duration {
        match self {
            ServiceClass::Qci(class) => class.delay_budget,
            ServiceClass::FiveQi(class) => class.delay_budget,
        }
    }

    /// Configuration of a bearer, with this guaranteed bit rate if it has one.
    pub fn bearer(self, guaranteed: Option<BitRate>) -> qci::Bearer {
        match self {
            ServiceClass::Qci(class) => class.bearer(guaranteed),
            ServiceClass::FiveQi(class) => class.bearer(guaranteed),
        }
    }

    /// RLC mode that the error rate of PDU sets asks for; none without one.
    pub fn mode_of_sets(self, sets: Option<&PduSets>) -> Option<RlcMode> {
        let rate = sets?.error_rate?;
        let critical = match self {
            ServiceClass::Qci(_) => false,
            ServiceClass::FiveQi(class) => {
                class.resource_type == five_qi::ResourceType::DelayCritical
            }
        };
        Some(if rate < 1e-3 && !critical { RlcMode::Am } else { RlcMode::Um })
    }

    /// Its name and its number.
    pub fn identifier(self) -> (&'static str, u8) {
        match self {
            ServiceClass::Qci(class) => ("QCI", class.qci),
            ServiceClass::FiveQi(class) => ("5QI", class.five_qi),
        }
    }
}
