//! A TUN device: packets that programs send are read from it, what is written to it arrives.
//!
//! It has no offload (`TUNSETOFFLOAD` is not called), so the kernel segments and completes
//! checksums before a packet is read. Source: Documentation/networking/tuntap.rst of Linux.

use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, open};
use rustix::io;
use rustix::ioctl::{self, Opcode, Updater, ioctl};

/// Its name in every namespace.
pub(super) const NAME: &str = "airpath0";

/// Packets that wait in it to be read.
///
/// Packets must be lost in the simulated queues, not here, however many a program sends at once.
/// The limit is 15 MB in packets of 1500 bytes, more than the largest window of Linux by default (6
/// MB), or 120 ms at 1 Gbit/s. It is no buffer of the emulated path, as its reader empties it at
/// once.
pub(super) const QUEUE: u32 = 10_000;

/// `TUNSETIFF`.
const SET: Opcode = ioctl::opcode::write::<libc::c_int>(b'T', 202);

/// `struct ifreq`, of which the name and the flags are used.
#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    flags: libc::c_short,
    rest: [u8; 22],
}

/// Opens what TUN devices are made of.
pub(super) fn clone_device() -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NONBLOCK;
    open(c"/dev/net/tun", flags, Mode::empty())
}

/// Makes the device in the namespace of the caller. It is there until `device` is closed.
#[expect(unsafe_code, reason = "the standard library has no ioctl")]
pub(super) fn make(device: &OwnedFd) -> io::Result<()> {
    let mut name = [0; libc::IFNAMSIZ];
    name[..NAME.len()].copy_from_slice(NAME.as_bytes());
    let flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    let mut request = Request { name, flags, rest: [0; 22] };
    // SAFETY: the kernel reads and writes a `struct ifreq` of 40 bytes at most, which `Request`
    // has with the same layout.
    unsafe { ioctl(device, Updater::<SET, Request>::new(&mut request)) }
}
