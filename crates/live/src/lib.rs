//! Real programs behind a simulated cell.
//!
//! An [`Emulation`] starts programs in network namespaces ([`os`]), each with a TUN device. A
//! [`Relay`] reads and writes the devices by the clock. A [`Gate`], which knows no clock, brings
//! the packets into the world of a run and takes them out. [`against`] compares the kernel's TCP
//! with the simulated one.
//!
//! All of it but the gate is there on Linux only; [`available`] says so elsewhere.

#[cfg(target_os = "linux")]
pub mod against;
#[cfg(target_os = "linux")]
mod control;
#[cfg(target_os = "linux")]
mod emulation;
mod gate;
mod health;
#[cfg(target_os = "linux")]
mod hoard;
#[cfg(target_os = "linux")]
pub mod os;
#[cfg(target_os = "linux")]
mod relay;
#[cfg(target_os = "linux")]
mod stage;
#[cfg(target_os = "linux")]
pub mod transfer;

#[cfg(target_os = "linux")]
pub use control::SOCKET;
#[cfg(target_os = "linux")]
pub use emulation::{Emulation, EmulationError, Ended, Programs, Watcher};
pub use gate::{Gate, Strangers};
pub use health::{DEADLINE, Lateness, Outside};
#[cfg(target_os = "linux")]
pub use relay::{Relay, RelayError};

/// Checks that programs can be put behind a simulated cell on this platform.
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
