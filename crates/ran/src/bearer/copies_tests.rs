//! A split bearer with duplication without cells: copies that are lost, needless or withdrawn.

use airpath_base::random::Seed;
use airpath_base::{BearerId, Duration, Time};
use airpath_net::testing::Bench;
use airpath_net::{Held, Packet};

use super::super::Bearer;
use crate::pdcp::CopyNews;
use crate::rlc::testing::{DOWN, config, packet};
use crate::rlc::{self, Mode, am, nr};

/// Host and leg.
struct Pair {
    both: [Bearer; 2],
    bench: Bench,
    delivered: Vec<u64>,
}

impl Pair {
    fn new(mode: Mode) -> Pair {
        let config = config(mode);
        let rlc = rlc::Config { mode, ..config.rlc };
        let mut host = Bearer::new(BearerId(0), config, true);
        host.host([true; 2]);
        host.begin_copying();
        let leg = Bearer::leg(BearerId(0), &config, (rlc, [true; 2]), true);
        Pair { both: [host, leg], bench: Bench::new(), delivered: Vec::new() }
    }

    fn am() -> Pair {
        Pair::new(Mode::NrAm(am::Config::default(), nr::SnLength::Eighteen))
    }

    /// A packet of 100 bytes comes.
    fn offer(&mut self, number: u64, now: Time) {
        self.both[0].enqueue(DOWN, now, packet(number, 100, now), 0, &mut self.bench.cx(now));
    }

    /// The leg gets what it has not got, of this many bytes.
    fn share(&mut self, now: Time, most: u64) {
        let (handed, _) = self.both[0].hand_over((DOWN, now), most, &mut self.bench.cx(now));
        for packet in handed {
            self.both[1].accept((DOWN, now), packet, &mut self.bench.cx(now));
        }
    }

    /// The next PDU of a path comes or is lost. Gives its bytes, 0 without one.
    fn carry(&mut self, path: usize, now: Time, comes: bool) -> u32 {
        let cx = &mut self.bench.cx(now);
        let delivered = &mut self.delivered;
        let mut out = |_, packet: Packet| delivered.push(packet.number);
        let [host, leg] = &mut self.both;
        let own = if path == 0 { &mut *host } else { &mut *leg };
        let Some(pdu) = own.build(DOWN, now, 110, cx) else { return 0 };
        let size = pdu.size;
        match comes {
            true => own.receive(DOWN, now, pdu, now, cx, &mut out),
            false => own.lost(DOWN, now, pdu, now, cx),
        }
        for (way, count, packet) in leg.take_handed_up() {
            host.receive_from_leg((way, now), (count, packet), cx, &mut out);
        }
        for (count, packet, cause) in leg.take_lost(DOWN) {
            host.lose_copy(DOWN, (count, packet), cause, cx);
        }
        size
    }

    /// A status report of a path comes to its transmitter.
    fn acknowledge(&mut self, path: usize, now: Time) {
        let cx = &mut self.bench.cx(now);
        let own = &mut self.both[path];
        let way = airpath_net::Direction::Uplink;
        let report = own.build(way, now, 100, cx).expect("a status report");
        own.receive(way, now, report, now, cx, &mut |_, _| ());
    }

    /// Packets in both, each once.
    fn held(&self) -> u64 {
        let all = self.both.iter().map(Bearer::held).fold(Held::default(), Held::plus);
        all.packets - self.both[0].surplus().packets
    }

    fn news(&mut self) -> CopyNews {
        self.both[0].pdcp.sender_mut(DOWN).take_copy_news()
    }
}

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

#[test]
fn over_independent_losses_the_loss_is_their_product() {
    const PACKETS: u64 = 20_000;
    let mut pair = Pair::new(Mode::NrUm(nr::um::Config::default()));
    let mut draws = Seed(7).stream("losses");
    let (losses, mut alone) = ([0.2, 0.1], [0_u64; 2]);
    for number in 0..PACKETS {
        let now = ms(number);
        pair.offer(number, now);
        // Either path may be the first.
        for path in if number % 2 == 0 { [0, 1] } else { [1, 0] } {
            if path == 1 {
                pair.share(now, 1);
            }
            let comes = draws.uniform() >= losses[path];
            alone[path] += u64::from(!comes);
            assert!(pair.carry(path, now, comes) > 100);
        }
        let [host, _] = &mut pair.both;
        let delivered = &mut pair.delivered;
        host.wake(now, &mut pair.bench.cx(now), &mut |_, packet| delivered.push(packet.number));
        assert_eq!(
            pair.delivered.len() as u64 + pair.bench.drops.0.len() as u64 + pair.held(),
            number + 1
        );
    }
    let end = ms(PACKETS + 1_000);
    let delivered = &mut pair.delivered;
    pair.both[0].wake(end, &mut pair.bench.cx(end), &mut |_, packet| delivered.push(packet.number));
    // In order and none twice.
    assert!(pair.delivered.is_sorted_by(|one, next| one < next));
    assert_eq!(pair.held(), 0);
    let lost = PACKETS - pair.delivered.len() as u64;
    assert_eq!(pair.bench.drops.0.len() as u64, lost);
    // Binomial, four standard deviations: 400 of 2 %, 4000 of 20 %, 2000 of 10 %.
    let close = |count: u64, p: f64| {
        let (mean, n) = (p * PACKETS as f64, PACKETS as f64);
        (count as f64 - mean).abs() < 4.0 * (n * p * (1.0 - p)).sqrt()
    };
    assert!(close(lost, 0.02) && close(alone[0], 0.2) && close(alone[1], 0.1), "{lost} {alone:?}");
    // Each packet has a copy. Where both came, one was needless.
    let needless = PACKETS - alone[0] - alone[1] + lost;
    assert_eq!(pair.news(), CopyNews { made: PACKETS, withdrawn: 0, needless });
}

