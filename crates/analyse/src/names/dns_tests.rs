use super::*;

/// A message as RFC 1035, 4.1 has it.
fn message(id: u16, flags: u16, labels: &[&[u8]], kind: u16) -> Vec<u8> {
    let mut bytes =
        [id, flags, 1, 0, 0, 0].iter().flat_map(|w| w.to_be_bytes()).collect::<Vec<_>>();
    for label in labels {
        bytes.push(label.len() as u8);
        bytes.extend_from_slice(label);
    }
    bytes.push(0);
    bytes.extend(kind.to_be_bytes());
    bytes.extend([0, 1]);
    bytes
}

const NAME: [&[u8]; 2] = [b"Www", b"example"];

#[test]
fn the_time_is_that_from_the_first_question_to_the_answer() {
    let mut lookups = Lookups::default();
    let mut at = |ms, id, flags, kind| {
        lookups.message(Time::from_millis(ms), &message(id, flags, &NAME, kind));
    };
    at(10, 7, 0x0100, 1);
    at(12, 8, 0x0100, 28);
    at(1010, 7, 0x0100, 1);
    at(1020, 8, 0x8183, 28);
    at(1030, 7, 0x8180, 1);
    at(1040, 7, 0x8180, 1); // to the repeated one
    let dns = lookups.dns();
    assert_eq!((dns.queries, dns.retries, dns.answers), (2, 1, 2));
    let lookup = |kind, rcode, time_ms, retries| {
        let name = "www.example".into();
        Lookup { name, kind, rcode, time_ms, retries }
    };
    assert_eq!(dns.listed, [lookup(28, 3, 1008.0, 0), lookup(1, 0, 1020.0, 1)]);
    assert_eq!(dns.time_ms.map(|time| (time.min, time.max)), Some((1008.0, 1020.0)));
}

#[test]
fn answers_to_nobody_and_other_messages_do_not_count() {
    let mut lookups = Lookups::default();
    let good = message(1, 0x8180, &NAME, 1);
    lookups.message(Time::ZERO, &good);
    lookups.message(Time::ZERO, &message(1, 0x2800, &NAME, 6)); // an update
    for end in 0..good.len() - 2 {
        lookups.message(Time::ZERO, &good[..end]);
    }
    lookups.message(Time::ZERO, &message(1, 0, &[&[b'x'; 64][..]], 1));
    lookups.message(Time::ZERO, &message(1, 0, &[&[b'x'; 60][..]; 6], 1));
    assert_eq!(lookups.dns(), Dns::default());
}

#[test]
fn odd_names_are_written_readably() {
    let mut lookups = Lookups::default();
    for flags in [0, 0x8000] {
        lookups.message(Time::ZERO, &message(1, flags, &[b"a.b", b"\x00\\"], 1));
    }
    assert_eq!(&*lookups.dns().listed[0].name, "a\\.b.\\000\\\\");
}

#[test]
fn open_questions_are_bounded() {
    let mut lookups = Lookups::default();
    (0..1000).for_each(|id| lookups.message(Time::ZERO, &message(id, 0, &NAME, 1)));
    assert!(lookups.heap() < 16_384 && lookups.dns().queries == 1000);
    lookups.message(Time::ZERO, &message(999, 0x8000, &NAME, 1));
    lookups.message(Time::ZERO, &message(3, 0x8000, &NAME, 1));
    assert_eq!(lookups.dns().answers, 1);
}
