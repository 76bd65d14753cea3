use proptest::prelude::*;

use super::Format::{Long, Short, Truncated};
use super::Standard::{Lte, Nr};
use super::*;

fn groups(of: [u32; 4]) -> BytesByGroup {
    std::array::from_fn(|n| of.get(n).copied().unwrap_or(0))
}

fn report(standard: Standard, format: Format, left: BytesByGroup) -> BufferStatusReport {
    BufferStatusReport::new(Reserved { standard, format, bytes: 0 }, left, 1)
}

#[test]
fn levels_of_lte() {
    // TS 36.321, table 6.1.3.1-1: indices 0, 1, 2, 16, 45, 61, 62 and 63.
    let bytes = [0, 1, 10, 11, 92, 10_288, 109_440, 150_000, 150_001, u32::MAX];
    let read = [0, 10, 10, 12, 107, 12_043, 128_125, 150_000, 150_000, 150_000];
    assert_eq!(bytes.map(|bytes| Lte.level(Short, bytes).0), read);
    let open = bytes.map(|bytes| Lte.level(Long, bytes).1);
    assert_eq!(open, [false, false, false, false, false, false, false, false, true, true]);
    // From 10 to 150 000 in 61 equal factors, rounded up.
    for (n, level) in LTE_LEVELS[1..].iter().enumerate() {
        let exact = 10.0 * airpath_base::math::pow(15_000.0, n as f64 / 61.0);
        assert!((f64::from(*level) - exact - 0.5).abs() < 1.0, "{level}: {exact}");
    }
}

#[test]
fn levels_of_nr() {
    // TS 38.321, table 6.1.3.1-1: indices 1, 2, 9, 30 and 31.
    let bytes = [10, 11, 103, 150_000, 150_001];
    let read = [(10, false), (14, false), (142, false), (150_000, false), (150_000, true)];
    assert_eq!(bytes.map(|bytes| Nr.level(Short, bytes)), read);
    assert_eq!(bytes.map(|bytes| Nr.level(Truncated, bytes)), read);
    // Table 6.1.3.1-2: indices 1, 2, 145, 253 and 254.
    let bytes = [10, 11, 85_731, 81_338_368, 81_338_369];
    let read = [(10, false), (11, false), (91_295, false), (81_338_368, false), (81_338_368, true)];
    assert_eq!(bytes.map(|bytes| Nr.level(Long, bytes)), read);
}

#[test]
fn formats_by_groups_and_room() {
    let of = |standard: Standard, groups, room| {
        standard.reserve(groups, room).map(|reserved| (reserved.format, reserved.bytes))
    };
    // Of LTE: a subheader of a byte, then one or three.
    let formats = [(0, 2), (1, 9), (2, 9), (4, 4), (2, 3), (1, 1)];
    let [short, truncated] = [Short, Truncated].map(|format| Some((format, 2)));
    let long = |bytes| Some((Long, bytes));
    let expected = [short, short, long(4), long(4), truncated, None];
    assert_eq!(formats.map(|(groups, room)| of(Lte, groups, room)), expected);
    // Of NR: a subheader of two bytes, a bit for each group, a byte for each with data.
    let formats = [(0, 2), (1, 9), (2, 9), (8, 11), (8, 10), (2, 4), (1, 1)];
    let expected = [short, short, long(5), long(11), truncated, truncated, None];
    assert_eq!(formats.map(|(groups, room)| of(Nr, groups, room)), expected);
}

#[test]
fn groups_of_each() {
    assert_eq!([0, 3, 4, 9].map(|group| Lte.group(group)), [0, 3, 3, 3]);
    assert_eq!([0, 3, 4, 9].map(|group| Nr.group(group)), [0, 3, 4, 7]);
}

#[test]
fn what_each_format_tells() {
    let before = Reported::exact(groups([5, 6, 7, 8]));
    let left = groups([0, 100, 0, 20]);
    let read = |format| *report(Lte, format, left).read(before).by_group();
    assert_eq!(read(Long), groups([0, 107, 0, 22]));
    assert_eq!(read(Short), groups([0, 107, 0, 0]));
    assert_eq!(read(Truncated), groups([5, 107, 7, 8]));
    let estimates = |format| report(Lte, format, left).estimates()[..4].to_vec();
    assert_eq!(estimates(Long), [Some(0), Some(107), Some(0), Some(22)]);
    assert_eq!(estimates(Short), [Some(0), Some(107), Some(0), Some(0)]);
    assert_eq!(estimates(Truncated), [None, Some(107), None, None]);
}

#[test]
fn the_last_level_is_granted_until_a_report_says_less() {
    for standard in [Lte, Nr] {
        let left = groups([0, 1_000_000, 0, 0]);
        let mut reported = report(standard, Short, left).read(Reported::default());
        for _ in 0..100 {
            reported.deduct(100_000);
        }
        assert_eq!((reported.all(), reported.of(1)), (u32::MAX, 150_000));
        // More important groups are served before it.
        let mut both = report(standard, Truncated, left).read(Reported::exact(groups([9; 4])));
        both.deduct(5);
        both.deduct(5);
        assert_eq!(*both.by_group(), groups([0, 150_000, 9, 9]));
        assert_eq!((both.all(), both.least()), (u32::MAX, 150_018));
        let less = report(standard, Short, groups([0, 10, 0, 0])).read(reported);
        assert_eq!((less.all(), less.of(1)), (10, 10));
    }
    // A long report of NR has levels far beyond.
    let long = report(Nr, Long, groups([0, 1_000_000, 0, 0])).read(Reported::default());
    assert!((1_000_000..1_066_000).contains(&long.all()));
}

proptest! {
    #[test]
    fn a_level_is_no_less_than_the_buffer_and_near_it(bytes in 10u32..=150_000) {
        // LTE's levels grow by a sixth, NR's by 1.4 and by a fifteenth.
        for (standard, format, share) in [(Lte, Long, 5), (Nr, Short, 2), (Nr, Long, 10)] {
            let (read, open) = standard.level(format, bytes);
            prop_assert!(read >= bytes && !open);
            prop_assert!(read - bytes <= bytes / share + 1);
        }
    }
}
