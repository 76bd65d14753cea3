//! Real programs behind a simulated cell: what of the operating system that takes.
//!
//! [`os`] makes network namespaces with a TUN device each, starts programs in them and ends all
//! that it began. It is there on Linux only; [`available`] says so elsewhere.

#[cfg(target_os = "linux")]
pub mod against;
#[cfg(target_os = "linux")]
mod control;
#[cfg(target_os = "linux")]
mod emulation;
mod gate;
mod health;
#[cfg(target_os = "linux")]
pub mod os;
#[cfg(target_os = "linux")]
mod relay;
#[cfg(target_os = "linux")]
pub mod transfer;

#[cfg(target_os = "linux")]
pub use control::SOCKET;
#[cfg(target_os = "linux")]
pub use emulation::{Emulation, EmulationError, Ended, Programs, Watcher};
pub use gate::{Gate, Strangers};
pub use health::{DEADLINE, Lateness};
#[cfg(target_os = "linux")]
pub use relay::{Relay, RelayError};

/// Whether programs can be put behind a simulated cell on this platform.
///
/// # Errors
///
/// The reason why not, as a sentence for the user.
pub const fn available() -> Result<(), &'static str> {
    if cfg!(target_os = "linux") {
        Ok(())
    } else {
        Err("emulation needs network namespaces and TUN devices of Linux; \
             `airpath run` simulates on every platform")
    }
}
