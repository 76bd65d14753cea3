use airpath_base::{Bytes, Duration, Time};
use airpath_wire::TcpFlags;

use super::super::harness::{CLIENT, Fate, SERVER, World};
use super::super::{ConnectionEvent, Segment, TcpConfig};

const HALF: Duration = Duration::from_millis(20);

fn config() -> TcpConfig {
    TcpConfig {
        segment: Some(Bytes(1000)),
        min_rto: Duration::from_millis(200),
        ..TcpConfig::default()
    }
}

#[test]
fn nothing_is_delivered_until_it_is_read() {
    let server = TcpConfig { receive_buffer: Bytes(10_000), reads_itself: true, ..config() };
    let mut world = World::new(config(), server, |_, _| vec![HALF]);
    world.ends[CLIENT].write(30_000);
    world.run_until(Time::from_millis(1000));
    assert_eq!((world.delivered[SERVER], world.ends[SERVER].readable()), (0, 10_000));
    assert_eq!(world.ends[SERVER].read(4000), 4000);
    world.now = Time::from_millis(1000);
    world.run_until(Time::from_millis(1900));
    // The bytes that were read have been made up for: the buffer is full again.
    assert_eq!((world.delivered[SERVER], world.ends[SERVER].readable()), (4000, 10_000));
    assert_eq!(world.ends[SERVER].read(u64::MAX), 10_000);
}

#[test]
fn a_reader_that_stops_closes_the_window_and_the_peer_knows_when_it_opens() {
    let server = TcpConfig { receive_buffer: Bytes(10_000), reads_itself: true, ..config() };
    let mut world = World::new(config(), server, |_, _| vec![HALF]);
    world.keep = true;
    world.ends[CLIENT].write(30_000);
    world.ends[CLIENT].close();
    world.ends[SERVER].close();
    world.run_until(Time::from_millis(150));
    let full = |s: &(Time, Segment)| s.1.repr.window == 0;
    assert!(world.sent[SERVER].iter().any(full));
    while world.delivered[SERVER] < 30_000 {
        world.ends[SERVER].read(u64::MAX);
        world.flush(SERVER);
        assert!(world.step(Time::from_millis(20_000)));
    }
    world.run_until(Time::from_millis(20_000));
    assert!(world.ends[SERVER].is_closed() && world.ends[CLIENT].is_closed());
}

/// Data of the client on its way when it gives up; whether the path loses them.
fn abandoned(lossy: bool) -> World<impl FnMut(usize, &Segment) -> Fate> {
    let lost = move |from: usize, s: &Segment| lossy && from == CLIENT && s.repr.payload_len > 0;
    let mut world =
        World::new(config(), config(), move |n, s| if lost(n, s) { vec![] } else { vec![HALF] });
    world.keep = true;
    world.ends[CLIENT].write(5_000);
    world.ends[SERVER].write(50_000);
    world.run_until(Time::from_millis(50));
    world.ends[CLIENT].abort(world.now);
    world.run_until(Time::from_millis(5_000));
    world
}

#[test]
fn a_reset_reaches_the_peer_even_if_data_before_it_are_lost() {
    for lossy in [false, true] {
        let world = abandoned(lossy);
        assert!(world.events[SERVER].contains(&ConnectionEvent::Failed), "{lossy}");
        assert!(!world.events[CLIENT].contains(&ConnectionEvent::Failed));
        assert!(!world.ends[SERVER].is_established());
        let last = world.sent[CLIENT].last().expect("segments").1;
        assert!(last.repr.flags.contains(TcpFlags::RST));
        assert_eq!(world.ends.iter().filter_map(|end| end.poll_timeout()).count(), 0);
    }
}

#[test]
fn who_was_never_connected_resets_nobody() {
    let mut world = World::new(config(), config(), |_, _| vec![]);
    world.keep = true;
    world.flush(CLIENT);
    world.ends[CLIENT].abort(world.now);
    world.run_until(Time::from_millis(5_000));
    assert_eq!(world.sent[CLIENT].len(), 1);
}
