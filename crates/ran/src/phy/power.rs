//! Open-loop power control of the uplink (TS 36.213, 5.1.1.1; TS 38.213, 7.1.1).
//!
//! Left out: corrections by the cell (closed loop), and what a transport format adds.

use airpath_base::{Db, Dbm, math};

/// Power control of a UE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PowerControl {
    /// It sends with all it has.
    Full {
        /// Constant power.
        most: Dbm,
    },
    /// The power in a resource block follows the path loss by a share.
    Fractional {
        /// The most over all resource blocks.
        most: Dbm,
        /// Power received in a resource block (P0) if all of the path loss is made up for.
        target: Dbm,
        /// Share of the path loss that is made up for, 0 to 1 (alpha).
        share: f64,
    },
}

impl PowerControl {
    /// The most power in one resource block, in dBm, behind a loss between the ends, antennas
    /// included; and how many resource blocks can have it.
    pub fn in_one(&self, loss: Db) -> (Dbm, f64) {
        match *self {
            PowerControl::Full { most } => (most, 1.0),
            PowerControl::Fractional { most, target, share } => {
                let wanted = target + Db(share * loss.0);
                let one = Dbm(wanted.0.min(most.0));
                (one, math::exp10((most.0 - one.0) / 10.0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_by_hand() {
        let all = PowerControl::Full { most: Dbm(23.0) };
        assert_eq!(all.in_one(Db(100.0)), (Dbm(23.0), 1.0));
        // -80 + 0.8 x 110 = 8 dBm; 15 dB, 31.6 times, are left to 23 dBm.
        let control = PowerControl::Fractional { most: Dbm(23.0), target: Dbm(-80.0), share: 0.8 };
        let (one, count) = control.in_one(Db(110.0));
        assert!((one.0 - 8.0).abs() < 1e-9 && (count - 31.623).abs() < 1e-3);
        // -80 + 0.8 x 140 = 32: more than there is.
        assert_eq!(control.in_one(Db(140.0)), (Dbm(23.0), 1.0));
    }
}
