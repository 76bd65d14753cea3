//! Inactive UEs among cells: reselection, resumes in another cell, packets of the last serving gNB.

use airpath_base::rrc::{Inactive, Pattern};

use super::*;
use crate::ResumeConfig;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Connected at the begin and inactive 100 ms behind its data; pages each 320 ms. A resume takes 20 ms, 18 ms more in
/// another cell, and a message between gNBs 5 ms.
pub fn suspending(idle: Option<Duration>) -> RrcConfig {
    let pages = |offset| Pattern { cycle: ms(320).into(), offset: ms(offset), on: ms(1) };
    let fixed = |millis| Promotion::Fixed(ms(millis));
    RrcConfig {
        states: rrc::Config {
            release_after: Some(ms(100)),
            drx: None,
            paging: pages(9),
            inactive: Some(Inactive { release_after: idle, paging: pages(9) }),
            skipping: None,
        },
        connected: true,
        promotion: fixed(100),
        draws: Seed(1).stream("promotion"),
        resume: Some(ResumeConfig {
            duration: fixed(20),
            draws: Seed(1).stream("resume"),
            context: ms(18),
            transport: ms(5),
        }),
    }
}

impl Lab {
    /// One UE with RRC that is inactive in cell 1, suspended in cell 0. The latter happens at 100 ms at the earliest.
    fn reselected(mobility: HandoverSetup) -> Lab {
        let (mut config, channel) = network((1, 2), 9, mobility);
        config.ues[0].rrc = Some(suspending(None));
        channel.set(0, &[-80.0, -90.0]);
        let mut lab = Lab::of(config, channel);
        lab.feed(0, 0, 200);
        lab.run(400);
        lab.channel.set(0, &[-95.0, -85.0]);
        lab.run(3_000);
        let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
        assert_eq!((record.cause, record.target), (HandoverCause::Reselection, CellId(1)));
        lab
    }

    fn down(&mut self, millis: u64, size: u32) {
        self.run(millis);
        let now = Time::from_millis(millis);
        let cx = &mut self.bench.cx_watched(now, &mut self.seen);
        self.ran.receive(now, Ran::CORE, in_tunnel(now, size, 7), cx);
        self.sent += 1;
    }

    fn up(&mut self, millis: u64, size: u32) {
        self.run(millis);
        let now = Time::from_millis(millis);
        let cx = &mut self.bench.cx_watched(now, &mut self.seen);
        self.ran.receive(now, Ran::ue(UeId(0)), packet(now, size), cx);
        self.sent += 1;
    }

    /// Runs in steps of a millisecond until the UE has so many packets; gives the time.
    fn until(&mut self, count: usize, from: u64) -> u64 {
        let reached = (from..from + 5_000).find(|millis| {
            self.run(*millis);
            self.sizes(Ran::ue(UeId(0))).len() >= count
        });
        reached.expect("packets")
    }
}

#[test]
fn a_resume_in_another_cell_fetches_context_and_packets() {
    let mut lab = Lab::reselected(exact());
    // Cell 0 has it, and sends a page to cell 1, where it is received from 3209 to 3210 ms; connected 38 ms later.
    lab.down(3_203, 60);
    lab.down(3_204, 61);
    // On the old path behind the connection, and on the new one 20 ms behind it.
    lab.down(3_250, 62);
    // 5 ms for the addresses and 5 ms for the packets; two TTIs of preparation and one on the air.
    assert_eq!(lab.until(51, 3_250), 3_248 + 10 + 3);
    lab.down(3_269, 63);
    lab.run(4_000);
    let record = lab.seen.handovers.last().cloned().expect("a resume");
    assert_eq!((record.cause, record.outcome), (HandoverCause::Resume, HandoverOutcome::Success));
    let cells = (record.source, record.target, record.reached);
    assert_eq!(cells, (CellId(0), CellId(1), Some(CellId(1))));
    let times = (record.completed, record.path_switched);
    assert_eq!(times, (Some(Time::from_millis(3_248)), Some(Time::from_millis(3_268))));
    assert_eq!((record.forwarded, record.lost, record.preambles), (2, 0, 0));
    let down = lab.sizes(Ran::ue(UeId(0)));
    assert_eq!(down[50..], [60, 61, 62, 63]);
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
}

