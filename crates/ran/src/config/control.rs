//! Configuration of the downlink control channel.

use crate::phy::MOST_ELEMENTS_LTE;

/// The downlink control channel (PDCCH).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Any number of grants in a TTI.
    Ideal,
    /// Grants take [elements](crate::phy::grant_elements), as long as there are any.
    Modelled {
        /// Control channel elements of a TTI, for both directions; at least 1.
        elements: u16,
        /// Most of them for one grant: 8 in LTE, 16 in NR.
        most: u8,
        /// True if UEs miss grants, with the probability of
        /// [`grant_missed`](crate::phy::grant_missed).
        errors: bool,
    },
}

impl Control {
    /// Control channel elements of a TTI; none without a limit.
    pub const fn elements(self) -> Option<u16> {
        match self {
            Control::Ideal => None,
            Control::Modelled { elements, .. } => Some(elements),
        }
    }

    /// Most elements that a grant can take, a power of two.
    pub(crate) fn most(self) -> u8 {
        match self {
            Control::Ideal => MOST_ELEMENTS_LTE,
            Control::Modelled { elements, most, .. } => {
                let fits = |level: &u8| *level <= most && u16::from(*level) <= elements;
                [16, 8, 4, 2].into_iter().find(fits).unwrap_or(1)
            }
        }
    }
}

/// Grants of a UE without a request, beside [`Access::SchedulingRequest`](super::Access::SchedulingRequest).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProactiveGrants {
    /// TTIs from the last grant of a UE to its proactive one; above zero.
    pub period: u64,
    /// Bytes of each.
    pub bytes: u32,
}
