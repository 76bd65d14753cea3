use airpath_base::measure::FieldDoc;
use airpath_results::live::{
    CellReading, FlowReading, Health, QueueReading, Spread, TotalsReading,
};
use airpath_results::unit_for_people;

use super::*;

fn session() -> Session {
    Session {
        scenario: "lte-6rb.toml".into(),
        title: Some("One LTE cell of 6 resource blocks, a download and a voice flow".into()),
        seed: 1,
        end_s: Some(60.0),
        interval_s: 1.0,
    }
}

fn spread(p50: f64, p95: f64) -> Option<Spread> {
    Some(Spread { p50, p95 })
}

fn flow(name: &str, bps: f64, delay: Option<Spread>) -> FlowReading {
    FlowReading {
        name: name.into(),
        flows: 1,
        direction: Some("down".into()),
        rate_bps: bps,
        received_packets: 400,
        received_bytes: (bps / 8.0) as u64,
        delay_ms: delay,
        queue_ms: delay.map(|delay| Spread { p50: delay.p50 - 2.3, p95: delay.p95 - 2.3 }),
        ..FlowReading::default()
    }
}

fn cell(name: &str, down: f64, up: f64) -> CellReading {
    CellReading {
        name: name.into(),
        cells: 1,
        utilisation: Some(down),
        utilisation_up: Some(up),
        throughput_bps: down * 4.9e6,
        throughput_up_bps: up * 1.6e6,
        ..CellReading::default()
    }
}

fn queue(name: &str, ue: Option<&str>, direction: Option<&str>, packets: u64) -> QueueReading {
    QueueReading {
        name: name.into(),
        queues: 1,
        ue: ue.map(str::to_owned),
        direction: direction.map(str::to_owned),
        packets,
        bytes: packets * 1_500,
    }
}

/// The reading of second `n`.
fn reading(n: u64) -> Reading {
    let delay = spread(21.3 + n as f64 / 10.0, 38.04);
    let mut download = flow("download", 4.81e6 - (n % 7) as f64 * 0.5e6, delay);
    (download.marks, download.lost_packets) = (n % 3, n / 12);
    Reading {
        number: n - 1,
        time_s: n as f64,
        interval_s: 1.0,
        flows: vec![download, flow("voice", 0.0, None)],
        cells: vec![cell("cell", 0.98, 0.12)],
        queues: vec![queue("s1 down", None, None, 12), queue("voice", Some("ue"), Some("down"), 0)],
        radio_links: Vec::new(),
        totals: TotalsReading::default(),
        health: None,
    }
}

fn board(seconds: u64) -> Board {
    let mut board = Board::new(session(), true);
    (1..=seconds).for_each(|n| board.take(reading(n)));
    (board.speed, board.limit) = (Some(7.96), Some(8.0));
    board
}

fn text(board: &Board, columns: usize, lines: usize) -> String {
    let screen = draw::draw(board, columns, lines);
    assert_eq!(screen.len(), lines);
    assert!(screen.iter().all(|line| line.width() <= columns));
    screen.iter().map(|line| line.text() + "\n").collect()
}

#[test]
fn a_run_on_the_smallest_screen() {
    let screen = text(&board(12), 80, 24);
    // The page of documentation shows the same.
    let page = include_str!("../../../../docs/live.md");
    assert!(screen.lines().all(|line| page.lines().any(|shown| shown == line)), "{screen}");
    insta::assert_snapshot!(screen);
}

/// An emulation: no end, a clock, and what has been changed.
fn emulation() -> Board {
    let mut board = board(40);
    (board.session.end_s, board.session.title) = (None, None);
    (board.paced, board.limit, board.speed) = (false, None, None);
    let mut last = reading(41);
    last.flows =
        (1..=15).map(|n| flow(&format!("flow {n}"), n as f64 * 1e6, spread(9.0, 30.0))).collect();
    last.flows.push(FlowReading { flows: 31, ..flow("31 others", 2e6, None) });
    last.flows[2].name = "a flow with quite a name that nobody would type twice".into();
    last.flows[3].flows = 12;
    last.cells = vec![cell("north", 1.0, 0.3), cell("south", 0.85, 0.0)];
    last.cells[1].utilisation_up = None;
    last.health = Some(Health {
        wake_p50_ms: 0.052,
        wake_p99_ms: 0.21,
        wake_max_ms: 1.32,
        missed: 3,
        cpu: 0.127,
        lag_ms: 0.0,
    });
    board.take(last);
    (1..=4).for_each(|n| board.say(format!("{n}0.0 s  rate of s1 is {n} Mbit/s")));
    board
}

