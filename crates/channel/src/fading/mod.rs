//! Frequency-selective fading, from a shared library of realisations.
//!
//! The channel from a base station's ports to a UE's antenna is a tapped delay line of
//! TR 38.901 ([`Profile`]), with the Doppler spectrum of Clarke, independent for each port or
//! with the correlation of TS 36.101. To compute it for each link and slot would cost more
//! than all else in a network. So a [`Library`] holds its power gain for each resource block
//! and step of a periodic time axis, small enough for the processor's cache, and each link
//! reads it from a place of its own, which follows from the link's key. Fading is thus a pure
//! function of link and time: no state evolves, order does not matter, and one more link
//! moves nobody else's.
//!
//! - A step is held for a hundredth of a period of the largest Doppler shift, in whole slots
//!   ([`LibraryConfig::hold_cycles`]). What that costs is in `docs/models.md`.
//! - The time axis is a sum of sinusoids at harmonics of its length: it closes without a
//!   seam, and its autocorrelation is that of Clarke's model.
//! - The gains *matched* are those of the serving base station's precoded signal; the gains
//!   *unmatched* those of signals for other UEs ([`precoding`](crate::precoding)). Both have
//!   the units of a factor of power, and unmatched ones a mean of exactly 1 in each resource
//!   block.
//! - [`sinr`] puts them together.
//!
//! Left out: variation within a resource block and within a step (inter-carrier interference
//! too); more than one antenna at the UE; delay spreads and K-factors that differ from link to
//! link within a library; correlation between links.
//!
//! Sources: TR 38.901, 7.7; TS 36.101, B.2; Clarke, 1968; Jakes, 1974.

mod build;
mod config;
mod doppler;
mod fourier;
mod interference;
mod library;
mod profile;
mod spread;
mod synthesis;

#[cfg(test)]
mod library_tests;
#[cfg(test)]
mod synthesis_tests;

pub use config::{FadingError, LibraryConfig};
pub use doppler::{SCATTERERS_KMH, doppler_hz};
pub use interference::{Interferer, Signal, sinr, spread_power};
pub use library::{Library, Link, Step};
pub use profile::{Profile, Tap};
pub use spread::{NamedSpread, typical_delay_spread, typical_profile};
