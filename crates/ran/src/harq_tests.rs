use super::*;

fn outstanding(tti: u64, count: u16) -> Outstanding {
    Outstanding { tti, blocks: ResourceBlocks::range(0, count), scheme: Scheme::default() }
}

#[test]
fn a_downlink_process_is_busy_for_a_round_trip_and_while_its_block_waits() {
    let mut entity = Entity::default();
    let free = |entity: &Entity, tti| entity.free_process(tti, 3, |sent| sent + 3 <= tti);
    for tti in 0..3 {
        assert_eq!(free(&entity, tti), Some(tti as u16));
        entity.begin(tti as u16, tti, 10 + tti as u32);
        entity.end(tti as u16);
    }
    // Decoded at once, yet busy until feedback has come; then in turn again.
    assert_eq!(free(&entity, 3), Some(0));
    entity.begin(0, 3, 20);
    entity.wait(0, 20);
    // The block waits: its process is not free, however long that takes.
    assert_eq!(free(&entity, 9), Some(1));
    entity.resend(0, 9, 20);
    assert_eq!(free(&entity, 9), None); // one block a TTI
    entity.end(0);
    assert_eq!((free(&entity, 11), free(&entity, 12)), (Some(1), Some(0)));
}

#[test]
fn with_all_processes_waiting_none_is_free() {
    let mut entity = Entity::default();
    for process in 0..2 {
        entity.begin(process, u64::from(process), 0);
        entity.wait(process, 0);
    }
    assert_eq!(entity.free_process(1_000, 2, |_| true), None);
}

#[test]
fn the_new_data_indicator_toggles_with_new_blocks_only() {
    let mut entity = Entity::default();
    assert!(entity.begin(0, 0, 1));
    entity.wait(0, 1);
    entity.resend(0, 8, 1);
    entity.end(0);
    assert!(!entity.begin(0, 16, 2));
    assert!(entity.begin(1, 17, 3));
}

#[test]
fn an_uplink_tti_is_granted_once_and_not_to_a_process_that_waits() {
    let mut entity = Entity::default();
    let process = |entity: &Entity, tti| entity.uplink_process(tti, OfTti::One((tti % 8) as u16));
    assert_eq!(process(&entity, 5), Some(5));
    entity.grant(5, outstanding(5, 3));
    assert_eq!((process(&entity, 5), process(&entity, 6)), (None, Some(6)));
    assert_eq!(entity.take_grant(13), None);
    assert_eq!(entity.take_grant(5), Some((5, outstanding(5, 3))));
    entity.begin(5, 5, 7);
    assert_eq!(process(&entity, 5), None);
    // No feedback yet: the next TTI of the process may be granted.
    assert_eq!(process(&entity, 13), Some(5));
    entity.grant(5, outstanding(13, 2));
    entity.wait(5, 7);
    // It failed: the retransmission takes that TTI.
    assert!(entity.take_grant(13).is_some());
    assert_eq!((process(&entity, 13), process(&entity, 21)), (None, None));
    assert_eq!(process(&entity, 14), Some(6));
}

#[test]
fn any_free_process_takes_a_block_of_an_asynchronous_uplink() {
    let mut entity = Entity::default();
    let process = |entity: &Entity, tti| entity.uplink_process(tti, OfTti::Any(2));
    assert_eq!(process(&entity, 4), Some(0));
    entity.grant(0, outstanding(4, 3));
    // The TTI is granted, and the process has its grant; then both have.
    assert_eq!((process(&entity, 4), process(&entity, 9)), (None, Some(1)));
    entity.grant(1, outstanding(9, 3));
    assert_eq!(process(&entity, 14), None);
    assert_eq!(entity.take_grant(9).map(|(process, _)| process), Some(1));
    entity.begin(1, 9, 7);
    assert_eq!(process(&entity, 14), None);
    // Decoded: free at once, but not for the TTI in which it sent.
    entity.end(1);
    assert_eq!((process(&entity, 9), process(&entity, 14)), (None, Some(1)));
    entity.begin(1, 14, 8);
    entity.wait(1, 8);
    assert_eq!(process(&entity, 19), None);
}
