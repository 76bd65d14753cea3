use super::*;
use airpath_base::NodeId;
use airpath_net::Probe;
use airpath_net::testing::Bench;
use std::net::Ipv4Addr;

fn config() -> RtpConfig {
    let end = |n| Endpoint::new(Ipv4Addr::new(10, 0, 0, n), 4000);
    RtpConfig::new(FlowId(1), end(1), end(2))
}

fn sent(config: RtpConfig, until: Time) -> Vec<(Time, Packet)> {
    let mut source = RtpSource::new(config).expect("options that work");
    let mut bench = Bench::new();
    let mut sent = Vec::new();
    while let Some(due) = source.next_wake().filter(|due| *due <= until) {
        source.wake(due, &mut bench.cx(due));
        sent.extend(bench.sent().into_iter().map(|(_, packet)| (due, packet)));
    }
    sent
}

#[test]
fn audio_at_50_packets_a_second() {
    let start = Time::from_millis(2005);
    let packets = sent(RtpConfig { start, packets: Some(3), ..config() }, Time::MAX);
    let times: Vec<u64> = packets.iter().map(|(t, _)| t.as_nanos() / 1_000_000).collect();
    assert_eq!(times, [2005, 2025, 2045]);
    let (_, last) = &packets[2];
    assert_eq!((last.size, last.number), (200, 2)); // 20 + 8 + 172
    let Payload::Rtp(rtp) = last.payload else { panic!("not RTP") };
    assert_eq!((rtp.seq, rtp.timestamp, rtp.payload_len), (2, 320, 160));
    assert!(!rtp.marker);
}

#[test]
fn no_packet_at_or_after_the_stop() {
    let stop = Some(Time::from_millis(60));
    assert_eq!(sent(RtpConfig { stop, ..config() }, Time::MAX).len(), 3);
}

#[test]
fn a_pause_leaves_packets_out_and_moves_none() {
    let mut source = RtpSource::new(RtpConfig { packets: Some(6), ..config() }).expect("one");
    let mut bench = Bench::new();
    let mut sent = Vec::new();
    let changes = [(45, false), (50, false), (100, true), (115, false), (118, true)];
    for (until, active) in changes.into_iter().chain([(999, true)]) {
        let until = Time::from_millis(until);
        while let Some(due) = source.next_wake().filter(|due| *due < until) {
            source.wake(due, &mut bench.cx(due));
        }
        source.change(until, &Change::Active(active), &mut bench.cx(until)).expect("a source");
    }
    for (_, packet) in bench.sent() {
        let Payload::Rtp(rtp) = packet.payload else { panic!("not RTP") };
        sent.push((packet.born().as_nanos() / 1_000_000, rtp.seq, rtp.timestamp / 160, rtp.marker));
    }
    // 60 and 80 ms are left out; what is due at 100 ms goes on, and is the first of a talkspurt.
    let expected = [(0, 0, 0), (20, 1, 1), (40, 2, 2), (100, 3, 5), (120, 4, 6), (140, 5, 7)];
    let marked = |(at, seq, stamp)| (at, seq, stamp, at == 0 || at == 100);
    assert_eq!(sent, expected.map(marked));
    let refused = source.change(Time::ZERO, &Change::Rate(None), &mut bench.cx(Time::ZERO));
    assert_eq!(refused.expect_err("a refusal").to_string(), "is a source of RTP");
}

#[test]
fn the_sink_takes_its_own_and_drops_the_rest() {
    let config = config();
    let mut sink = RtpSink::new(FlowId(1), config.remote, config.local);
    let mut other = RtpSink::new(FlowId(1), config.local, config.remote);
    let mut bench = Bench::new();
    for (_, packet) in sent(RtpConfig { packets: Some(2), ..config }, Time::MAX) {
        let node = if packet.number == 0 { &mut sink } else { &mut other };
        node.receive(Time::ZERO, NETWORK, packet, &mut bench.cx(Time::ZERO));
    }
    assert_eq!(bench.ledger().consumed.packets, 1);
    assert_eq!(bench.drops.0, [DropCause::Unexpected]);
}

/// Exchanges: times of packet and answer, in ms.
#[derive(Default)]
struct Answered(Vec<(u64, Option<u64>)>);

impl Probe for Answered {
    fn on(&mut self, _: Time, _: NodeId, event: &Event<'_>) {
        let Event::App(_, AppEvent::Exchange(exchange)) = event else { return };
        let ms = |at: Time| at.as_nanos() / 1_000_000;
        assert_eq!((exchange.request, exchange.response), (172, 60));
        self.0.push((ms(exchange.asked), exchange.done.map(ms)));
    }
}

#[test]
fn each_packet_that_arrives_is_answered() {
    let answer = Some(Answer { payload: 60, delay: Duration::from_millis(3), dscp: 46 });
    let config = RtpConfig { answer, packets: Some(3), ..config() };
    let mut source = RtpSource::new(config.clone()).expect("options that work");
    let mut sink = RtpSink::of(&config);
    let (mut bench, mut answered) = (Bench::new(), Answered::default());
    while let Some(due) = source.next_wake() {
        source.wake(due, &mut bench.cx(due));
        for (_, packet) in bench.sent().into_iter().filter(|(_, packet)| packet.number != 1) {
            // Three each way, and three to think; the second is lost.
            let arrival = due + Duration::from_millis(3);
            sink.receive(arrival, NETWORK, packet, &mut bench.cx(arrival));
            let leaves = sink.next_wake().expect("an answer");
            sink.wake(leaves, &mut bench.cx(leaves));
            let (_, packet) = bench.sent().swap_remove(0);
            assert_eq!((packet.size, packet.dscp, packet.leg), (88, 46, Leg::Feedback));
            let back = leaves + Duration::from_millis(3);
            source.receive(back, NETWORK, packet, &mut bench.cx_watched(back, &mut answered));
        }
    }
    let end = Time::from_millis(99);
    source.finish(end, &mut bench.cx_watched(end, &mut answered));
    assert_eq!(answered.0, [(0, Some(9)), (40, Some(49)), (20, None)]);
    let short = Some(Answer { payload: 11, delay: Duration::ZERO, dscp: 0 });
    let short = RtpConfig { answer: short, ..config };
    assert_eq!(RtpSource::new(short).err(), Some(RtpError::Payload));
}

#[test]
fn options_that_cannot_work_are_refused() {
    let short = RtpConfig { payload: 11, ..config() };
    assert_eq!(RtpSource::new(short).err(), Some(RtpError::Payload));
    let dense = RtpConfig { interval: Duration::ZERO, ..config() };
    assert_eq!(RtpSource::new(dense).err(), Some(RtpError::Interval));
}
