//! One flow over a drop-tail queue at round trips of 0.1 to 5 ms, by any controller.

use super::lab::{Measured, PACKET, Point, SEGMENT, Span, is_long};

pub const RATES: [u64; 3] = [10, 100, 1000];
/// Round trips without any queue, in us.
pub const ROUND_TRIPS: [u64; 5] = [100, 500, 1000, 2000, 5000];
pub const CONTROLLERS: [&str; 6] = ["newreno", "cubic", "dctcp", "prague", "bbr", "bbr1"];

const SPAN: Span = Span { warm: 5, measured: 10 };
/// Least utilisation of a link whose queue holds a bandwidth-delay product.
const LEAST: f64 = 0.85;

/// Capacity of a queue relative to a bandwidth-delay product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Half of it, and at least a packet.
    Below,
    /// Twice of it, and at least four packets.
    Twice,
    /// Twice of it, and at least the data that a sender sends at once. That is an initial window of
    /// ten packets, or BBR's quantum of 1 ms at the rate, at most 64 KiB (draft-ietf-ccwg-bbr,
    /// 5.6.3). A queue that is shorter drops the end of each burst, which the timer of 1 s alone
    /// repairs.
    Above,
}

impl Depth {
    pub fn packets(self, point: Point) -> u64 {
        match self {
            Depth::Below => ((point.packets() / 2.0) as u64).max(1),
            Depth::Twice => (2.0 * point.packets()).ceil().max(4.0) as u64,
            Depth::Above => {
                let quantum = (1.0 / point.packet_ms()).min(65_536.0 / PACKET);
                (2.0 * point.packets()).max(quantum).max(10.0).ceil() as u64
            }
        }
    }
}

/// All points, or one for each rate, with each round trip or nearly.
fn grid() -> impl Iterator<Item = Point> {
    const DIAGONAL: [(u64, u64); 4] = [(10, 5000), (10, 500), (100, 100), (1000, 1000)];
    let all = RATES.into_iter().flat_map(|mbps| ROUND_TRIPS.map(move |us| (mbps, us)));
    let some = all.filter(|point| is_long() || DIAGONAL.contains(point));
    some.map(|(mbps, us)| Point { mbps, us })
}

pub fn run(point: Point, controller: &str, depth: Depth) -> Measured {
    let queue = format!("\"{} packets\"", depth.packets(point));
    point.run(&queue, &[&format!("controller = \"{controller}\"")], span())
}

fn span() -> Span {
    if is_long() { SPAN } else { Span { warm: 2, measured: 3 } }
}

fn check(controller: &str) {
    for point in grid() {
        for depth in [Depth::Below, Depth::Above] {
            let run = run(point, controller, depth);
            let (used, flow) = (run.utilisation(), &run.flows[0]);
            let at = format!("{controller} {point:?} {depth:?}");
            println!("{at}: {used:.3}, {} timeouts, {:?}", flow.timeouts, flow.smallest);
            assert!(depth == Depth::Below || used > LEAST, "{at}: {used}");
            let smallest = flow.smallest.expect("a window");
            assert!(smallest >= 2 * SEGMENT, "{at}: a window of {smallest} bytes");
        }
    }
}

#[test]
fn newreno_fills_short_links() {
    check("newreno");
}

#[test]
fn cubic_fills_short_links() {
    check("cubic");
}

#[test]
fn dctcp_fills_short_links() {
    check("dctcp");
}

#[test]
fn prague_fills_short_links() {
    check("prague");
}

#[test]
fn bbr_fills_short_links() {
    check("bbr");
}

#[test]
fn the_first_bbr_fills_short_links() {
    check("bbr1");
}

/// The queue of DualPI2 marks from about 1 ms on, which is more than most of these round trips.
#[test]
fn prague_fills_short_links_with_dualpi2() {
    for point in grid() {
        let run = point.run("\"dualpi2\"", &["controller = \"prague\""], span());
        let (used, smallest) = (run.utilisation(), run.flows[0].smallest);
        println!("{point:?}: {used:.3}, {smallest:?}");
        assert!(used > LEAST, "{point:?}: {used}");
        assert!(smallest >= Some(2 * SEGMENT), "{point:?}: {smallest:?}");
    }
}

/// After a timeout with a full queue of 80 ms the window of Prague grows while its RTT falls.
#[test]
fn prague_comes_back_from_a_timeout() {
    let point = Point { mbps: 100, us: 0 };
    let run = point.run("\"1 MB\"", &["controller = \"prague\""], Span { warm: 5, measured: 5 });
    let flow = &run.flows[0];
    assert!(run.utilisation() > LEAST, "{}", run.utilisation());
    assert!(flow.smallest >= Some(2 * SEGMENT), "{:?}", flow.smallest);
}

#[test]
#[ignore = "takes minutes; prints a table"]
fn table_of_short_links() {
    for depth in [Depth::Below, Depth::Twice] {
        println!("\n{depth:?}\n\n| Mbit/s, round trip | packets |{}", row(|name| name.to_owned()));
        println!("|--:|--:|{}", row(|_| "--:".to_owned()));
        for point in RATES.into_iter().flat_map(|mbps| ROUND_TRIPS.map(move |us| (mbps, us))) {
            let point = Point { mbps: point.0, us: point.1 };
            let cells =
                row(|name| format!("{:.0} %", 100.0 * run(point, name, depth).utilisation()));
            let (mbps, ms, packets) = (point.mbps, point.ms(), depth.packets(point));
            println!("| {mbps}, {ms} ms | {packets} |{cells}");
        }
    }
}

fn row(cell: impl Fn(&str) -> String) -> String {
    CONTROLLERS.map(|name| format!(" {} |", cell(name))).concat()
}
