//! One flow.

use super::lab::{Measured, Point, Span, grid};

const SHORT: Span = Span { warm: 20, measured: 20 };
/// A window of CUBIC takes up to 11 s to be back (RFC 9438, 4.2).
const LONG: Span = Span { warm: 60, measured: 60 };

/// Points at which Prague's queue is longer than two packets; `docs/steady.md` has the reasons.
const PRAGUE_LONGER: [Point; 1] = [Point::new(4, 20)];
/// Points at which CUBIC with classic ECN does not fill a link with CoDel; `docs/steady.md` has the
/// reasons.
const CUBIC_ECN_LESS: [Point; 1] = [Point::new(4, 20)];

fn fills(run: &Measured, who: &str) {
    let utilisation = run.utilisation();
    assert!(utilisation > 0.95, "{who} {:?}: {utilisation}", run.point);
}

#[test]
fn prague_fills_a_link_with_dualpi2_and_its_queue_is_short() {
    for point in grid() {
        let run = point.run("\"dualpi2\"", &["controller = \"prague\""], SHORT);
        fills(&run, "prague");
        let most = if point.mbps >= 20 { 3.0 } else { 2.0 * point.packet_ms() };
        let wait = run.flows[0].wait_ms(0.99);
        assert!(wait < most || PRAGUE_LONGER.contains(&point), "{point:?}: {wait} ms");
    }
}

#[test]
fn cubic_fills_a_link_with_pie() {
    for point in grid() {
        fills(&point.run("\"pie\"", &["controller = \"cubic\""], LONG), "cubic");
    }
}

#[test]
fn cubic_with_classic_ecn_fills_a_link_with_pie() {
    for point in grid() {
        let tcp = "controller = \"cubic\"\necn = \"classic\"";
        fills(&point.run("\"pie\"", &[tcp], LONG), "cubic with ecn");
    }
}

#[test]
fn cubic_fills_a_link_with_codel_up_to_20_ms() {
    let (plain, ecn) = ("controller = \"cubic\"", "controller = \"cubic\"\necn = \"classic\"");
    for point in grid().filter(|point| point.us <= 20_000) {
        fills(&point.run("\"codel\"", &[plain], LONG), "cubic");
        if !CUBIC_ECN_LESS.contains(&point) {
            fills(&point.run("\"codel\"", &[ecn], LONG), "cubic with ecn");
        }
    }
}

/// Two and a quarter bandwidth-delay products may be in flight during a probe of the bandwidth. The
/// wait of delayed acknowledgements and of bursts comes on top (draft-ietf-ccwg-bbr, 5.6.4.2: three
/// quanta; windows of four packets at least).
fn bbr(controller: &str) {
    for point in grid() {
        let tcp = format!("controller = \"{controller}\"");
        let run = point.run("\"unlimited\"", &[&tcp], Span { warm: 10, measured: 30 });
        let utilisation = run.utilisation();
        assert!(utilisation > 0.9, "{controller} {point:?}: {utilisation}");
        let most = 1.25 * point.ms() + 10.0 * point.packet_ms();
        let wait = run.flows[0].wait_ms(1.0 - 1e-3);
        assert!(wait < most, "{controller} {point:?}: {wait} ms");
    }
}

#[test]
fn bbr_is_near_the_full_rate_and_bounds_its_queue() {
    bbr("bbr");
}

#[test]
fn the_first_bbr_is_near_the_full_rate_and_bounds_its_queue() {
    bbr("bbr1");
}
