use airpath_base::{FlowId, NodeId};
use airpath_net::testing::Bench;
use airpath_net::{Event, Node as _, Payload, Probe};
use airpath_wire::Endpoint;
use core::net::Ipv4Addr;

use super::*;
use crate::{RtpConfig, RtpSource};

/// Packets: when, in ms, their bytes of IP, and RTP's timestamp.
#[derive(Default)]
struct Sent(Vec<(u64, u32, u32)>);

impl Probe for Sent {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        if let Event::Originated(packet) = event
            && let Payload::Rtp(rtp) = &packet.payload
        {
            self.0.push((now.as_nanos() / 1_000_000, packet.size, rtp.timestamp));
        }
    }
}

/// Twice as long and 100 bytes more from packet to packet, four times.
struct Slower(u32);

impl Pattern for Slower {
    fn next(&mut self, _: Time) -> Option<(Duration, u32)> {
        self.0 += 1;
        let wait = Duration::from_millis(10 << self.0);
        (self.0 <= 4).then_some((wait, 100 * self.0))
    }
}

#[test]
fn packets_leave_as_the_pattern_says() {
    let end = Endpoint::new(Ipv4Addr::LOCALHOST, 1);
    let config = RtpConfig { start: Time::from_millis(5), ..RtpConfig::new(FlowId(0), end, end) };
    let mut source =
        RtpSource::with_pattern(config, Box::new(Slower(0))).expect("options that work");
    let (mut bench, mut sent) = (Bench::new(), Sent::default());
    while let Some(due) = source.next_wake() {
        source.wake(due, &mut bench.cx_watched(due, &mut sent));
    }
    // 28 bytes of IP and UDP; a clock of 8 kHz.
    let expected =
        [(5, 200, 0), (25, 128, 160), (65, 228, 480), (145, 328, 1120), (305, 428, 2400)];
    assert_eq!(sent.0, expected);
}
