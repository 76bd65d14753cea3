use super::*;

const BYTES: [u32; 51] = {
    let mut bytes = [0; 51];
    let mut n = 0;
    while n < 51 {
        bytes[n] = 8 * n as u32;
        n += 1;
    }
    bytes
};

/// Two UEs that have something.
fn with_two<T>(placement: Placement, check: impl Fn([Candidate<'_>; 2], &mut Grants) -> T) -> T {
    let candidate = |n: u32| Candidate {
        ue: UeId(n),
        wanted: 100,
        head_of_line: Duration::ZERO,
        remaining: None,
        priority: 1,
        traffic: TrafficClasses::EMPTY,
        guaranteed: BitRate::from_bps(0),
        bytes: &BYTES,
        most: 50,
        layers: 1,
        control_elements: 1,
        index: UeIndex::new(n as usize),
        buffers: Buffers::Uplink(&[0, 7, 0, 9]),
    };
    let mut grants = Grants::new();
    grants.begin(placement, 50, ResourceBlocks::range(0, 50), None);
    check([candidate(0), candidate(1)], &mut grants)
}

#[test]
fn grants_come_off_what_is_free() {
    with_two(Placement::Blocks, |[one, other], grants| {
        assert!(grants.give(&one, 13));
        grants.give_blocks(&other, ResourceBlocks::range(40, 10));
        assert_eq!(grants.free_blocks(), ResourceBlocks::range(13, 27));
        let granted: Vec<(UeId, u16)> =
            grants.list().iter().map(|grant| (grant.ue, grant.blocks.count())).collect();
        assert_eq!(granted, [(UeId(0), 13), (UeId(1), 10)]);
    });
}

#[test]
fn downlink_groups_are_whole() {
    with_two(Placement::Groups(3), |[one, other], grants| {
        assert!(grants.give(&one, 4));
        assert!(grants.give(&other, 44));
        assert_eq!(grants.list()[0].blocks, ResourceBlocks::range(0, 6));
        assert_eq!(grants.free(), 0);
    });
}

#[test]
fn uplink_blocks_lie_side_by_side() {
    with_two(Placement::Contiguous, |[one, other], grants| {
        grants.give_blocks(&one, ResourceBlocks::range(20, 10));
        assert!(!grants.give(&other, 25));
        assert!(grants.give(&other, 20));
        assert_eq!(grants.list()[1].blocks, ResourceBlocks::range(0, 20));
    });
}

#[test]
#[should_panic(expected = "twice")]
fn nobody_is_granted_twice() {
    with_two(Placement::Blocks, |[one, _], grants| {
        grants.give(&one, 1);
        grants.give(&one, 1);
    });
}

#[test]
#[should_panic(expected = "not free")]
fn nothing_is_granted_twice() {
    with_two(Placement::Blocks, |[one, other], grants| {
        grants.give(&one, 1);
        grants.give_blocks(&other, ResourceBlocks::range(0, 1));
    });
}

#[test]
#[should_panic(expected = "which is not Groups(3)")]
fn a_group_is_not_divided() {
    with_two(Placement::Groups(3), |[one, _], grants| {
        grants.give_blocks(&one, ResourceBlocks::range(0, 2));
    });
}

#[test]
fn what_waits_by_class() {
    with_two(Placement::Blocks, |[one, _], _| {
        let classes: Vec<(u8, u32)> =
            one.classes().map(|class| (class.group, class.bytes)).collect();
        assert_eq!(classes, [(1, 7), (3, 9)]);
    });
}

#[test]
fn room_is_used_again() {
    with_two(Placement::Blocks, |[one, _], _| {
        let mut list: Vec<Candidate<'_>> = Vec::with_capacity(9);
        list.push(one);
        let pointer = list.as_ptr();
        let again: Vec<Candidate<'static>> = reuse(list);
        assert_eq!((again.len(), again.capacity(), again.as_ptr()), (0, 9, pointer.cast()));
    });
}

#[test]
fn elements_come_off_what_is_left() {
    with_two(Placement::Blocks, |[mut one, mut other], grants| {
        grants.begin(Placement::Blocks, 50, ResourceBlocks::range(0, 50), Some(5));
        one.control_elements = 4;
        other.control_elements = 2;
        assert!(grants.give(&one, 10));
        assert_eq!(grants.elements(), Some(1));
        assert!(!grants.give(&other, 10));
        assert!(!grants.give_blocks(&other, ResourceBlocks::range(20, 2)));
        assert_eq!((grants.list().len(), grants.free(), grants.blocked()), (1, 40, &[UeId(1)][..]));
        other.control_elements = 1;
        assert!(grants.give(&other, 10));
        assert_eq!((grants.elements(), grants.free()), (Some(0), 30));
    });
}

#[test]
fn who_lacks_elements_is_blocked_only_while_resource_blocks_are_free() {
    with_two(Placement::Blocks, |[one, other], grants| {
        for (count, blocked) in [(50, &[][..]), (49, &[UeId(1)][..])] {
            grants.begin(Placement::Blocks, 50, ResourceBlocks::range(0, 50), Some(1));
            assert!(grants.give(&one, count));
            grants.block_rest(&[one, other]);
            assert_eq!(grants.blocked(), blocked);
        }
    });
}

#[test]
fn the_best_groups_come_first() {
    // 50 resource blocks in groups of three; the last has two.
    let mut rates = [1.0; 17];
    (rates[4], rates[9], rates[16]) = (3.0, 2.0, 2.5);
    let best = |placement: Placement, free: ResourceBlocks, count: u16| {
        with_two(placement, |[one, _], grants| {
            grants.begin(placement, 50, free, None);
            assert!(grants.give_best(&one, count, &rates));
            grants.list()[0].blocks.iter().collect::<Vec<u16>>()
        })
    };
    let all = ResourceBlocks::range(0, 50);
    assert_eq!(best(Placement::Blocks, all, 3), [12, 13, 14]);
    assert_eq!(best(Placement::Blocks, all, 6), [12, 13, 14, 27, 48, 49]);
    // Of equal groups the first; of a group the first resource blocks.
    assert_eq!(best(Placement::Blocks, all, 9), [0, 12, 13, 14, 27, 28, 29, 48, 49]);
    // Groups are whole.
    assert_eq!(best(Placement::Groups(3), all, 6), [12, 13, 14, 27, 28, 29, 48, 49]);
    // Granted blocks are not free.
    let free = all.without(&ResourceBlocks::range(12, 2));
    assert_eq!(best(Placement::Blocks, free, 3), [14, 48, 49]);
    // All that is free is all that is free.
    assert_eq!(best(Placement::Blocks, ResourceBlocks::range(0, 5), 5), [0, 1, 2, 3, 4]);
}
