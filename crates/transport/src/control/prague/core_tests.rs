//! The rules against the reference's own states (L4STeam/udp_prague, prague_cc.cpp as
//! of 2025): three sequences of acknowledgements at a fixed RTT, open loop.

use super::*;

/// Acknowledgement, alpha of 2^20, window in millionths of a byte, rate in bytes / s,
/// packets in the window, virtual round trips until growth gets faster.
type State = (usize, i64, u64, u64, u64, i64);

/// RTT 20 ms.
const AT_20_MS: [State; 16] = [
    (0, 0, 25_100_340_000, 1_255_017, 19, 7),
    (99, 0, 33_577_480_000, 1_678_874, 25, 3),
    (100, 0, 33_614_820_000, 1_680_741, 25, 7),
    (105, 2621, 33_949_320_000, 1_697_466, 25, 6),
    (125, 2621, 35_211_400_000, 1_760_570, 26, 7),
    (155, 15000, 36_929_960_000, 1_846_498, 28, 6),
    (160, 15000, 37_268_340_000, 1_863_417, 28, 6),
    (219, 13185, 41_050_780_000, 2_052_539, 31, 4),
    (220, 13185, 40_792_680_000, 2_039_634, 31, 8),
    (230, 41196, 40_792_680_000, 2_039_634, 31, 7),
    (245, 41196, 41_160_260_000, 2_058_013, 31, 7),
    (299, 58326, 44_331_220_000, 2_216_561, 33, 5),
    (300, 58326, 22_165_600_000, 1_108_280, 17, 19),
    (325, 54681, 22_278_780_000, 1_113_939, 17, 18),
    (330, 51264, 22_836_200_000, 1_141_810, 17, 17),
    (399, 45057, 29_467_060_000, 1_473_353, 22, 15),
];

/// RTT 50 ms.
const AT_50_MS: [State; 16] = [
    (0, 0, 62_562_700_000, 1_251_254, 47, 6),
    (99, 0, 68_485_600_000, 1_369_712, 51, 5),
    (100, 655, 68_492_800_000, 1_369_856, 51, 7),
    (105, 655, 68_749_800_000, 1_374_996, 51, 7),
    (125, 655, 69_768_600_000, 1_395_372, 52, 7),
    (155, 7167, 71_027_350_000, 1_420_547, 53, 7),
    (160, 7167, 71_302_750_000, 1_426_055, 53, 7),
    (219, 7374, 74_475_450_000, 1_489_509, 55, 6),
    (220, 7374, 74_213_550_000, 1_484_271, 55, 7),
    (230, 7374, 74_213_550_000, 1_484_271, 55, 7),
    (245, 7374, 74_529_750_000, 1_490_595, 55, 7),
    (299, 33127, 77_317_450_000, 1_546_349, 57, 6),
    (300, 31057, 38_658_700_000, 773_174, 29, 6),
    (325, 31057, 38_658_700_000, 773_174, 29, 6),
    (330, 31057, 38_658_700_000, 773_174, 29, 6),
    (399, 29116, 43_437_750_000, 868_755, 32, 5),
];

/// RTT 5 ms.
const AT_5_MS: [State; 16] = [
    (0, 0, 6_275_085_000, 1_255_017, 5, 7),
    (99, 0, 8_394_370_000, 1_678_874, 7, 3),
    (100, 0, 8_403_705_000, 1_680_741, 7, 7),
    (105, 0, 8_487_325_000, 1_697_465, 7, 7),
    (125, 6553, 8_786_325_000, 1_757_265, 7, 7),
    (155, 12697, 9_200_855_000, 1_840_171, 7, 7),
    (160, 12697, 9_285_740_000, 1_857_148, 7, 7),
    (219, 13617, 10_234_255_000, 2_046_851, 8, 5),
    (220, 15387, 10_159_165_000, 2_031_833, 8, 8),
    (230, 15387, 10_159_165_000, 2_031_833, 8, 8),
    (245, 64232, 10_251_415_000, 2_050_283, 8, 7),
    (299, 56455, 11_046_945_000, 2_209_389, 9, 5),
    (300, 56455, 5_523_470_000, 1_104_694, 5, 19),
    (325, 52927, 5_551_855_000, 1_110_371, 5, 18),
    (330, 52927, 5_691_645_000, 1_138_329, 5, 18),
    (399, 43612, 7_353_305_000, 1_470_661, 6, 15),
];

/// The counts after acknowledgement `n`: two packets each millisecond; a mark at each
/// fifth from 100 to 155, both packets marked from 220 to 239, one lost at 300.
fn counts(n: usize) -> Counts {
    let n = n as i64;
    let lost = i64::from(n >= 300);
    let single = if n < 100 { 0 } else { ((n - 100) / 5 + 1).min(12) };
    let burst = 2 * (n - 219).clamp(0, 20);
    Counts { received: 2 * (n + 1) - lost, ce: single + burst, lost, sent: 2 * (n + 1) + 20 }
}

fn replay(rtt: i64, states: &[State]) {
    let mut core = PragueCore::new(PragueCoreConfig::reference(1_250_000, 1400), 1000);
    let mut expected = states.iter();
    for n in 0..400 {
        core.rtt(rtt);
        core.ack(1000 + rtt + 1000 * n as i64, counts(n), true);
        if expected.as_slice().first().is_some_and(|s| s.0 == n) {
            let found =
                (n, core.alpha(), core.window(), core.rate(), core.packets(), core.growth_wait());
            assert_eq!(Some(&found), expected.next(), "RTT {rtt} us");
        }
    }
    assert_eq!(expected.next(), None);
}

