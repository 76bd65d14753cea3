//! Frequency-selective fading, from a shared library of realisations.
//!
//! The channel from a base station's ports to a UE's antennas is a tapped delay line of TR 38.901
//! ([`Profile`]) with the Doppler spectrum of Clarke. It is independent for each port or has the
//! correlation of TS 36.101. Antennas of a UE combine with maximum ratio. A channel for each link and slot would cost more than all else in a
//! network. A [`Library`] therefore holds power gains for each resource block and step of a
//! periodic time axis, small enough for the processor's cache. Each link reads a library from an
//! offset that follows from the link's key. Fading is thus a pure function of link and time. No
//! state evolves, order does not matter, and one more link leaves the fading of all others as it
//! is.
//!
//! - A step is held for a hundredth of a period of the largest Doppler shift, in whole slots
//!   ([`LibraryConfig::hold_cycles`]). What that costs is in `docs/models.md`.
//! - The time axis is a sum of sinusoids at harmonics of its length: it closes without a
//!   seam, and its autocorrelation is that of Clarke's model.
//! - UEs whose speed changes go on along the axis with the way ([`Travelled`]). At high speed several [`Readings`] of a slot
//!   are averaged. Their fading never repeats. At the end of the axis, after 20 periods of the Doppler shift or more, a link
//!   jumps to another point. Each link jumps at a time of its own, so of the links of a UE seldom two at once. Power keeps
//!   its distribution. Reports from before a jump are wrong for as long as they are late.
//! - The gains *matched* are those of the serving base station's precoded signal; the gains
//!   *unmatched* those of signals for other UEs ([`precoding`](crate::precoding)). Both have
//!   the units of a factor of power, and unmatched ones a mean of exactly 1 in each resource
//!   block.
//! - [`sinr`] puts them together, [`layer_ratios`] for several layers.
//!
//! ```
//! use airpath_base::random::Seed;
//! use airpath_base::{CellId, Direction, Duration, Time};
//! use airpath_channel::fading::{
//!     Interferer, Library, LibraryConfig, Profile, SCATTERERS_KMH, Signal, doppler_hz,
//!     sinr, spread_power,
//! };
//! use airpath_channel::precoding::{Codebook, Feedback, Precoding};
//!
//! // Users who sit still, 50 resource blocks of LTE at 2 GHz, four ports.
//! let feedback = Feedback {
//!     delay: Duration::from_millis(6),
//!     period: Duration::from_millis(5),
//!     subband: None,
//! };
//! let precoding = Precoding::ClosedLoop { codebook: Codebook::FourPorts, feedback };
//! let shift = doppler_hz(0.0, SCATTERERS_KMH, 2e9);
//! let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(363), shift);
//! let library = Library::new(&config.on(50, 0, precoding), Seed(1))?;
//!
//! // UE 0 is served by cell 0; cell 1 disturbs in its first ten resource blocks.
//! let serving = library.link(0, CellId(0), Direction::Downlink);
//! let other = library.link(0, CellId(1), Direction::Downlink);
//! let mut power = [[0.0; 8]; 7];
//! spread_power(&[(1 << 10) - 1], 800.0, power.as_flattened_mut());
//!
//! let step = library.step(Time::from_millis(1200));
//! let signal = Signal { power: 4e-9, fading: [library.matched(serving, step)] };
//! let fading = library.unmatched(other, step);
//! let disturbing = [Interferer { gain: 1e-12, less: 0.0, fading: [fading], power: &power }];
//! let mut ratios = [[2e-11; 8]; 7]; // noise
//! sinr(signal, &disturbing, (1 << 7) - 1, &mut ratios);
//! assert!(ratios.as_flattened()[..50].iter().all(|&ratio| ratio > 0.0));
//! # Ok::<(), airpath_channel::fading::FadingError>(())
//! ```
//!
//! Left out: variation within a resource block and within a step (inter-carrier interference too),
//! and correlation of what disturbs several antennas of a UE. Delay spreads and K-factors are equal for all links of a
//! library, and links are uncorrelated.
//!
//! Sources: TR 38.901, 7.7; TS 36.101, B.2; Clarke, 1968; Jakes, 1974.

mod antennas;
mod build;
mod config;
mod doppler;
mod fourier;
mod groups;
mod interference;
mod layers;
mod library;
mod panel;
mod profile;
mod readings;
mod rejection;
mod spread;
mod synthesis;
mod travelled;

#[cfg(test)]
mod layers_tests;
#[cfg(test)]
mod library_tests;
#[cfg(test)]
mod panel_tests;
#[cfg(test)]
mod receivers_tests;
#[cfg(test)]
mod rejection_tests;
#[cfg(test)]
mod synthesis_tests;

pub use config::{FadingError, LibraryConfig};
pub use doppler::{SCATTERERS_KMH, doppler_hz};
pub use interference::{
    Eight, Interferer, Signal, disturb, disturb_besides, disturb_evenly, precode, set_bits, sinr,
    spread_power,
};
pub use layers::layer_ratios;
pub use library::{Library, Link, Step};
pub use profile::{Profile, Tap};
pub use readings::Readings;
pub use rejection::Covariance;
pub(crate) use rejection::white_ratio;
pub use spread::{NamedSpread, typical_delay_spread, typical_profile};
pub use travelled::Travelled;