#[test]
fn a_page_in_another_cell_comes_after_its_transport() {
    let mut lab = Lab::reselected(exact());
    // The page comes to cell 1 at 3210 ms, behind the occasion at 3209 ms: the next is at 3529 ms.
    lab.down(3_205, 60);
    lab.run(5_000);
    let record = lab.seen.handovers.last().cloned().expect("a resume");
    assert_eq!(record.completed, Some(Time::from_millis(3_529 + 1 + 38)));
}

#[test]
fn without_forwarding_what_waited_in_the_last_cell_is_lost() {
    let mut lab = Lab::reselected(HandoverSetup { forwarding: None, ..exact() });
    lab.down(3_203, 60);
    // Behind the switch of the path.
    lab.down(3_270, 61);
    lab.run(4_000);
    let record = lab.seen.handovers.last().cloned().expect("a resume");
    assert_eq!((record.cause, record.forwarded, record.lost), (HandoverCause::Resume, 0, 1));
    assert_eq!(lab.seen.drops, [DropCause::Handover]);
    assert_eq!(lab.sizes(Ran::ue(UeId(0)))[50..], [61]);
    lab.check_books();
}

#[test]
fn an_uplink_packet_in_another_cell_waits_for_the_context_only() {
    let mut lab = Lab::reselected(exact());
    lab.up(3_100, 60);
    lab.run(4_000);
    let record = lab.seen.handovers.last().cloned().expect("a resume");
    assert_eq!(record.completed, Some(Time::from_millis(3_100 + 20 + 18)));
    assert_eq!(record.forwarded, 0);
    assert_eq!(lab.sizes(Ran::CORE).last(), Some(&60));
}

#[test]
fn back_in_the_last_cell_there_is_nothing_to_fetch() {
    let mut lab = Lab::reselected(exact());
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.run(6_000);
    let causes: Vec<_> = lab.seen.handovers.iter().map(|one| (one.cause, one.target)).collect();
    assert_eq!(causes, [0, 1].map(|n| (HandoverCause::Reselection, CellId(1 - n))));
    // Paged at 6089 ms: 320 * 19 + 9. Connected 21 ms later, received 3 ms later.
    lab.down(6_084, 60);
    assert_eq!(lab.until(51, 6_084), 6_113);
    assert_eq!(lab.seen.handovers.len(), 2);
}

#[test]
fn a_ue_that_became_idle_has_no_packets_elsewhere() {
    let (mut config, channel) = network((1, 2), 9, exact());
    config.ues[0].rrc = Some(suspending(Some(ms(200))));
    channel.set(0, &[-80.0, -90.0]);
    let mut lab = Lab::of(config, channel);
    lab.run(400);
    lab.channel.set(0, &[-95.0, -85.0]);
    lab.run(3_000);
    // Paged at 3209 ms by the core network: a promotion of 100 ms follows.
    lab.down(3_205, 60);
    assert_eq!(lab.until(1, 3_205), 3_210 + 100 + 3);
    assert_eq!(lab.seen.handovers.len(), 1, "the reselection alone");
}

#[test]
fn a_ue_that_becomes_inactive_under_a_command_stays_in_its_cell() {
    let mut met = 0;
    // The report is due at 116 ms, and the command is on the air from 166 to 169 ms. Some of these last data end the
    // connection then, 100 ms behind the last transmission for them.
    for last in 30..80 {
        let (mut config, channel) = network((1, 2), 9, exact());
        config.ues[0].rrc = Some(suspending(None));
        channel.set(0, &[-80.0, -78.0]);
        let mut lab = Lab::of(config, channel);
        lab.feed(0, last % 4, last + 1);
        let is_connected = |lab: &Lab| {
            let serving = lab.ran.serving[0];
            lab.ran.cells[serving.cell.index()].is_connected(serving.ue)
        };
        lab.run(165);
        let before = is_connected(&lab);
        lab.run(168);
        let meets = before && !is_connected(&lab);
        met += u32::from(meets);
        lab.feed(0, 180, 280);
        if meets {
            assert!(lab.seen.handovers.is_empty(), "{last} {:?}", lab.seen.handovers);
        }
        lab.run(5_000);
        lab.check_books();
        assert_eq!(lab.ran.held(), Held::default(), "{last}");
        let all: Vec<u32> = (100..100 + (lab.sent / 2) as u32).collect();
        assert_eq!(lab.sizes(Ran::ue(UeId(0))), all, "{last}");
    }
    assert!(met > 0);
}
