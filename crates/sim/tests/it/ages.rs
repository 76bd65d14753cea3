//! Ages of packets, received or dropped. The stages of each add up to its age, with any cause of a
//! drop. The tables of flows, bearers, links and the series agree by Little's law.

use airpath_base::Duration;
use airpath_net::{Direction, DropCause, Stage};
use airpath_results::{FlowSummary, PacketRow, QueueSummary, Subject};
use airpath_scenario::Scenario;
use airpath_sim::{Outcome, RunOptions, run};

const INTERVAL: Duration = Duration::from_millis(100);

/// A flow of 4 Mbit/s for a second through 6 resource blocks, which carry less, and time for what
/// waits to leave.
struct Load<'a> {
    user_plane: &'a str,
    way: Direction,
    /// Keys of the bearer; `QUEUE` is the key of its queue at the sender.
    bearer: &'a str,
    harq: &'a str,
    wires: &'a str,
}

impl Load<'_> {
    fn text(&self) -> String {
        let Load { user_plane, way, bearer, harq, wires } = *self;
        let queue = match way {
            Direction::Downlink => "queue",
            Direction::Uplink => "uplink_queue",
        };
        let bearer = bearer.replace("QUEUE", queue);
        format!(
            "duration = \"12 s\"\n[path.sgi]\ndelay = \"5 ms\"\n{wires}\n\
             [cell]\nresource_blocks = 6\nuser_plane = \"{user_plane}\"\n{harq}\n\
             [[ue]]\nname = \"phone\"\nsnr = \"10 dB\"\n\
             [[bearer]]\nname = \"data\"\ndefault = true\ndiscard_timer = \"infinity\"\n{bearer}\n\
             [[flow]]\nname = \"video\"\nkind = \"rtp\"\ndirection = \"{}\"\nstop = \"1 s\"\n\
             rtp = {{ payload = \"1000 B\", interval = \"2 ms\" }}\n\
             [output]\npackets = true\nseries = \"100 ms\"\n",
            way.name()
        )
    }

    fn run(&self) -> Outcome {
        let text = self.text();
        let text = match self.bearer.contains("discard_timer") {
            true => text.replace("discard_timer = \"infinity\"\n", ""),
            false => text,
        };
        let scenario = match Scenario::parse("ages.toml", &text, &[]) {
            Ok(scenario) => scenario,
            Err(errors) => panic!("{}\n{text}", errors.plain()),
        };
        match run(&scenario, RunOptions { keep: true, ..RunOptions::default() }) {
            Ok(outcome) => outcome,
            Err(failure) => panic!("{failure}\n{text}"),
        }
    }
}

/// Milliseconds that rows spent in some stages.
fn spent<'a>(rows: impl IntoIterator<Item = &'a PacketRow>, stages: &[Stage]) -> f64 {
    let of = |row: &PacketRow| -> u64 {
        stages.iter().map(|stage| row.stages.spent(*stage).as_nanos()).sum()
    };
    rows.into_iter().map(of).sum::<u64>() as f64 / 1e6
}

fn close(one: f64, other: f64, what: &str) {
    assert!((one - other).abs() <= 1e-6 * one.abs().max(1.0), "{what}: {one} and {other}");
}

/// Checks that the table of packets agrees with all others. All packets have ended.
fn agrees(outcome: &Outcome, way: Direction) {
    let rows = outcome.collector.packets();
    for row in rows {
        let age = row.ended.since(row.born);
        assert_eq!(row.stages.total(), age, "{:?} {:?}", row.dropped, row.stages);
    }
    let flow: &FlowSummary = &outcome.summary.flows[0];
    assert_eq!(flow.in_flight_packets, 0);
    let (received, lost): (Vec<&PacketRow>, Vec<_>) =
        rows.iter().partition(|row| row.dropped.is_none());
    for (stages, rows) in [(&flow.stages_ms, &received), (&flow.lost_stages_ms, &lost)] {
        for (name, mean) in stages.iter() {
            let stage = Stage::ALL.into_iter().find(|stage| stage.name() == name);
            let stage = stage.expect("a stage");
            let sum = spent(rows.iter().copied(), &[stage]);
            close(mean * rows.len() as f64, sum, name);
        }
    }
    // Little's law: packets in a queue over time are the times that packets waited there.
    let radio = [Stage::Pdcp, Stage::UplinkAccess, Stage::Rlc];
    let bearer = &outcome.summary.bearers[0];
    let queue = [&bearer.queue, &bearer.queue_up][way as usize];
    little(outcome, queue, spent(rows, &radio), |subject| match way {
        Direction::Downlink => matches!(subject, Subject::Downlink(_)),
        Direction::Uplink => matches!(subject, Subject::Uplink(_)),
    });
    let suffix = if way == Direction::Uplink { "up" } else { "down" };
    for link in outcome.summary.links.iter().filter(|link| link.name == format!("sgi {suffix}")) {
        let node = outcome.facts.links.iter().find(|known| known.name == link.name);
        let node = node.expect("a link").node;
        let own = |subject: Subject| subject == Subject::Link(node);
        little(outcome, &link.queue, spent(rows, &[Stage::WiredQueue]), own);
    }
}

