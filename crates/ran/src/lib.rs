//! The radio access network: PDCP, RLC, MAC and PHY of cells and UEs.

pub mod pdcp;
pub mod phy;
pub mod qci;
pub mod rlc;
