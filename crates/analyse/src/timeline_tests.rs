use super::*;

fn frame(seconds: u64) -> Frame<'static> {
    let link = airpath_wire::link::LinkType::RAW;
    let at = Time::from_millis(1000 * seconds);
    Frame { at, timed: true, link, interface: 0, len: 0, bytes: &[], offset: seconds }
}

/// The times at which frames of these times count, in seconds, and in what order; and how time
/// ran backwards.
fn times(seconds: &[u64]) -> (Vec<(u64, u64)>, Backwards) {
    let (mut timeline, mut seen) = (Timeline::default(), Vec::new());
    let mut note = |frame: &Frame<'_>, now: Time| {
        assert!(frame.at <= now);
        seen.push((frame.offset, now.as_nanos() / 1_000_000_000));
    };
    let chunk: &[u8] = &[];
    for second in seconds {
        let frame = Frame { bytes: chunk, ..frame(*second) };
        if !timeline.goes_on(frame.at) {
            if let Some((held, _)) = timeline.release(Some(frame.at), chunk) {
                note(&held, timeline.now());
            }
            if !timeline.goes_on(frame.at) && timeline.place(&frame, chunk) == Place::Held {
                continue;
            }
        }
        note(&frame, timeline.now());
    }
    if let Some((held, _)) = timeline.release(None, chunk) {
        note(&held, timeline.now());
    }
    (seen, timeline.take_backwards())
}

#[test]
fn a_leap_counts_once_the_next_packet_agrees() {
    let backwards = Backwards::default();
    let kept = |seconds: &[u64]| seconds.iter().map(|s| (*s, *s)).collect::<Vec<_>>();
    for pause in [&[1, 2, 7202, 7203][..], &[1, 2, 7202], &[9000], &[9000, 9001], &[1, 4000, 9000]]
    {
        assert_eq!(times(pause), (kept(pause), backwards));
    }
    // Alone among others, it counts when the one before does.
    assert_eq!(
        times(&[1, 2, 7202, 3, 4]),
        (vec![(1, 1), (2, 2), (7202, 2), (3, 3), (4, 4)], backwards)
    );
    // The first has none before it.
    assert_eq!(times(&[9000, 100, 101]), (vec![(9000, 100), (100, 100), (101, 101)], backwards));
}

#[test]
fn time_stays_with_what_was_overtaken_and_goes_back_with_a_clock_that_was_set_back() {
    let (seen, backwards) = times(&[1, 5, 3, 6]);
    assert_eq!(seen, [(1, 1), (5, 5), (3, 5), (6, 6)]);
    let most = Duration::from_secs(2);
    assert_eq!(backwards, Backwards { count: 1, offset: 3, most });
    let (seen, backwards) = times(&[7201, 7202, 1, 2]);
    assert_eq!(seen, [(7201, 7201), (7202, 7202), (1, 1), (2, 2)]);
    assert_eq!((backwards.count, backwards.most), (1, Duration::from_secs(7201)));
}
