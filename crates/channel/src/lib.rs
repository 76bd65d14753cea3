//! The radio channel between base stations and UEs: geometry, path loss, antennas and
//! fading, as pure functions of link and slot.
//!
//! It sees nothing but `base`, so no scheduler can reach into it, and calibration uses the
//! code that the simulation uses.
