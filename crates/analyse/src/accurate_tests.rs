use airpath_wire::{Ecn, SeqNumber, TcpRepr};

use super::*;
use crate::testing::{Capture, From, seg};

fn told(syn: Option<u8>, answer: Option<u8>) -> Option<EcnHandshake> {
    let mut flags = Flags::default();
    let with = |flags: TcpFlags, ace: u8| flags.with_ace(ace);
    syn.into_iter().for_each(|ace| flags.segment(with(TcpFlags::SYN, ace)));
    let both = TcpFlags::SYN.with(TcpFlags::ACK);
    answer.into_iter().for_each(|ace| flags.segment(with(both, ace)));
    flags.told()
}

#[test]
fn what_is_agreed_goes_by_the_table_of_the_standard() {
    use EcnFeedback::{Accurate, Broken, Classic, None as No};
    let cases = [
        (0b111, 0b010, Accurate, Accurate),
        (0b111, 0b011, Accurate, Accurate),
        (0b111, 0b100, Accurate, Accurate),
        (0b111, 0b110, Accurate, Accurate),
        (0b111, 0b001, Accurate, Classic),
        (0b111, 0b101, Accurate, Classic),
        (0b111, 0b000, Accurate, No),
        (0b111, 0b111, Accurate, Broken),
        (0b011, 0b001, Classic, Classic),
        (0b011, 0b011, Classic, Broken),
        (0b011, 0b000, Classic, No),
        (0b000, 0b000, No, No),
        (0b000, 0b001, No, Broken),
        (0b001, 0b000, Broken, No),
    ];
    for (syn, answer, asked, answered) in cases {
        let expected = EcnHandshake { asked: Some(asked), answered: Some(answered) };
        assert_eq!(told(Some(syn), Some(answer)), Some(expected), "{syn:03b} {answer:03b}");
    }
    assert_eq!(told(None, None), None);
    let half = EcnHandshake { asked: None, answered: Some(Accurate) };
    assert_eq!(told(None, Some(0b010)), Some(half));
}

#[test]
fn the_counter_goes_round_and_begins_at_five() {
    let mut reports = Reports::new(false);
    for ace in [5, 5, 6, 0, 0, 3] {
        reports.segment(TcpFlags::ACK.with_ace(ace), 0);
    }
    assert_eq!(reports.told().ce_packets, 6);
    let mut client = Reports::new(true);
    client.segment(TcpFlags::ACK.with_ace(0b010), 0);
    client.segment(TcpFlags::ACK.with_ace(6), 0);
    assert_eq!(client.told().ce_packets, 1);
}

#[test]
fn counters_of_bytes_are_unwrapped() {
    let mut reports = Reports::new(false);
    let option = |ect1: u32, ce: u32| {
        let [ect1, ce] = [ect1, ce].map(u32::to_be_bytes);
        [&[174, 8], &ect1[1..], &ce[1..]].concat()
    };
    for (ect1, ce) in [(1, 0), (7_000_001, 500), (14_000_001, 500), (13_900_000, 400), (2, 600)] {
        reports.options(&option(ect1, ce), 0);
    }
    let told = reports.told();
    assert_eq!((told.option_segments, told.ect0_bytes, told.ce_bytes), (5, None, Some(600)));
    assert_eq!(told.ect1_bytes, Some((1 << 24) + 1));
}

#[test]
fn marked_bytes_tell_how_often_the_counter_went_round() {
    // 15 marked segments of 1448 bytes reported at once: the bits show 7 (RFC 9768, A.2.2); then 3.
    let option = |ce: u32| [&[174, 8, 0, 0, 1], &ce.to_be_bytes()[1..]].concat();
    let mut reports = Reports::new(false);
    for (ace, ce) in [(5 + 15, 15 * 1448), (5 + 18, 18 * 1448)] {
        reports.segment(TcpFlags::ACK.with_ace(ace), 0);
        reports.options(&option(ce), 1460);
    }
    assert_eq!(reports.told().ce_packets, 18);
}

