use airpath_base::random::Seed;
use airpath_base::{Db, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Direction, Event, Node, Probe, RadioEvent};

use super::super::full_buffer::tests::full;
use crate::Ran;
use crate::config::{CellConfig, Combining};
use crate::phy::nr::Nr;
use crate::phy::{McsTable, Technology};

/// Bits of decoded blocks, by direction.
#[derive(Default)]
struct Bits([u64; 2]);

impl Probe for Bits {
    fn on(&mut self, _now: Time, _node: airpath_base::NodeId, event: &Event<'_>) {
        if let Event::Radio(RadioEvent::Block { direction, bytes, decoded: true, .. }) = *event {
            self.0[direction as usize] += 8 * u64::from(bytes);
        }
    }
}

fn network(snr: [f64; 2], technology: Technology) -> Ran {
    combining(snr, technology, Combining::Incremental)
}

fn combining(snr: [f64; 2], technology: Technology, combining: Combining) -> Ran {
    let links = snr.map(|db| Db(db).linear());
    let change = |cell: &mut CellConfig| {
        (cell.technology, cell.first_error) = ([technology; 2], None);
        cell.combining = combining;
    };
    Ran::new(full(&[links], change), Seed(2)).expect("a network")
}

#[test]
fn rates_of_the_tables() {
    // TS 36.213, table 7.1.7.2.1-1: I_TBS 26 in 50 resource blocks, 36 696 bits a millisecond.
    let [down, up] = network([60.0; 2], Technology::Lte(McsTable::Qam64)).reach(UeId(0));
    assert_eq!((down.mcs, up.mcs), (Some(28), Some(28)));
    assert_eq!([down, up].map(|reach| reach.rate.as_bps()), [36_696_000; 2]);
    assert!((down.sinr_db - 60.0).abs() < 1e-4 && down.resource_blocks == 50);
    // Out of range downlink alone.
    let [down, up] = network([-15.0, 20.0], Technology::Lte(McsTable::Qam64)).reach(UeId(0));
    assert_eq!((down.mcs, down.rate.as_bps()), (None, 0));
    assert!((down.sinr_db + 15.0).abs() < 1e-4 && up.mcs.is_some());
}

#[test]
fn a_user_alone_gets_what_is_said() {
    let nr = Technology::Nr(Nr::DEFAULT);
    let (sum, chase) = (Combining::Incremental, Combining::Chase);
    for (technology, kind, snr) in [
        (Technology::Lte(McsTable::Qam64), sum, 2.0),
        (Technology::Lte(McsTable::Qam64), sum, 13.0),
        (Technology::Lte(McsTable::Qam64), chase, 13.0),
        (nr, sum, 1.0),
        (nr, sum, 8.5),
        (nr, chase, 8.5),
        (nr, sum, 30.0),
    ] {
        let mut ran = combining([snr; 2], technology, kind);
        let expected = ran.reach(UeId(0)).map(|reach| reach.rate.as_bps() as f64);
        let (mut bench, mut bits) = (Bench::new(), Bits::default());
        while let Some(due) = ran.next_wake().filter(|&due| due < Time::from_millis(4_000)) {
            ran.wake(due, &mut bench.cx_watched(due, &mut bits));
        }
        for direction in Direction::ALL {
            let share = bits.0[direction as usize] as f64 / 4.0 / expected[direction as usize];
            assert!((0.97..1.02).contains(&share), "{technology:?} {snr} {direction:?} {share}");
        }
    }
}
