//! The physical layer for the layers above: size of a transport block, its error probability at a
//! SINR, the MCS for a channel, link budgets.
//!
//! Everything here is a function of its arguments: no state, no allocation. Waveforms
//! are left out; link-level results stand for them (mutual information effective SINR
//! mapping, L. Wan et al., "A fading-insensitive performance metric for a unified link quality
//! model", WCNC 2006). [`Technology`] has the tables of LTE, here, and those of NR ([`nr`]).
//! LTE: normal cyclic prefix; 256QAM and several layers downlink only.

mod adaptation;
mod budget;
pub mod category;
mod codewords;
mod control;
mod error;
mod format;
mod grid;
mod levels;
mod mutual;
pub mod nr;
mod power;
mod resources;
pub mod tables;
mod technology;
mod transmission;

pub use adaptation::LinkAdaptation;
pub use budget::{LinkBudget, PathLossModel, path_loss};
pub(crate) use codewords::{Codeword, STREAMS, stream};
pub use control::{
    MOST_ELEMENTS_LTE, MOST_ELEMENTS_NR, control_elements_lte, control_elements_nr, grant_elements,
    grant_missed,
};
pub use error::block_error;
pub use format::Format;
pub(crate) use format::LAST_CQI;
pub(crate) use levels::{Capacity, Levels};
#[cfg(test)]
pub(crate) use mutual::effective_sinr;
pub use power::PowerControl;
pub use resources::{ReferenceSignals, Resources};
pub use technology::{McsTable, Technology};
pub use transmission::TransmissionMode;
