//! The radio channel between base stations and UEs: geometry, path loss, antennas and
//! fading, as pure functions of link and slot.
//!
//! It sees nothing but `base`, so no scheduler can reach into it, and calibration uses the
//! code that the simulation uses.
//!
//! - [`fading`]: frequency-selective fading from a shared library, and the ratio of signal to
//!   interference that comes of it.
//! - [`precoding`]: what several ports of a base station bring.

pub mod fading;
pub mod precoding;
