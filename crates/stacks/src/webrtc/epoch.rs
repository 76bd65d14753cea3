//! Zero of virtual time as an instant of str0m.
//!
//! str0m computes an RTT from NTP times (RFC 3611, 4.5), which have steps of 15 us. Its NACKs wait for that RTT. So the time
//! of day at time zero must have the same fraction in each run.
//!
//! - NTP time is a multiple of 2^16 s at time zero, the next one after the start of the process.
//! - The short form of NTP times is then zero.
//!
//! str0m shows its time of day in sender reports alone. A call in memory, once in a process, sends the first one.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

use airpath_base::random::Seed;
use airpath_wire::Endpoint;
use str0m::net::{Protocol, Receive};
use str0m::rtp::RawPacket;
use str0m::rtp::rtcp::Rtcp;
use str0m::{Event, Input, Output, Rtc};

use super::config::{Role, WebrtcConfig};
use super::session::{connect, socket};
use crate::random;

/// Seconds from 1900 to 1970 (RFC 868).
const TO_1970: Duration = Duration::from_secs(2_208_988_800);
/// Period of the short form of NTP times (RFC 5905, 6).
const PERIOD: Duration = Duration::from_secs(1 << 16);
/// Steps of the call in memory at most. Sender reports come each second.
const STEPS: u32 = 500;
const STEP: Duration = Duration::from_millis(20);

/// The instant of time zero; none if str0m does not show its time of day.
pub(super) fn zero() -> Option<Instant> {
    static ZERO: OnceLock<Option<Instant>> = OnceLock::new();
    *ZERO.get_or_init(|| {
        let mut draws = Some(Seed(0).stream("time of day"));
        let shown = random::with(&mut draws, || random::with_fastrand(&mut 1, time_of_day));
        let (instant, time) = shown?;
        let ntp = time.duration_since(SystemTime::UNIX_EPOCH).ok()? + TO_1970;
        let past = ntp.as_nanos() % PERIOD.as_nanos();
        let left = PERIOD - Duration::from_nanos(u64::try_from(past).ok()?);
        instant.checked_add(left)
    })
}

/// An instant, and the time of day that str0m takes it for. Two sender reports have to agree, as the first may have waited for
/// the handshake.
#[expect(clippy::disallowed_methods, reason = "the only way to get an instant")]
fn time_of_day() -> Option<(Instant, SystemTime)> {
    let start = Instant::now();
    let at = |octet| Endpoint::new(std::net::Ipv4Addr::new(192, 0, 2, octet), 9);
    let config = |role, local, remote| WebrtcConfig {
        role,
        local,
        remote,
        video: None,
        receives: true,
        end: None,
    };
    let configs = [config(Role::Client, at(1), at(2)), config(Role::Server, at(2), at(1))];
    let [client, server] = configs.each_ref().map(|own| connect(own, true, (None, 0.0), start));
    let mut ends = [client.ok()?, server.ok()?];
    let mut before: Option<(Instant, SystemTime)> = None;
    for now in (0..STEPS).map(|step| start + STEP * step) {
        for end in 0..2 {
            ends[end].handle_input(Input::Timeout(now)).ok()?;
            let (sent, time) = drain(&mut ends[end])?;
            if let Some(time) = time.filter(|_| end == 0) {
                let since = before.replace((now, time)).map(|(at, shown)| {
                    (Some(now.saturating_duration_since(at)), time.duration_since(shown).ok())
                });
                if since.is_some_and(|(real, shown)| real == shown) {
                    return Some((now, time));
                }
            }
            let (from, to) = (socket(configs[end].local), socket(configs[end].remote));
            for datagram in sent {
                let receive = Receive::new(Protocol::Udp, from, to, &datagram).ok()?;
                ends[1 - end].handle_input(Input::Receive(now, receive)).ok()?;
            }
        }
    }
    None
}

/// Takes all outputs: datagrams, and the time of day of a sender report.
fn drain(end: &mut Rtc) -> Option<(Vec<Vec<u8>>, Option<SystemTime>)> {
    let (mut sent, mut shown) = (Vec::new(), None);
    loop {
        match end.poll_output().ok()? {
            Output::Timeout(_) => return Some((sent, shown)),
            Output::Transmit(datagram) => sent.push(datagram.contents.into()),
            Output::Event(Event::RawPacket(packet)) => {
                if let RawPacket::RtcpTx(Rtcp::SenderReport(report)) = *packet {
                    shown = Some(report.sender_info.ntp_time);
                }
            }
            Output::Event(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_one_instant_and_to_come() {
        let first = zero().expect("a time of day");
        assert_eq!(zero(), Some(first));
        let mut draws = Some(Seed(3).stream("another"));
        let shown = random::with(&mut draws, || random::with_fastrand(&mut 2, time_of_day));
        let (instant, time) = shown.expect("a time of day");
        // Another call shows the same time of day: zero is a whole number of periods of NTP time.
        let unix = time.duration_since(SystemTime::UNIX_EPOCH).expect("a time after 1970");
        let ntp = unix + first.duration_since(instant) + TO_1970;
        assert_eq!(ntp.as_nanos() % PERIOD.as_nanos(), 0);
        assert!(first.duration_since(instant) <= PERIOD);
    }
}
