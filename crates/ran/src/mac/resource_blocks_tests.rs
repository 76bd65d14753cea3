use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn of(numbers: impl IntoIterator<Item = u16>) -> ResourceBlocks {
    let one = |n| ResourceBlocks::range(n, 1);
    numbers.into_iter().fold(ResourceBlocks::EMPTY, |set, n| set.with(&one(n)))
}

#[test]
fn groups_of_a_carrier() {
    // TS 36.213, 7.1.6.1: 50 resource blocks are 16 groups of 3 and one of 2.
    let all = ResourceBlocks::range(0, 50);
    let groups = |set: &ResourceBlocks, count| set.groups(count, 3, 50).map(|set| set.count());
    assert_eq!(groups(&all, 6), Some(6));
    assert_eq!(groups(&all, 4), Some(6));
    assert_eq!(all.groups(5, 3, 50), Some(of([0, 1, 2, 48, 49])));
    assert_eq!(groups(&all, 50), Some(50));
    // A group of which one is taken is none.
    let some = all.without(&ResourceBlocks::range(1, 1));
    assert_eq!(some.whole_groups(3, 50).count(), 47);
    assert_eq!(groups(&some, 48), None);
    assert_eq!(some.groups(3, 3, 50), Some(of([3, 4, 5])));
    // Nothing is left but the last.
    assert_eq!(of([48, 49]).groups(1, 3, 50), Some(of([48, 49])));
}

#[test]
fn side_by_side() {
    let set = of([0, 1, 5, 6, 7, 63, 64, 65, 66]);
    assert_eq!(set.contiguous(2), Some(of([0, 1])));
    assert_eq!(set.contiguous(3), Some(of([5, 6, 7])));
    assert_eq!(set.contiguous(4), Some(of([63, 64, 65, 66])));
    assert_eq!(set.contiguous(5), None);
}

#[test]
fn the_end_of_the_carrier() {
    assert_eq!(ResourceBlocks::range(0, u16::MAX).count(), 273);
    assert_eq!(ResourceBlocks::range(270, 10), of([270, 271, 272]));
    assert!(ResourceBlocks::range(273, 5).is_empty() && !ResourceBlocks::EMPTY.contains(999));
}

proptest! {
    #[test]
    fn a_set_is_a_set(
        one in prop::collection::btree_set(0u16..273, 0..273),
        other in prop::collection::btree_set(0u16..273, 0..273),
        count in 0u16..280,
        range in (0u16..273, 0u16..273),
    ) {
        let (a, b) = (of(one.iter().copied()), of(other.iter().copied()));
        let mut grown = b;
        one.iter().copied().chain([273]).for_each(|n| grown.insert(n));
        prop_assert_eq!(grown, a.with(&b));
        let set = |set: ResourceBlocks| set.iter().collect::<BTreeSet<u16>>();
        prop_assert_eq!(&set(a), &one);
        prop_assert_eq!(a.count() as usize, one.len());
        prop_assert_eq!(set(a.with(&b)), one.union(&other).copied().collect());
        prop_assert_eq!(set(a.without(&b)), one.difference(&other).copied().collect());
        prop_assert_eq!(set(a.common(&b)), one.intersection(&other).copied().collect());
        let lowest: BTreeSet<u16> = one.iter().copied().take(usize::from(count)).collect();
        prop_assert_eq!(set(a.lowest(count)), lowest);
        let expected: BTreeSet<u16> = (range.0..(range.0 + range.1).min(273)).collect();
        prop_assert_eq!(set(ResourceBlocks::range(range.0, range.1)), expected);
        if let Some(found) = a.contiguous(count.min(20)) {
            prop_assert!(a.contains_all(&found) && found.count() == count.min(20));
        }
    }
}

proptest! {
    #[test]
    fn runs_and_eights(members in prop::collection::btree_set(0u16..273, 0..60)) {
        let set = members.iter().fold(ResourceBlocks::EMPTY, |set, n| {
            set.with(&ResourceBlocks::range(*n, 1))
        });
        let again: Vec<u16> = set.runs().flat_map(|(from, to)| from..to).collect();
        prop_assert!(again.iter().copied().eq(set.iter()));
        prop_assert!(set.runs().zip(set.runs().skip(1)).all(|(one, next)| one.1 < next.0));
        let eights = members.iter().fold(0, |eights, member| eights | 1 << (member / 8));
        prop_assert_eq!(set.eights(), eights);
    }
}
