use airpath_wire::{SeqNumber, TcpFlags, TcpRepr};

use crate::testing::From::{Client, Server};
use crate::testing::{Capture, analyse, seg};
use crate::{Direction, Options};

const MS: u64 = 1000;

/// Notes of a direction: kind, number, and numbers of packets.
fn notes(way: &Direction) -> Vec<(&'static str, u64, Vec<u64>)> {
    way.notes.iter().map(|note| (note.kind.name(), note.count, note.packets.clone())).collect()
}

/// Up and down, with at most so many packets of each kind.
fn noted(capture: Capture, most: usize) -> [Direction; 2] {
    let (mut flows, _) = analyse(&capture.bytes(), Options { notes: most, ..Options::default() });
    let flow = flows.remove(0);
    [flow.up, flow.down]
}

#[test]
fn losses_have_the_notes_and_packet_numbers_of_wireshark() {
    // By the rules of tshark 4.0.17 (tcp.analysis.*); frames 1 to 3 are the handshake.
    let mut capture = Capture::new();
    capture.handshake();
    let server = |capture: &mut Capture, at: u64, n: u32| {
        capture.tcp(at * MS, Server, &seg(1 + 1000 * n, 1, 1000));
    };
    server(&mut capture, 60, 0); // 4
    server(&mut capture, 62, 2); // 5: lost_segment
    server(&mut capture, 63, 1); // 6: out_of_order
    capture.tcp(90 * MS, Client, &seg(1, 3001, 0)); // 7
    server(&mut capture, 91, 3); // 8
    server(&mut capture, 92, 4); // 9
    (0..3).for_each(|n| capture.tcp((120 + n) * MS, Client, &seg(1, 3001, 0))); // 10 to 12: duplicate_ack
    server(&mut capture, 123, 3); // 13: fast_retransmission
    server(&mut capture, 450, 3); // 14: retransmission
    capture.tcp(480 * MS, Client, &seg(1, 5001, 0)); // 15
    server(&mut capture, 481, 4); // 16: spurious_retransmission
    capture.tcp(500 * MS, Client, &seg(1, 6001, 0)); // 17: ack_lost_segment
    let [up, down] = noted(capture, 2);
    assert_eq!(
        notes(&down),
        [
            ("retransmission", 1, vec![14]),
            ("fast_retransmission", 1, vec![13]),
            ("spurious_retransmission", 1, vec![16]),
            ("out_of_order", 1, vec![6]),
            ("previous_segment_not_captured", 1, vec![5]),
        ]
    );
    // The third duplicate ACK counts, and its number is not kept.
    assert_eq!(
        notes(&up),
        [("acked_unseen_segment", 1, vec![17]), ("duplicate_ack", 3, vec![10, 11])]
    );
}

#[test]
fn windows_and_keep_alives_have_notes() {
    let mut capture = Capture::new();
    capture.handshake();
    let client = |capture: &mut Capture, at: u64, window: u16| {
        capture.tcp(at * MS, Client, &TcpRepr { window, ..seg(1, 4001, 0) });
    };
    capture.tcp(60 * MS, Server, &seg(1, 1, 4000)); // 4: window_full
    client(&mut capture, 90, 0); // 5: zero_window
    capture.tcp(300 * MS, Server, &seg(4001, 1, 1)); // 6: zero_window_probe
    client(&mut capture, 330, 0); // 7: zero_window, zero_window_probe_ack
    client(&mut capture, 400, 1000); // 8: window_update
    capture.tcp(9_000 * MS, Server, &seg(4000, 1, 1)); // 9: keep_alive
    client(&mut capture, 9_030, 1000); // 10: keep_alive_ack
    let [up, down] = noted(capture, 8);
    assert_eq!(
        notes(&down),
        [
            ("window_full", 1, vec![4]),
            ("zero_window_probe", 1, vec![6]),
            ("keep_alive", 1, vec![9])
        ]
    );
    assert_eq!(
        notes(&up),
        [
            ("zero_window", 2, vec![5, 7]),
            ("window_update", 1, vec![8]),
            ("zero_window_probe_ack", 1, vec![7]),
            ("keep_alive_ack", 1, vec![10]),
        ]
    );
}

#[test]
fn a_copy_is_no_other_note_and_without_the_option_there_are_none() {
    let capture = || {
        let mut capture = Capture::new();
        capture.handshake();
        capture.ident = 7;
        (0..2).for_each(|n| capture.tcp(60 * MS + n, Server, &seg(1, 1, 1000)));
        let reset = TcpRepr { flags: TcpFlags::RST, ..seg(9000, 1, 0) };
        capture.tcp(70 * MS, Server, &TcpRepr { ack: SeqNumber(0), ..reset });
        capture
    };
    let [up, down] = noted(capture(), 8);
    assert_eq!((notes(&up), notes(&down)), (vec![], vec![("copy", 1, vec![5])]));
    assert_eq!(noted(capture(), 0)[1].notes, []);
}
