//! RLC of NR (TS 38.322): without concatenation and without reordering.
//!
//! Each PDU has one SDU or a segment of one, and a MAC subheader of its own (TS 38.321, 6.1.2). In
//! this model one [`Pdu`](super::Pdu) is a **run** of them beside each other in a block. A run
//! names SDUs from within a first to within a last one, so that no packet costs an allocation. Its
//! size has the headers of RLC and MAC.
//!
//! An SDU that is complete goes up at once; [PDCP](crate::pdcp) puts SDUs into order. Acknowledged
//! mode is [that of LTE](super::am) with other headers: what is numbered, acknowledged and sent
//! again there is a PDU, here an SDU.

mod run;
pub mod um;

pub(super) use run::{Format, Run};

/// Length of the sequence number (TS 38.322, 6.2.3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnLength {
    /// 6 bits, for unacknowledged mode.
    Six,
    /// 12 bits, for both modes.
    #[default]
    Twelve,
    /// 18 bits, for acknowledged mode.
    Eighteen,
}

impl SnLength {
    /// UM_Window_Size and AM_Window_Size: half of the numbers (TS 38.322, 7.2).
    pub const fn window(self) -> u64 {
        match self {
            SnLength::Six => 32,
            SnLength::Twelve => 2_048,
            SnLength::Eighteen => 131_072,
        }
    }
}
