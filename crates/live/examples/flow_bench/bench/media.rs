//! One end of media over UDP, as a program of its own: RTP (RFC 3550, 5.1) at the times of its steps.

use std::env;
use std::io;
use std::net::UdpSocket;
use std::time::Duration;

use airpath_live::transfer::{Report, Step, Transfer};
use rustix::event::{Timespec, poll};
use rustix::time::{ClockId, clock_gettime};

/// Bytes of a packet's payload at most.
const MOST: u64 = 1_200;
/// Ticks of RTP's clock in a second.
const TICKS: u64 = 90_000;

/// Does what is ordered, and prints a report.
///
/// # Errors
///
/// If there is no socket, or the order is none.
pub fn run(order: &str) -> io::Result<()> {
    let order: Transfer = serde_json::from_str(order)?;
    let origin = env::var("AIRPATH_ORIGIN").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let now = || nanos(ClockId::Monotonic).saturating_sub(origin);
    let socket = UdpSocket::bind(order.local)?;
    socket.connect(order.remote)?;
    let mut report = Report { began: now(), ..Report::default() };
    report.origin_unix_ns = Some(nanos(ClockId::Realtime) - now());
    if order.sends {
        let (mut at, mut sequence) = (order.start, 0);
        for step in order.steps.iter().cycle() {
            wait(at.saturating_sub(now()));
            match step {
                Step::Write(bytes) => report.bytes += send(&socket, *bytes, at, &mut sequence),
                Step::Wait(nanos) => at += nanos,
                Step::Read(_) => {}
            }
            if at >= order.end {
                break;
            }
        }
    } else {
        socket.set_read_timeout(Some(Duration::from_millis(50)))?;
        let mut buffer = [0; 2_048];
        while now() < order.end {
            report.bytes += socket.recv(&mut buffer).unwrap_or(0) as u64;
        }
    }
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// Sends a picture, the last packet of which has the marker.
fn send(socket: &UdpSocket, bytes: u64, at: u64, sequence: &mut u16) -> u64 {
    let ticks = (at / 1_000 * TICKS / 1_000_000) as u32;
    let mut left = bytes;
    while left > 0 {
        let piece = left.min(MOST);
        left -= piece;
        let mut packet = vec![0x80, if left == 0 { 0xe0 } else { 0x60 }];
        packet.extend(sequence.to_be_bytes());
        packet.extend(ticks.to_be_bytes());
        packet.extend(0x6169_7270_u32.to_be_bytes());
        packet.resize(packet.len() + piece as usize, 0x5a);
        // A full buffer of the device loses it, as any network does.
        let _ = socket.send(&packet);
        *sequence = sequence.wrapping_add(1);
    }
    bytes
}

/// Waits so many nanoseconds.
fn wait(nanos: u64) {
    let [tv_sec, tv_nsec] = [nanos / 1_000_000_000, nanos % 1_000_000_000].map(|n| n as i64);
    // An interrupted wait only sends early.
    let _ = poll(&mut [], Some(&Timespec { tv_sec, tv_nsec }));
}

fn nanos(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
