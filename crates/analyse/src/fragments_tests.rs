use airpath_wire::{Ecn, Endpoint, Protocol};
use proptest::prelude::*;

use super::*;

fn place(id: u32) -> Place {
    let end = |n| Endpoint::new([10, 0, 0, n], 0);
    Place { tuple: Tuple { src: end(1), dst: end(2), protocol: Protocol::UDP }, id }
}

fn add(
    fragments: &mut Fragments,
    id: u32,
    (offset, len, more): (u32, u32, bool),
    bytes: &[u8],
    seconds: u64,
) -> Result<Option<Whole>, ParseError> {
    let place = place(id);
    let ip = IpRepr::new(place.tuple, 0, Ecn::NotEct, 20 + len);
    let part = Fragment { id, offset, more };
    fragments.add(place, part, &ip, bytes, Time::from_millis(1000 * seconds), 100)
}

#[test]
fn parts_in_any_order_make_the_whole() {
    let mut fragments = Fragments::default();
    assert_eq!(add(&mut fragments, 1, (16, 4, false), &[3; 4], 0), Ok(None));
    assert_eq!(add(&mut fragments, 2, (0, 8, true), &[9; 8], 0), Ok(None)); // another's
    assert_eq!(add(&mut fragments, 1, (0, 8, true), &[1; 8], 0), Ok(None));
    let whole = add(&mut fragments, 1, (8, 8, true), &[2; 8], 0).unwrap().unwrap();
    let bytes = [[1u8; 8].as_slice(), &[2; 8], &[3; 4]].concat();
    assert_eq!(whole, Whole { len: 20, bytes, frames_len: 300, ecn: Ecn::NotEct });
    assert_eq!(fragments.orphans(), 1);
}

#[test]
fn a_mark_of_any_part_is_one_of_the_whole() {
    // RFC 3168, 5.3.
    for marked in 0..3 {
        let mut fragments = Fragments::default();
        let mut whole = None;
        for n in 0..3u32 {
            let ecn = if n == marked { Ecn::Ce } else { Ecn::Ect0 };
            let ip = IpRepr::new(place(1).tuple, 0, ecn, 28);
            let part = Fragment { id: 1, offset: 8 * n, more: n < 2 };
            let added = fragments.add(place(1), part, &ip, &[0; 8], Time::ZERO, 100);
            whole = added.unwrap();
        }
        assert_eq!(whole.map(|whole| whole.ecn), Some(Ecn::Ce));
    }
}

#[test]
fn cut_parts_leave_the_beginning() {
    let mut fragments = Fragments::default();
    assert_eq!(add(&mut fragments, 1, (0, 16, true), &[1; 10], 0), Ok(None));
    let whole = add(&mut fragments, 1, (16, 8, false), &[2; 8], 0).unwrap().unwrap();
    assert_eq!((whole.len, whole.bytes), (24, vec![1; 10]));
}

#[test]
fn what_waits_too_long_is_given_up() {
    let mut fragments = Fragments::default();
    assert_eq!(add(&mut fragments, 1, (0, 8, true), &[1; 8], 0), Ok(None));
    assert_eq!(add(&mut fragments, 1, (8, 8, false), &[1; 8], 61), Ok(None));
    assert_eq!(fragments.orphans(), 2);
}

#[test]
fn parts_that_no_packet_has_are_malformed() {
    let mut fragments = Fragments::default();
    for part in [(65_528, 8, false), (0, 0, true), (0, 9, true)] {
        assert_eq!(add(&mut fragments, 1, part, &[], 0), Err(ParseError::Malformed), "{part:?}");
    }
}

proptest! {
    #[test]
    fn overlapping_parts_make_the_whole_once_all_is_covered(
        parts in prop::collection::vec((0u32..20, 1u32..6), 0..60),
    ) {
        let mut fragments = Fragments::default();
        let mut covered = [false; 24];
        let mut done = false;
        add(&mut fragments, 1, (24 * 8, 3, false), &[0; 3], 0).unwrap();
        for (start, len) in parts {
            let range = start as usize..(start + len).min(24) as usize;
            let bytes = vec![0; 8 * range.len()];
            let part = (8 * start, bytes.len() as u32, true);
            let whole = add(&mut fragments, 1, part, &bytes, 0).unwrap();
            covered[range].fill(true);
            prop_assert_eq!(whole.is_some(), covered.iter().all(|c| *c));
            if let Some(whole) = whole {
                prop_assert_eq!(whole.len, 24 * 8 + 3);
                done = true;
                break;
            }
        }
        prop_assert_eq!(done, covered.iter().all(|c| *c));
    }
}