#[test]
fn an_emulation_on_a_wide_screen() {
    insta::assert_snapshot!(text(&emulation(), 120, 40));
}

#[test]
fn what_does_not_fit_is_said() {
    insta::assert_snapshot!(text(&emulation(), 80, 24));
}

#[test]
fn every_size_is_drawn() {
    let boards = [Board::new(session(), true), board(1), emulation()];
    for (board, lines) in boards.iter().flat_map(|board| (0..60).map(move |n| (board, n))) {
        for columns in [1, 20, 59, 61, 80, 133, 500] {
            text(board, columns, lines);
        }
    }
}

#[test]
fn before_the_first_interval_has_ended() {
    let mut board = Board::new(session(), true);
    board.paused = true;
    let screen = text(&board, 80, 24);
    assert!(screen.contains("0.0 of 60.0 s") && screen.contains("PAUSED"), "{screen}");
    assert!(screen.contains("has not ended yet"), "{screen}");
}

#[test]
fn rates_are_remembered_of_flows_that_are_there() {
    let mut board = board(500);
    assert_eq!(board.rates("download", 10_000).len(), 400);
    // Seconds 499 and 500: 499 is 71 times 7 and 2.
    assert_eq!(board.rates("download", 2), [4.81e6 - 1e6, 4.81e6 - 1.5e6]);
    let mut other = reading(501);
    other.flows.remove(0);
    board.take(other);
    assert_eq!(board.rates("download", 9), [] as [f64; 0]);
    (0..150).for_each(|n| board.say(n.to_string()));
    assert_eq!((board.said().len(), board.said().last()), (100, Some(&"149".to_owned())));
}

#[test]
fn readings_as_lines() {
    let mut several = reading(3);
    several.interval_s = 0.25;
    several.flows.truncate(1);
    several.cells = vec![cell("a", 1.0, 0.2), CellReading { cells: 3, ..cell("rest", 0.2, 0.0) }];
    several.health = emulation().reading.and_then(|reading| reading.health);
    let wires = Reading { time_s: 0.5, interval_s: 0.125, ..Reading::default() };
    let said = lines::said(12.34, 0.02, "rate of s1 is 5 Mbit/s");
    let lines = [lines::line(&reading(12)), lines::line(&several), lines::line(&wires), said];
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn units_are_those_of_readings() {
    let unit = |fields: &'static [FieldDoc], name: &str| {
        let field = fields.iter().find(|field| field.name == name).expect(name);
        unit_for_people(field.scale.unit)
    };
    let megabits = (1e-6, "Mbit/s");
    assert_eq!(unit(FlowReading::FIELDS, "rate_bps"), megabits);
    for name in ["delay_ms", "queue_ms"] {
        assert_eq!(unit(FlowReading::FIELDS, name), (1.0, "ms"), "{name}");
    }
    for name in ["wake_p50_ms", "wake_p99_ms", "wake_max_ms", "lag_ms"] {
        assert_eq!(unit(Health::FIELDS, name), (1.0, "ms"), "{name}");
    }
    for (share, rate) in
        [("utilisation", "throughput_bps"), ("utilisation_up", "throughput_up_bps")]
    {
        assert_eq!(unit(CellReading::FIELDS, share), (100.0, "%"), "{share}");
        assert_eq!(unit(CellReading::FIELDS, rate), megabits, "{rate}");
    }
    assert_eq!(unit(QueueReading::FIELDS, "packets"), (1.0, "packets"));
    assert_eq!(unit(QueueReading::FIELDS, "bytes"), (1.0, "B"));
}

#[test]
fn lines_are_written_as_they_come() {
    #[derive(Clone, Default)]
    struct Out(Arc<std::sync::Mutex<Vec<u8>>>);
    impl Write for Out {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("a lock").extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let out = Out::default();
    let kind = Kind::Lines(Box::new(out.clone()));
    let mut view = View { session: session(), time: Arc::default(), kind };
    view.show(&reading(7));
    view.at(7.4);
    view.say("the rate changes");
    view.close();
    let text = String::from_utf8(out.0.lock().expect("a lock").clone()).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("7.0 s  download "), "{text}");
    assert_eq!(lines[1..], ["7.4 s  the rate changes"]);
}
