//! Feedback against what the test itself counts, over acknowledgements that get lost.

use airpath_base::random::Seed;
use airpath_wire::{SackBlocks, SeqNumber, TcpFlags, Timestamps};
use proptest::prelude::*;

use super::*;

const SEGMENT: u32 = 1448;

/// Data packets that arrive with an ECN field each, and the acknowledgements that leave.
struct Path {
    received: Received,
    reported: Reported,
    option: bool,
    /// Packets after which an acknowledgement leaves anyhow, and how many wait.
    delayed: u32,
    waiting: u32,
    clock: u32,
    /// Arrived and not acknowledged by what arrived at the sender: packets, bytes, marks.
    unheard: (u32, u64, u32),
    /// All marks and marked bytes that arrived, and that were reported.
    truth: (u64, u64),
    told: (u64, u64),
}

impl Path {
    fn new(option: bool, delayed: u32) -> Path {
        let mut reported = Reported::default();
        let first = AccurateEcn::order_0(&FIRST_BYTES);
        reported.begin(option.then_some(first));
        Path {
            received: Received::default(),
            reported,
            option,
            delayed,
            waiting: 0,
            clock: 0,
            unheard: (0, 0, 0),
            truth: (0, 0),
            told: (0, 0),
        }
    }

    /// A packet arrives; the acknowledgement that leaves, if one does.
    fn packet(&mut self, ecn: Ecn, bytes: u32) -> Option<TcpRepr> {
        let at_once = self.received.on_packet(ecn, bytes, self.waiting > 0);
        self.waiting += 1;
        let marked = u64::from(ecn == Ecn::Ce);
        self.truth.0 += marked;
        self.truth.1 += marked * u64::from(bytes);
        let (packets, all, marks) = self.unheard;
        self.unheard = (packets + 1, all + u64::from(bytes), marks + marked as u32);
        (at_once || self.waiting >= self.delayed).then(|| self.acknowledgement())
    }

    fn acknowledgement(&mut self) -> TcpRepr {
        (self.waiting, self.clock) = (0, self.clock + 1);
        let accurate_ecn = self.received.option(false).filter(|_| self.option);
        self.received.option_sent(false);
        let flags = TcpFlags::ACK.with_ace(self.received.report());
        let timestamps = Some(Timestamps { value: self.clock, echo: 0 });
        TcpRepr { flags, accurate_ecn, timestamps, ..TcpRepr::default() }
    }

    /// An acknowledgement arrives: marked packets that it reports, and how many it might have
    /// reported.
    fn hear(&mut self, ack: &TcpRepr) -> (u32, u32) {
        let (packets, bytes, _) = std::mem::take(&mut self.unheard);
        self.reported.hear(ack, News { packets, bytes, segment: SEGMENT });
        let (marks, ce_bytes) = self.reported.take(packets);
        self.told.0 += u64::from(marks);
        self.told.1 += ce_bytes;
        (marks, packets)
    }
}

/// ECN fields of packets, their sizes, and whether an acknowledgement of each would arrive.
fn arrivals(marked: u32) -> impl Strategy<Value = Vec<(bool, u32, bool)>> {
    let one = (0u32..100, 1u32..=SEGMENT, 0u32..100, 0u32..100);
    (0u32..100, 0u32..3, prop::collection::vec(one, 1..400)).prop_map(move |(loss, mixed, all)| {
        let each = |(mark, size, _, arrives): (u32, u32, u32, u32)| {
            let size = if mixed == 0 { size } else { SEGMENT };
            (mark < marked, size, arrives >= loss)
        };
        all.into_iter().map(each).collect()
    })
}

proptest! {
    #[test]
    fn without_marks_none_is_counted(
        all in arrivals(0), option: bool, delayed in 1u32..40, ect0: bool,
    ) {
        let mut path = Path::new(option, delayed);
        for (_, size, arrives) in all {
            let ecn = if ect0 { Ecn::Ect0 } else { Ecn::Ect1 };
            if let Some(ack) = path.packet(ecn, size).filter(|_| arrives) {
                prop_assert_eq!(path.hear(&ack).0, 0);
            }
        }
        prop_assert_eq!(path.told, (0, 0));
    }

    #[test]
    fn by_the_option_marked_bytes_are_exact(
        all in (0u32..=100).prop_flat_map(arrivals), delayed in 1u32..40,
    ) {
        let mut path = Path::new(true, delayed);
        for &(marked, size, arrives) in &all {
            let ecn = if marked { Ecn::Ce } else { Ecn::Ect1 };
            let Some(ack) = path.packet(ecn, size).filter(|_| arrives) else { continue };
            prop_assert!(ack.accurate_ecn.is_some());
            let (marks, packets) = path.hear(&ack);
            prop_assert!(marks <= packets);
            prop_assert_eq!(path.told.1, path.truth.1);
            // Of segments of one size the bytes say how many they are.
            let whole = all.iter().all(|(_, size, _)| *size == SEGMENT);
            prop_assert!(!whole || path.told.0 == path.truth.0);
        }
    }

    #[test]
    fn without_the_option_fewer_than_eight_marks_are_exact(
        all in (0u32..=100).prop_flat_map(arrivals), delayed in 1u32..40,
    ) {
        let mut path = Path::new(false, delayed);
        let mut exact = true;
        for (marked, size, arrives) in all {
            let ecn = if marked { Ecn::Ce } else { Ecn::Ect1 };
            let Some(ack) = path.packet(ecn, size).filter(|_| arrives) else { continue };
            exact &= path.unheard.2 < 8;
            let (marks, packets) = path.hear(&ack);
            prop_assert!(marks <= packets && path.told.0 <= path.truth.0);
            prop_assert!(!exact || path.told.0 == path.truth.0);
        }
    }

    #[test]
    fn between_two_acknowledgements_there_are_few_marks(
        all in (0u32..=100).prop_flat_map(arrivals), delayed in 1u32..40,
    ) {
        // 3.2.2.5.1: one at a change to CE, and one after two marks.
        let mut path = Path::new(true, delayed);
        let (mut unreported, mut last) = (0, false);
        for (marked, size, _) in all {
            let changes = marked && !std::mem::replace(&mut last, marked);
            unreported += u32::from(marked);
            let ack = path.packet(if marked { Ecn::Ce } else { Ecn::Ect0 }, size);
            prop_assert!(ack.is_some() || !changes && unreported < 2);
            unreported = if ack.is_some() { 0 } else { unreported };
        }
    }
}

