//! The tables of `docs/steady.md`.

use super::lab::{Measured, Point, RATES, ROUND_TRIPS, Span};
use super::shares::{self, Shares, Who};

/// One flow settles sooner than two.
const ONE: Span = Span { warm: 60, measured: 120 };
const TWO: Span = Span { warm: 100, measured: 200 };

/// A table of rates by round trips.
fn table(title: &str, cell: impl Fn(Point) -> String) {
    let heads: String = ROUND_TRIPS.iter().map(|ms| format!(" {ms} ms |")).collect();
    println!("\n{title}\n\n| Mbit/s |{heads}\n|--:|{}", "--:|".repeat(ROUND_TRIPS.len()));
    for mbps in RATES {
        let cells = ROUND_TRIPS.map(|ms| cell(Point::new(mbps, ms)));
        println!("| {mbps} | {} |", cells.join(" | "));
    }
}

fn alone(run: &Measured) -> String {
    let (share, flow) = (run.utilisation() * 100.0, &run.flows[0]);
    format!("{share:.1} % ({:.2} ms)", flow.wait_ms(0.99))
}

fn solo(title: &str, queue: &str, tcp: &str) {
    table(title, |point| alone(&point.run(queue, &[tcp], ONE)));
}

#[test]
#[ignore = "takes minutes; prints tables"]
fn tables_of_one_flow() {
    let ecn = "controller = \"cubic\"\necn = \"classic\"";
    let abe = "controller = \"cubic\"\necn = \"classic\"\ncubic.ecn_beta = 0.85";
    let prr = "controller = \"cubic\"\nloss_detection = \"rack\"\nreduction = \"proportional\"";
    let linux = "{ kind = \"dualpi2\", preset = \"linux\" }";
    solo("Prague, DualPI2", "\"dualpi2\"", "controller = \"prague\"");
    solo("Prague, DualPI2 (Linux)", linux, "controller = \"prague\"");
    solo("CUBIC, PIE", "\"pie\"", "controller = \"cubic\"");
    solo("CUBIC with ECN, PIE", "\"pie\"", ecn);
    solo("CUBIC with RACK and PRR, PIE", "\"pie\"", prr);
    solo("CUBIC, CoDel", "\"codel\"", "controller = \"cubic\"");
    solo("CUBIC with ECN, CoDel", "\"codel\"", ecn);
    solo("CUBIC with ECN and ABE, CoDel", "\"codel\"", abe);
    solo("BBR, no limit", "\"unlimited\"", "controller = \"bbr\"");
    solo("BBR's first version, no limit", "\"unlimited\"", "controller = \"bbr1\"");
}

fn cell(shares: &Shares) -> String {
    let region = if shares.is_reno_friendly() { "" } else { " C" };
    let [prague, cubic] = [Who::Prague, Who::Cubic].map(|who| shares.of_own(who));
    let (ratio, expected) = (shares.ratio(), shares.expected());
    format!("{ratio:.2} ({expected:.2}; {prague:.2}, {cubic:.2}){region}")
}

#[test]
#[ignore = "takes minutes; prints tables"]
fn tables_of_two_flows() {
    for (name, keys) in [("CUBIC", ""), ("CUBIC with ECN", "ecn = \"classic\"")] {
        table(&format!("Prague over {name}"), |point| cell(&shares::run(point, 1, keys, TWO)));
    }
}

/// Points at which CUBIC is not Reno-friendly.
const CUBIC_REGION: [Point; 6] = [
    Point::new(20, 100),
    Point::new(50, 100),
    Point::new(100, 50),
    Point::new(100, 100),
    Point::new(200, 50),
    Point::new(200, 100),
];

#[test]
#[ignore = "takes minutes; prints a table"]
fn table_of_many_flows() {
    println!("\n| Mbit/s a pair, round trip | pairs | ratio | over expected | clustering |");
    println!("|--:|--:|--:|--:|--:|");
    for point in CUBIC_REGION {
        for each in [1, 3, 10] {
            let shares = shares::run(point, each, "", TWO);
            let beyond = shares.ratio() / shares.expected();
            let (text, clustering) = (cell(&shares), shares.clustering());
            let (mbps, ms) = (point.mbps, point.ms());
            println!("| {mbps}, {ms} ms | {each} | {text} | {beyond:.2} | {clustering:.2} |");
        }
    }
}