#[test]
fn a_confirmed_packet_is_withdrawn_from_the_other_path() {
    let mut pair = Pair::am();
    (0..4).for_each(|number| pair.offer(number, ms(0)));
    pair.share(ms(0), 1_000);
    // Packet 0 begins on the anchor, and all come by the leg.
    assert!(pair.carry(0, ms(1), true) > 100);
    assert_eq!(pair.delivered, [0]);
    for _ in 0..4 {
        assert!(pair.carry(1, ms(2), true) > 100);
    }
    assert_eq!(pair.delivered, [0, 1, 2, 3]);
    assert_eq!((pair.both[0].waiting(DOWN).sdus, pair.held()), (3, 0));
    // Nothing is known before the status report.
    assert!(pair.both[1].take_confirmed(DOWN).is_empty());
    pair.acknowledge(1, ms(3));
    let confirmed = pair.both[1].take_confirmed(DOWN);
    assert_eq!(confirmed, [0, 1, 2, 3]);
    let took = pair.both[0].confirm((DOWN, ms(3)), &confirmed, &mut pair.bench.cx(ms(3)));
    // Packet 0 had been sent.
    assert_eq!((took, pair.both[0].waiting(DOWN).sdus), (vec![1, 2, 3], 0));
    assert_eq!(pair.carry(0, ms(4), true), 0);
    assert_eq!(pair.news(), CopyNews { made: 4, withdrawn: 3, needless: 1 });
    assert!(pair.bench.drops.0.is_empty());
}

#[test]
fn a_leg_withdraws_what_the_anchor_has_confirmed() {
    let mut pair = Pair::am();
    pair.offer(0, ms(0));
    assert!(pair.carry(0, ms(1), true) > 100);
    // The copy was made when the anchor took the packet.
    pair.share(ms(1), 1_000);
    assert_eq!(pair.both[1].waiting(DOWN).sdus, 1);
    pair.acknowledge(0, ms(2));
    let confirmed = pair.both[0].take_confirmed(DOWN);
    let took = pair.both[1].confirm((DOWN, ms(2)), &confirmed, &mut pair.bench.cx(ms(2)));
    pair.both[0].note_withdrawals(DOWN, &took);
    assert_eq!((pair.carry(1, ms(3), true), pair.delivered.len()), (0, 1));
    assert_eq!(pair.both.iter().map(|own| own.held().packets).sum::<u64>(), 0);
    assert_eq!(pair.news(), CopyNews { made: 1, withdrawn: 1, needless: 0 });
}

#[test]
fn a_leg_that_ends_gives_back_what_the_anchor_has_lost() {
    let mut pair = Pair::am();
    (0..3).for_each(|number| pair.offer(number, ms(0)));
    pair.share(ms(0), 1_000);
    // The anchor begins with packet 0, and loses it for good. Packets 1 and 2 wait there.
    let cx = &mut pair.bench.cx(ms(1));
    assert!(pair.both[0].build(DOWN, ms(1), 110, cx).is_some());
    pair.both[0].rlc.void(DOWN);
    pair.both[0].release(ms(2), cx, &mut |_, _| ());
    // The leg has all of them: nothing is lost yet. A lost packet is not confirmed.
    assert!(pair.both[0].take_confirmed(DOWN).is_empty());
    assert!(pair.bench.drops.0.is_empty());
    assert_eq!(pair.held(), 3);
    let [back, _] = pair.both[1].take_back((DOWN, ms(3)), &mut pair.bench.cx(ms(3)));
    let back = pair.both[0].without_others(DOWN, back);
    assert_eq!(back.iter().map(|(count, _)| *count).collect::<Vec<u64>>(), [0, 1, 2]);
}

#[test]
fn the_discard_timer_takes_a_waiting_packet_from_one_path() {
    let mut pair = Pair::am();
    pair.both[0] = {
        let mut config = config(Mode::NrAm(am::Config::default(), nr::SnLength::Eighteen));
        config.pdcp.discard_timer = Some(Duration::from_millis(50));
        let mut host = Bearer::new(BearerId(0), config, true);
        host.host([true; 2]);
        host.begin_copying();
        host
    };
    pair.offer(0, ms(0));
    pair.share(ms(0), 1_000);
    assert_eq!(pair.both[0].next_wake(), Some(ms(50)));
    pair.both[0].wake(ms(50), &mut pair.bench.cx(ms(50)), &mut |_, _| ());
    // TS 38.323, 5.3: it does not wait for the anchor any more. The leg has it.
    assert_eq!((pair.both[0].waiting(DOWN).sdus, pair.held()), (0, 1));
    assert!(pair.bench.drops.0.is_empty());
    assert!(pair.carry(1, ms(51), true) > 100);
    assert_eq!(pair.delivered, [0]);
}
