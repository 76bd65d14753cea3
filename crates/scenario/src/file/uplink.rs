//! The uplink of a cell: access, grants, sounding.

use airpath_base::{Bytes, Duration};
use airpath_schema::{at_least, between, choice, one_of, record};

use super::Cell;
use crate::interval::Span;

record! {
    /// The uplink.
    pub struct Uplink {
        /// Method by which the cell learns that a UE has data. Default: "scheduling-request" (TS
        /// 36.321, 5.4.4).
        access: UplinkAccess = UplinkAccess::SchedulingRequest;
        /// Time between a UE's opportunities for a scheduling request, as such ("10 ms")
        /// or in transmission time intervals ("1 tti"). Default: 5 tti, the
        /// longer of the two in the source of docs/latency.md (TS 36.213, table 10.1.5-1, has
        /// 1 to 80 ms).
        sr_period: Span = Span::ttis(5);
        /// From the beginning of a period to the opportunity. Default: spread over the
        /// UEs in their order, as their number in whole transmission time intervals
        /// modulo the period.
        sr_offset: Option<Span>;
        /// Bytes that a scheduling request is answered with: the cell does not know yet how
        /// much there is. Default: 100 B, room for a buffer status report and a short
        /// packet; the specifications leave it open.
        sr_grant: Bytes = Bytes(100) => between(Bytes(2), Bytes(10_000));
        /// Time without a grant after which a UE with data asks again: retxBSR-Timer.
        /// Default: 320 ms, the shortest (TS 36.331, 6.3.2).
        sr_retry: Duration = Duration::from_millis(320)
            => between(Duration::from_millis(1), Duration::from_millis(10_240));
        /// With access "scheduling-request", time from a UE's last grant to a grant that it gets without a
        /// request, where the cell knows of no data. Default: none, UEs ask.
        proactive_period: Option<Span>;
        /// Bytes of a grant without a request. Default: `sr_grant`, since the cell knows as little.
        proactive_grant: Option<Bytes> => between(Bytes(2), Bytes(10_000));
        /// With access "configured", time between a UE's grants, as such or in transmission
        /// time intervals. Default: 10 tti, the shortest semi-persistent interval
        /// uplink of LTE (TS 36.331, 6.3.2: 10 subframes).
        configured_period: Span = Span::ttis(10);
        /// From the beginning of a period to the UE's grant. Default: spread over the UEs as
        /// for `sr_offset`.
        configured_offset: Option<Span>;
        /// Resource blocks of each such grant, set aside whether they are used or not.
        /// Default: 2.
        configured_resource_blocks: u32 = 2 => between(1, 110);
        /// Consecutive intervals of a period with such a grant: nrofSlotsInCG-Period (TS 38.321, 5.8.2). Those that are
        /// no uplink have none. More than one is for NR. Default: 1.
        configured_occasions: u32 = 1 => between(1, 32);
        /// Consecutive intervals in which a UE sends the block of such a grant: repK (TS 38.214, 6.1.2.3). The cell decodes
        /// it behind the last. More than one is for NR without a network. Default: 1.
        configured_repetitions: u8 = 1 => one_of(&[1, 2, 4, 8]);
        /// Number of following occasions of the same period of which a block names the unused ones: nrofBitsInUTO-UCI (TS
        /// 38.213, 9.3.1). The cell grants those. Default: no such indication.
        configured_unused: Option<u32> => between(3, 8);
        /// With access "reported", least time between reports of a UE's buffers. Default:
        /// 5 tti, the shortest periodicBSR-Timer (TS 36.331, 6.3.2: 5 subframes).
        bsr_period: Span = Span::ttis(5);
        /// Resource blocks of a grant at least. Default: 1.
        min_resource_blocks: u32 = 1 => at_least(1);
        /// Most layers of a UE uplink with NR, 1 or 2. A UE has no more than `ports`, and no more than
        /// its cell has `receivers`. One whose power does not suffice for the carrier sends one.
        /// Default: 1.
        layers: u8 = 1 => between(1, 2);
        /// From the beginning to the first sounding of the uplink channel (TS 36.213,
        /// 8.2); until then grants have MCS 0. Default: 0 s.
        first_sounding: Duration = Duration::ZERO;
        /// Cancellation of grants in NR (TS 38.213, 11.2A): UEs whose bearers have `pre_empts` take resource blocks back that
        /// others were granted. { } has the defaults. Default: none.
        cancellation: Option<Cancellation>;
    }
}

record! {
    /// Uplink cancellation, and the grants of UEs that pre-empt others.
    #[derive(Copy)]
    pub struct Cancellation {
        /// From the subframe of a grant of such a UE to that of the transmission at least: k2 of UE processing capability 2
        /// (TS 38.214, 6.4). It is less than `timing.grant_to_transmission`, that of others. Default: 2 tti, the default of
        /// `timing.grant_transmission` and `grant_decoding` together.
        grant_to_transmission: Span = Span::ttis(2);
        /// From the end of the indication to the first symbol that it cancels at least: T_proc,2 and d_offset (TS 38.213,
        /// 11.2A). The indication, DCI format 2_4, is on the air with the grant. Default: `timing.grant_decoding`, as
        /// T_proc,2 is the time to prepare a block.
        indication: Option<Span>;
    }
}

impl Cancellation {
    /// Its times in a cell.
    pub(crate) fn spans(&self, cell: &Cell) -> airpath_ran::Cancellation {
        let tti = cell.tti.tti();
        airpath_ran::Cancellation {
            grant_to_transmission: self.grant_to_transmission.with_tti(tti),
            indication: self.indication.unwrap_or(cell.timing.grant_decoding).with_tti(tti),
        }
    }
}

choice! {
    /// Method by which the cell learns that a UE has data.
    pub enum UplinkAccess {
        /// The UE asks for a grant at its next opportunity, and reports its buffers
        /// with the data.
        SchedulingRequest = "scheduling-request",
        /// Each UE has a grant of its own once each `configured_period`, and reports its
        /// buffers in it; the rest is granted (TS 38.321, 5.8.2; TS 36.321, 5.10.2).
        Configured = "configured",
        /// A UE with data sends in the next interval, without asking and without
        /// collisions; where there is no room for all, they take turns.
        Instant = "instant",
        /// Buffer status reaches the cell by itself once each `bsr_period` (ns-3).
        Reported = "reported",
    }
}