#[test]
fn each_change_to_ce_is_acknowledged_at_once() {
    let mut received = Received::default();
    let fields = [Ecn::Ect1, Ecn::Ce, Ecn::Ect1, Ecn::Ce, Ecn::Ect1];
    let at_once = fields.map(|ecn| {
        let at_once = received.on_packet(ecn, SEGMENT, false);
        received.report();
        at_once
    });
    assert_eq!(at_once, [false, true, false, true, false]);
}

#[test]
fn of_marks_without_data_the_third_is_acknowledged() {
    // 3.2.2.5.1: n is 3 with nothing to acknowledge, else 2.
    for (waiting, expected) in [(false, [false, false, true]), (true, [false, true, true])] {
        let mut received = Received::default();
        assert_eq!([(); 3].map(|()| received.on_packet(Ecn::Ce, 0, waiting)), expected);
    }
}

#[test]
fn the_option_has_the_counters_that_ever_changed() {
    // 3.2.3.3, examples of the recommended scheme; table 5.
    let mut received = Received::default();
    let mut after = |ecn| {
        received.on_packet(ecn, 1000, false);
        let option = received.option(false).expect("an option");
        received.option_sent(false);
        assert_eq!(received.option(false), None);
        (option.size(), [option.ect0(), option.ce(), option.ect1()])
    };
    assert_eq!(after(Ecn::Ect1), (5, [None, None, Some(1001)]));
    assert_eq!(after(Ecn::Ce), (8, [None, Some(1000), Some(1001)]));
    assert_eq!(after(Ecn::Ect0), (11, [Some(1001), Some(1000), Some(1001)]));
}

#[test]
fn the_option_tells_how_often_the_bits_went_round() {
    // A.2.2: 15 marks of 15 packets, of which the bits show seven; and 7 of 15.
    for marks in [15, 7] {
        let ce = marks * SEGMENT;
        let ack = TcpRepr {
            flags: TcpFlags::ACK.with_ace((FIRST_PACKETS + marks) as u8),
            accurate_ecn: Some(AccurateEcn::order_1(&[1, ce])),
            ..TcpRepr::default()
        };
        let mut reported = Reported::default();
        let news = News { packets: 15, bytes: u64::from(15 * SEGMENT), segment: SEGMENT };
        reported.hear(&ack, news);
        assert_eq!(reported.take(15), (marks, u64::from(ce)));
    }
}

#[test]
fn an_older_report_is_passed_over() {
    // A.1 and A.2.1: neither new data nor a later timestamp.
    let report = |ace: u32, value: u32| TcpRepr {
        flags: TcpFlags::ACK.with_ace(ace as u8),
        timestamps: Some(Timestamps { value, echo: 0 }),
        ack: SeqNumber(1),
        sack: SackBlocks::default(),
        ..TcpRepr::default()
    };
    let mut reported = Reported::default();
    let two = News { packets: 2, bytes: 2000, segment: 1000 };
    let none = News { packets: 0, bytes: 0, segment: 1000 };
    reported.hear(&report(7, 20), two);
    reported.hear(&report(6, 20), none);
    reported.hear(&report(6, 10), two);
    assert_eq!(reported.take(9).0, 2);
    reported.hear(&report(8, 21), none);
    assert_eq!(reported.take(0).0, 0, "nothing arrived");
    assert_eq!(reported.take(1).0, 1);
}

#[test]
fn a_damaged_option_is_not_read() {
    // 3.2.3.2.4: the counters of ECT begin at 1.
    let mut reported = Reported::default();
    reported.begin(Some(AccurateEcn::order_0(&[0, 0, 0])));
    let ack = TcpRepr {
        flags: TcpFlags::ACK.with_ace(6),
        accurate_ecn: Some(AccurateEcn::order_0(&[0, 9, 0])),
        ..TcpRepr::default()
    };
    reported.hear(&ack, News { packets: 2, bytes: 2000, segment: 1000 });
    assert_eq!(reported.take(2), (1, 1000));
}

/// All packets are marked, with one acknowledgement for two of them, of which a share q is lost. A
/// run of k lost ones hides 8 marks for each 4 of k + 1. So 4 q^3 (1 - q) / (1 - q^4) of all marks
/// are missed.
#[test]
fn the_mean_error_without_the_option() {
    for loss in [0.1, 0.3, 0.5] {
        let mut path = Path::new(false, 8);
        let mut draws = Seed(1).stream("loss");
        for _ in 0..200_000 {
            let ack = path.packet(Ecn::Ce, SEGMENT).filter(|_| !draws.chance(loss));
            ack.iter().for_each(|ack| _ = path.hear(ack));
        }
        let missed = 1.0 - path.told.0 as f64 / path.truth.0 as f64;
        let expected = 4.0 * loss.powi(3) * (1.0 - loss) / (1.0 - loss.powi(4));
        println!("{loss}: {missed:.4} for {expected:.4}");
        assert!((missed - expected).abs() < 0.005, "{loss}: {missed} for {expected}");
    }
}