/// A server that marks nothing of its own, a client that reports marks.
fn accurate() -> Capture {
    let mut capture = Capture::new();
    let syn = TcpRepr { window: 1000, window_scale: Some(2), ..seg(0, 0, 0) };
    capture.tcp(0, From::Client, &TcpRepr { flags: TcpFlags::SYN.with_ace(7), ..syn });
    let flags = TcpFlags::SYN.with(TcpFlags::ACK).with_ace(0b010);
    capture.tcp(20_000, From::Server, &TcpRepr { flags, ack: SeqNumber(1), ..syn });
    let ack = |at: u32, ace: u8| TcpRepr { flags: TcpFlags::ACK.with_ace(ace), ..seg(1, at, 0) };
    capture.tcp(50_000, From::Client, &ack(1, 0b010));
    capture.ecn = Ecn::Ect1;
    for n in 0..4 {
        let flags = TcpFlags::ACK.with_ace(5);
        let at = 60_000 + 100_000 * u64::from(n);
        capture.tcp(at, From::Server, &TcpRepr { flags, ..seg(1 + 1000 * n, 1, 1000) });
        capture.tcp(at + 30_000, From::Client, &ack(1001 + 1000 * n, [5, 7, 0, 1][n as usize]));
    }
    capture
}

#[test]
fn a_connection_tells_what_its_ends_agreed_on_and_reported() {
    let flow = accurate().flow();
    let both = Some(EcnFeedback::Accurate);
    assert_eq!(flow.ecn, Some(EcnHandshake { asked: both, answered: both }));
    assert_eq!(flow.up.ecn_reports.map(|reports| reports.ce_packets), Some(4));
    assert_eq!(flow.down.ecn_reports, Some(EcnReports::default()));
    assert_eq!(flow.down.ect1_packets, 4);
}

#[test]
fn an_old_acknowledgement_reports_nothing() {
    let mut capture = accurate();
    let flags = TcpFlags::ACK.with_ace(5);
    capture.tcp(500_000, From::Client, &TcpRepr { flags, ..seg(1, 1001, 0) });
    assert_eq!(capture.flow().up.ecn_reports.map(|reports| reports.ce_packets), Some(4));
}

#[test]
fn code_points_of_a_direction_are_told_with_their_changes() {
    let flow = accurate().flow();
    let of = |direction: &crate::Direction| -> Vec<(u8, u64)> {
        direction.dscp.iter().map(|count| (count.dscp, count.packets)).collect()
    };
    assert_eq!((of(&flow.up), flow.up.dscp_changes), (vec![(0, 6)], 0));
    let mut capture = Capture::new();
    for (n, dscp) in [46, 46, 0, 46].into_iter().enumerate() {
        capture.dscp = dscp;
        capture.tcp(10_000 * n as u64, From::Server, &seg(1 + 100 * n as u32, 1, 100));
    }
    let flow = capture.flow();
    assert_eq!((of(&flow.down), flow.down.dscp_changes), (vec![(46, 3), (0, 1)], 2));
    assert!(flow.up.dscp.is_empty());
}

/// A pure ACK of the client's with the option, as bytes of IP.
fn with_option(ack: u32, ace: u8, counters: [u32; 3]) -> Vec<u8> {
    let flags = TcpFlags::ACK.with_ace(ace).0.to_be_bytes();
    let ports = [0x9c, 0x40, 0x01, 0xbb];
    let ip =
        [&[0x45, 0, 0, 52, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1][..], &[192, 0, 2, 1]].concat();
    let numbers = [1_u32.to_be_bytes(), ack.to_be_bytes()];
    let rest = [8 << 4 | flags[0], flags[1], 3, 232, 0, 0, 0, 0];
    let fields: Vec<u8> = counters.iter().flat_map(|n| n.to_be_bytes()[1..].to_vec()).collect();
    [&ip, &ports[..], numbers.as_flattened(), &rest, &[172, 11], &fields, &[1]].concat()
}

#[test]
fn the_option_is_read_from_captured_packets() {
    let mut capture = accurate();
    let bytes = with_option(4001, 1, [1, 2000, 2001]);
    capture.frame(600_000, &bytes, bytes.len() as u32);
    let reports = capture.flow().up.ecn_reports.unwrap();
    assert_eq!((reports.ce_packets, reports.option_segments), (4, 1));
    let bytes = [reports.ect0_bytes, reports.ce_bytes, reports.ect1_bytes];
    assert_eq!(bytes, [Some(0), Some(2000), Some(2000)]);
}