fn little(outcome: &Outcome, queue: &QueueSummary, waited: f64, own: impl Fn(Subject) -> bool) {
    let duration = 12_000.0;
    close(queue.mean_packets.expect("a queue") * duration, waited, "mean over the run");
    let series = outcome.collector.series().iter();
    let samples = series.filter(|row| own(row.subject) && row.metric == "queue_packets");
    let sum: f64 = samples.map(|row| row.value * INTERVAL.as_millis_f64()).sum();
    close(sum, waited, "samples");
}

/// The names at which packets were dropped for a cause, each once.
fn names(outcome: &Outcome, cause: DropCause) -> Vec<String> {
    let rows = outcome.collector.packets().iter().filter(|row| row.dropped == Some(cause));
    let inventory = outcome.collector.inventory();
    let mut names: Vec<String> = rows.map(|row| inventory.spot(row.node, row.end)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The end that sends, and the one that receives.
const fn ends(way: Direction) -> [&'static str; 2] {
    match way {
        Direction::Downlink => ["cell", "phone"],
        Direction::Uplink => ["phone", "cell"],
    }
}

/// Runs the load in LTE and NR, up and down; each run drops for `cause`, and only at one end.
fn everywhere(cause: DropCause, load: &Load<'_>, at_receiver: bool) {
    for user_plane in ["lte", "nr"] {
        for way in Direction::ALL {
            let outcome = Load { user_plane, way, ..*load }.run();
            agrees(&outcome, way);
            let name = ends(way)[usize::from(at_receiver)];
            let what = format!("{user_plane} {} {}", way.name(), load.bearer);
            assert_eq!(names(&outcome, cause), [name], "{what}");
            let (at, drops) = outcome.summary.events.dropped_at.iter().next().expect("drops");
            assert_eq!((at, drops.get(cause.name()).is_some()), (name, true), "{what}");
        }
    }
}

const LOAD: Load<'_> =
    Load { user_plane: "lte", way: Direction::Downlink, bearer: "", harq: "", wires: "" };

#[test]
fn packets_that_a_queue_of_the_radio_drops_have_waited_in_pdcp() {
    for (queue, cause) in [
        ("{ kind = \"codel\" }", DropCause::Aqm),
        ("{ kind = \"dualpi2\", limit = \"400 packets\" }", DropCause::Aqm),
        ("{ kind = \"fq-codel\", limit = \"40 packets\" }", DropCause::QueueFull),
        ("\"20 packets\"", DropCause::QueueFull),
        ("{ kind = \"age\", one = \"20 ms\", all = \"80 ms\" }", DropCause::Aqm),
    ] {
        let bearer = format!("rlc = \"um\"\nQUEUE = {queue}");
        everywhere(cause, &Load { bearer: &bearer, ..LOAD }, false);
    }
}

#[test]
fn packets_that_the_discard_timer_drops_have_waited_in_pdcp_for_so_long() {
    let bearer = "rlc = \"am\"\nQUEUE = \"unlimited\"\ndiscard_timer = \"50 ms\"";
    everywhere(DropCause::DiscardTimer, &Load { bearer, ..LOAD }, false);
    let outcome = Load { bearer, ..LOAD }.run();
    let dropped = outcome.collector.packets().iter().filter(|row| row.dropped.is_some());
    for row in dropped {
        // TS 36.323, 5.4: the timer starts with the SDU's reception from upper layers.
        assert_eq!(row.stages.spent(Stage::Pdcp), Duration::from_millis(50));
        assert_eq!(row.stages.spent(Stage::Wired), row.stages.total() - Duration::from_millis(50));
    }
}

#[test]
fn packets_that_harq_loses_in_um_died_on_the_air() {
    let bearer = "rlc = \"um\"\nQUEUE = \"unlimited\"";
    let harq = "harq.max_transmissions = 1\nharq.error = 0.3";
    everywhere(DropCause::RlcLoss, &Load { bearer, harq, ..LOAD }, false);
    let outcome = Load { bearer, harq, ..LOAD }.run();
    let lost: Vec<_> =
        outcome.collector.packets().iter().filter(|row| row.dropped.is_some()).collect();
    // The only attempt takes one and the same time. Exceptions are packets of which an earlier part
    // was lost while the rest had not been sent.
    let radio = lost.iter().map(|row| row.stages.spent(Stage::Radio)).max().expect("lost packets");
    let own = lost.iter().filter(|row| row.stages.spent(Stage::Radio) == radio).count();
    assert!(radio >= Duration::from_millis(1) && own >= 10, "{own} of {}", lost.len());
    assert!(lost.iter().all(|row| row.stages.spent(Stage::Harq).is_zero()));
}

#[test]
fn packets_that_a_link_drops_have_waited_in_its_queue() {
    for queue in ["\"20 packets\"", "{ kind = \"codel\" }", "{ kind = \"fq-codel\" }"] {
        for way in Direction::ALL {
            let wires = format!("rate = \"3 Mbit/s\"\nqueue = {queue}\nloss = 0.02");
            let bearer = "rlc = \"am\"\nQUEUE = \"unlimited\"";
            let outcome = Load { way, bearer, wires: &wires, ..LOAD }.run();
            agrees(&outcome, way);
            let dropped = outcome.summary.links.iter().any(|link| !link.dropped.is_empty());
            assert!(dropped, "{queue} {way:?}");
        }
    }
}
