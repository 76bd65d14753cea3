//! Configuration of a cell's uplink.

use airpath_base::{Duration, Time};

use super::{Occasions, ProactiveGrants};

/// The uplink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UplinkConfig {
    /// Method by which the cell learns that a UE has data.
    pub access: Access,
    /// Grants without a request; `None`: there are none.
    pub proactive: Option<ProactiveGrants>,
    /// Resource blocks of a grant at least.
    pub min_resource_blocks: u16,
    /// Time at which the cell first knows the uplink channel; until then it grants with MCS 0.
    pub first_sounding: Time,
    /// Occasions of [`Access::Configured`].
    pub occasions: Occasions,
    /// Cancellation of grants for UEs that pre-empt others; `None`: there is none.
    pub cancellation: Option<Cancellation>,
}

/// Uplink cancellation (TS 38.213, 11.2A): a UE that pre-empts others gets earlier grants, and resource blocks that others
/// were granted before. Asynchronous HARQ and grants on request are its conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancellation {
    /// From the start of such a grant's TTI to the start of the transmission at least: k2 of UE processing capability 2 (TS
    /// 38.214, 6.4). It is no shorter than the transmission and the decoding of a grant.
    pub grant_to_transmission: Duration,
    /// From the end of the indication to the first symbol that it cancels at least: T_proc,2 and d_offset.
    pub indication: Duration,
}

impl UplinkConfig {
    /// True if the cell knows the uplink channel in a decision at `decided`.
    pub(crate) fn is_sounded(&self, decided: Time) -> bool {
        decided >= self.first_sounding
    }
}

/// Method by which the cell learns that a UE has data to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The UE asks for a grant (TS 36.321, 5.4.4) and reports its buffers in
    /// what it then sends (5.4.5).
    SchedulingRequest {
        /// TTIs between a UE's opportunities; above zero.
        period: u64,
        /// Bytes that a request is answered with.
        grant: u32,
        /// After so long without a grant a UE with data asks again (retxBSR-Timer).
        retry: Duration,
    },
    /// Each UE has a grant of its own once a period, and reports its buffers in it (TS 38.321,
    /// 5.8.2; semi-persistent scheduling of LTE, TS 36.321, 5.10.2). The rest of its data is
    /// granted after that. The unused part of the grant is lost to others.
    Configured {
        /// TTIs between a UE's grants; above zero.
        period: u64,
        /// Resource blocks of each.
        resource_blocks: u16,
    },
    /// A UE with data sends in the next TTI, without a request and without collisions. If the
    /// resource blocks do not suffice for all, UEs take turns. Each gets the resource blocks for
    /// its data, beginning behind the UE that was last, and the others go first in the next TTI.
    Instant,
    /// Buffer status reaches the cell without a grant, in the TTI after data arrived but not more
    /// often than this. It overwrites the cell's estimate (ns-3).
    Reported {
        /// Time between reports at least; whole TTIs.
        period: Duration,
    },
}
