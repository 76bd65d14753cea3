use super::*;

fn outstanding(tti: u64, count: u16) -> Outstanding {
    Outstanding { tti, blocks: ResourceBlocks::range(0, count), scheme: Scheme::default() }
}

#[test]
fn a_downlink_process_is_busy_for_a_round_trip_and_while_its_block_waits() {
    let mut entity = Entity::default();
    for tti in 0..3 {
        assert_eq!(entity.free_process(tti, 3), Some(tti as u16));
        entity.begin(tti as u16, tti, 10 + tti as u32);
        entity.end(tti as u16);
    }
    // Decoded at once, yet busy until feedback has come; then in turn again.
    assert_eq!(entity.free_process(3, 3), Some(0));
    entity.begin(0, 3, 20);
    entity.wait(0, 20);
    // The block waits: its process is not free, however long that takes.
    assert_eq!(entity.free_process(9, 3), Some(1));
    entity.resend(0, 9, 20);
    assert_eq!(entity.free_process(9, 3), None); // one block a TTI
    entity.end(0);
    assert_eq!((entity.free_process(11, 3), entity.free_process(12, 3)), (Some(1), Some(0)));
}

#[test]
fn with_all_processes_waiting_none_is_free() {
    let mut entity = Entity::default();
    for process in 0..2 {
        entity.begin(process, u64::from(process), 0);
        entity.wait(process, 0);
    }
    assert_eq!(entity.free_process(1_000, 2), None);
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
    assert!(entity.can_grant(5, 8));
    entity.grant(outstanding(5, 3), 8);
    assert!(!entity.can_grant(5, 8) && entity.can_grant(6, 8));
    assert_eq!(entity.take_grant(13, 8), None);
    assert_eq!(entity.take_grant(5, 8).map(|grant| grant.blocks.count()), Some(3));
    entity.begin(5, 5, 7);
    assert!(!entity.can_grant(5, 8));
    // No feedback yet: the next TTI of the process may be granted.
    assert!(entity.can_grant(13, 8));
    entity.grant(outstanding(13, 2), 8);
    entity.wait(5, 7);
    // It failed: the retransmission takes that TTI.
    assert!(entity.take_grant(13, 8).is_some());
    assert_eq!((entity.can_grant(13, 8), entity.can_grant(21, 8)), (false, false));
    assert!(entity.can_grant(14, 8));
}
