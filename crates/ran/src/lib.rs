//! The radio access network: PDCP, RLC, MAC and PHY of cells and UEs.
//!
//! The journey of a downlink packet, and where it waits:
//!
//! 1. it arrives from the core in GTP-U, is taken out of its tunnel ([`Ran`]) and goes to the cell of
//!    its UE (`node/cell.rs`, `node/transfer.rs`);
//! 2. if the UE is idle, **it waits for a page and a promotion**; asleep in DRX, the UE is
//!    assigned nothing until it listens again (`node/rrc.rs`);
//! 3. **it waits in the queue of its bearer or QoS flow at PDCP**, which marks it, or drops it if
//!    it waits too long ([`pdcp::Transmitter`]);
//! 4. at the start of a TTI the scheduler chooses UEs ([`mac::Scheduler`], `node/downlink.rs`), by
//!    reports on their links (`node/reports.rs`), and the transport block is shared among the UE's
//!    logical channels (`bearer/fill.rs`);
//! 5. RLC takes packets from PDCP, and cuts and joins them to fill its part ([`rlc::Channel::build`]);
//! 6. the block is on the air after the preparation time, is decoded or not by its SINR
//!    ([`phy::block_error`]), and **is sent again** a HARQ round trip later if it
//!    failed (`harq.rs`, `node/harq.rs`);
//! 7. the UE's RLC **waits for what is missing** and hands the packet up in order
//!    ([`rlc::Channel::receive`]).
//!
//! An uplink packet waits for more: the UE first sends a scheduling request and a buffer status
//! report (`node/requests.rs`, `node/uplink.rs`, `bsr.rs`).
//!
//! A bearer may have a [full buffer](FullBuffer) besides: data without packets, for the radio
//! alone.
//!
//! At an instant all cells act in the same stage, on several threads if the run has them
//! ([`Ran::set_threads`], `node/stage.rs`, `crew/`). What a cell sends and reports waits until the
//! stage is over.
//!
//! A UE's link is [fixed](Link::Fixed), an SNR in each direction, or one of a
//! [network](Link::Network). The channel of a network computes the receivers' ratios from the
//! transmissions [on the air](OnAir). UEs of a network may [move](Mobility), and go from cell to cell
//! ([`handover`]).

mod air;
mod bearer;
mod block;
mod bsr;
mod config;
mod crew;
mod delay_status;
mod duplex;
pub mod five_qi;
pub mod handover;
mod harq;
mod index;
pub mod mac;
mod mobility;
mod network;
mod node;
mod paired;
pub mod pdcp;
pub mod phy;
mod power;
pub mod qci;
mod radio_link;
mod rates;
pub mod rlc;
mod rrc;
mod spatial;
pub mod testing;
mod tti;
mod tti_limit;
mod ue;

pub use air::{Channel, Link, MeanLink, OnAir, Sent, Transmission};
pub use bearer::Bearer;
pub use config::{
    Access, Activation, Allocation, BearerConfig, Cancellation, CellConfig, Combining, Control,
    DownlinkPlacement, DualConnectivity, Frequency, FullBuffer, HandoverSetup, HarqConfig,
    Knowledge, MultiUser, Occasions, Precedence, PrimaryPath, ProactiveGrants, QosFlow, RanConfig,
    RecordedLoad, Reports, SchedulerConfig, Secondary, Sharing, SplitBearer, Timing, UeCarrier,
    UeConfig, UplinkConfig,
};
pub use duplex::{Duplex, MAX_PATTERN, MAX_SPECIAL_SUBFRAME, Pattern, PatternError, SpecialSlot};
pub use mobility::{Mobility, MobilityConfig, MovingCarrier};
pub use network::{MovingNetwork, Network, NetworkLinks, NetworkUe, Panel};
pub use node::{Ran, RanError, Reach, Surveyed};
pub use radio_link::RadioLinkConfig;
pub use rrc::{Promotion, ResumeConfig, RrcConfig};
pub use spatial::Spatial;
pub use tti::Tti;