#[test]
fn the_reference_is_met_to_the_digit() {
    replay(20_000, &AT_20_MS);
    replay(50_000, &AT_50_MS);
    replay(5_000, &AT_5_MS);
}

#[test]
fn alpha_in_twenty_digits() {
    // The same source: marked of arrived 0/100, 10/100, 10/100, 50/100 in turn, from 0.
    let mut core = PragueCore::new(PragueCoreConfig::reference(1_250_000, 1400), 0);
    core.rtt(25_000);
    let mut counts = Counts::default();
    let alphas: Vec<i64> = [0, 10, 10, 50]
        .iter()
        .enumerate()
        .map(|(n, marked)| {
            counts.received += 100;
            counts.ce += marked;
            counts.sent = counts.received;
            // One more, so that a window has passed as well.
            core.ack(25_000 * (n as i64 + 1), counts, true);
            core.alpha()
        })
        .collect();
    assert_eq!(alphas, [0, 6553, 12_697, 44_671]);
    assert!((alphas[3] as f64 / WHOLE as f64 - 0.042_601_585_388_183_594).abs() < 1e-15);
}

#[test]
fn additive_increase_shrinks_with_the_square_of_the_rtt() {
    // mtu^2 / W * (10 ms / 25 ms)^2 = 1400^2 / 14000 * 0.16 = 22.4 bytes.
    let mut core = PragueCore::new(PragueCoreConfig::reference(1_400_000, 1400), 0);
    core.rtt(10_000);
    core.ack(1, Counts { sent: 10, ..Counts::default() }, true);
    assert_eq!(core.window(), 14_000_000_000);
    core.ack(2, Counts { received: 1, sent: 11, ..Counts::default() }, true);
    let growth = (core.window() - 14_000_000_000) as f64 / 1e6;
    assert!((growth - 22.4).abs() < 0.01, "{growth}");
}

fn at_100_ms(response: PragueResponse) -> PragueCore {
    let config = PragueCoreConfig {
        initial_alpha: WHOLE / 2,
        response,
        ..PragueCoreConfig::reference(1_400_000, 1400)
    };
    let mut core = PragueCore::new(config, 0);
    core.rtt(100_000);
    core
}

#[test]
fn an_answer_is_for_the_time_since_the_last_or_for_a_round_trip() {
    // Marks at 2, 50, 132 and 1000 ms: the second comes within a round trip, the third
    // 1.3 after the first, the fourth more than 1.5 after that.
    for (response, spans) in [
        (PragueResponse::SinceLast, [1.0, 0.0, 1.3, 1.5]),
        (PragueResponse::AtMark, [1.0, 0.0, 1.0, 1.0]),
    ] {
        let mut core = at_100_ms(response);
        let (mut received, mut ce) = (1, 0);
        let mut step = |ms: i64, marked: i64| {
            (received, ce) = (received + 60, ce + marked); // more than are in flight
            core.ack(ms * 1000, Counts { received, ce, lost: 0, sent: received + 50 }, false);
            (core.window() as f64, core.alpha() as f64 / WHOLE as f64)
        };
        let mut before = step(1, 0).0;
        for (ms, span) in [2, 50, 132, 1000].into_iter().zip(spans) {
            let (window, alpha) = step(ms, 1);
            let taken = 1.0 - window / before;
            assert!((taken - span * alpha / 2.0).abs() < 1e-4, "{response:?} {ms}: {taken}");
            before = window;
        }
    }
}

#[test]
fn a_loss_halves_and_is_undone_when_it_was_none() {
    let mut core = at_100_ms(PragueResponse::AtMark);
    let counts = Counts { received: 1, ce: 0, lost: 0, sent: 101 };
    core.ack(1000, counts, false);
    let before = core.window();
    core.ack(2000, Counts { lost: 1, ..counts }, false);
    assert!(core.window().abs_diff(before / 2) < 1_000_000);
    core.ack(3000, counts, false);
    assert!(core.window().abs_diff(before) < 1_000_000);
}

#[test]
fn a_short_rtt_keeps_the_rate() {
    let mut core = PragueCore::new(PragueCoreConfig::reference(1_250_000, 1400), 0);
    core.rtt(1_000);
    core.ack(1000, Counts { received: 1, ..Counts::default() }, true);
    let rate = core.rate();
    core.rtt(1_800);
    core.ack(2000, Counts { received: 1, ..Counts::default() }, true);
    assert_eq!(core.rate(), rate);
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_arrives_state_stays_in_bounds(
            steps in prop::collection::vec((0i64..200_000, 1i64..500_000, 0i64..50, 0i64..50, 0i64..3, any::<bool>()), 1..200),
            slow_start in any::<bool>(),
            rate in 1u64..10_000_000_000,
        ) {
            let config = PragueCoreConfig {
                slow_start,
                initial_window: slow_start.then_some(14_000),
                ..PragueCoreConfig::reference(rate, 1400)
            };
            let mut core = PragueCore::new(config, 0);
            let (mut now, mut counts) = (0, Counts::default());
            for (wait, rtt, received, ce, lost, undo) in steps {
                now += wait;
                counts.received += received;
                counts.ce += ce.min(received);
                counts.lost = (counts.lost + if undo { -lost } else { lost }).max(0);
                counts.sent = counts.received + counts.lost + 10;
                core.rtt(rtt);
                core.ack(now, counts, true);
                prop_assert!((0..=WHOLE).contains(&core.alpha()));
                prop_assert!(core.rate() >= 12_500 && core.rate() <= 12_500_000_000);
                prop_assert!(core.packets() >= 2 && core.burst() >= 1);
            }
        }
    }
}
