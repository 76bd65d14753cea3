use airpath_base::{Duration, Time};
use airpath_wire::{Endpoint, Protocol, Tuple};

use super::*;
use crate::testing::From::{Client, Server};
use crate::testing::{Capture, analyse, seg};
use crate::{Options, When};

/// True if the filter holds for a packet of 10.0.0.1:40000 to this end.
fn holds(filter: &str, to: (&str, u16), protocol: Protocol) -> bool {
    let src = if to.0.contains(':') { "2001:db8::1" } else { "10.0.0.1" };
    let end = |addr: &str, port| Endpoint { addr: addr.parse().unwrap(), port };
    let (key, side) = Key::new(&Tuple { src: end(src, 40_000), dst: end(to.0, to.1), protocol });
    filter.parse::<Selection>().expect(filter).holds(&key, side)
}

#[test]
fn filters_hold_as_tcpdump_says() {
    let (web, dns) = (("192.0.2.1", 443), ("192.0.2.53", 53));
    for (filter, at_web, at_dns) in [
        ("host 10.0.0.1 and port 443", true, false),
        ("192.0.2.53", false, true),
        ("src host 192.0.2.1", false, false),
        ("dst 192.0.2.1", true, false),
        ("src or dst host 192.0.2.1", true, false),
        ("src and dst net 10.0.0.0/8", false, false),
        ("src net 10 and dst net 192.0.2", true, true),
        ("net 192.0.2.0 mask 255.255.255.192", true, true),
        ("tcp", true, false),
        ("udp port 53", false, true),
        ("tcp port 53", false, false),
        ("tcp dst port 443", true, false),
        ("portrange 400-500", true, false),
        ("dst portrange 0-100", false, true),
        ("ip", true, true),
        ("ip6 or icmp or icmp6", false, false),
        ("ip host 10.0.0.1", true, true),
        // The last qualifiers count on (pcap-filter(7)).
        ("port 80 or 443", true, false),
        ("host 192.0.2.1 or 192.0.2.53", true, true),
        ("not port 53", true, false),
        ("!udp&&port 443", true, false),
        // Equal precedence, to the left: (tcp or udp) and port 53.
        ("tcp or udp and port 53", false, true),
        ("tcp or (udp and port 53)", true, true),
        ("not (tcp or udp)", false, false),
    ] {
        assert_eq!(holds(filter, web, Protocol::TCP), at_web, "{filter}");
        assert_eq!(holds(filter, dns, Protocol::UDP), at_dns, "{filter}");
    }
    let six = ("2001:db8::2", 443);
    for filter in ["ip6", "host 2001:db8::2", "dst net 2001:db8::/32 and ip6 host 2001:db8::1"] {
        assert!(holds(filter, six, Protocol::TCP), "{filter}");
    }
    assert!(!holds("ip", six, Protocol::TCP) && !holds("net 0.0.0.0/0", six, Protocol::TCP));
}

#[test]
fn an_error_names_the_column_and_the_mend() {
    for (filter, column, mend) in [
        ("", 1, "expected host"),
        ("host", 5, "as 10.0.0.1"),
        ("host 10.0.0", 6, "as 10.0.0.1"),
        ("port 443 and", 13, "ends too soon"),
        ("port 70000", 6, "from 0 to 65535"),
        ("portrange 9-8", 11, "lesser first"),
        ("net 10.0.0.1/8", 5, "or write `host`"),
        ("net 10.0.0.0 mask 255.0.255.0", 19, "expected a mask"),
        ("(port 1", 8, "write a )"),
        ("port 1)", 7, "take it out"),
        ("port 1 host 10.0.0.1", 8, "`and` or `or`"),
        ("tcp host 10.0.0.1", 10, "`and` between"),
        ("vlan 7", 1, "expected host"),
        ("port 1 & port 2", 8, "`and` or `or`"),
        ("port é", 6, "from 0 to 65535"),
    ] {
        let error = filter.parse::<Selection>().expect_err(filter);
        assert_eq!(error.column, column, "{filter}: {error}");
        assert!(error.to_string().contains(mend), "{filter}: {error}");
    }
    let deep = "(".repeat(100_000);
    assert_eq!(deep.parse::<Selection>().unwrap_err().column, 65);
}

#[test]
fn times_are_seconds_or_dates() {
    let at = |nanos| Ok(When::At(Time::from_nanos(nanos)));
    // By date(1) of GNU coreutils: date -u -d DATE +%s.
    assert_eq!("2026-11-26T13:44:50Z".parse(), at(1795700690 * 1_000_000_000));
    assert_eq!("2026-11-26 14:44:50.5+01:00".parse(), at(1795700690 * 1_000_000_000 + 500_000_000));
    assert_eq!("2024-02-29T00:00".parse(), at(1709164800 * 1_000_000_000));
    assert_eq!("@1795700690.000000001".parse(), at(1795700690 * 1_000_000_000 + 1));
    assert_eq!("2.5".parse(), Ok(When::After(Duration::from_millis(2500))));
    for text in [
        "",
        "-1",
        "1e3",
        "2026-11-26",
        "2026-13-01T00:00",
        "2026-02-31T00:00",
        "2026-11-26T25:00",
        "@",
        "1.0000000001",
    ] {
        assert_eq!(text.parse::<When>(), Err(NotATime), "{text}");
    }
}

/// Three segments of the server's at 0, 1 and 2 s from port 443, and one of port 80 at 1 s.
fn capture() -> Vec<u8> {
    let mut capture = Capture::new();
    for (port, n) in [(443, 0), (443, 1), (80, 1), (443, 2)] {
        capture.port = port;
        capture.tcp(1_000_000 * n, Server, &seg(1 + 100 * n as u32, 1, 100));
    }
    capture.tcp(2_000_000, Client, &seg(1, 301, 0));
    capture.bytes()
}

#[test]
fn only_what_is_selected_is_in_a_flow() {
    let flows = |options| {
        let (flows, totals) = analyse(&capture(), options);
        let mut all: Vec<_> =
            flows.iter().map(|f| (f.server.port, f.up.packets + f.down.packets)).collect();
        all.sort_unstable();
        (all, totals.packets)
    };
    let select = |text: &str| Options { select: text.parse().ok(), ..Options::default() };
    assert_eq!(flows(select("port 443")).0, [(443, 4)]);
    assert_eq!(flows(select("src port 443")).0, [(443, 3)]);
    let span = |from: &str, to: &str| Options {
        span: [from.parse().ok(), to.parse().ok()],
        ..Options::default()
    };
    // The first limit is part of the span, the second one is not. The capture begins at 1 s of 1970.
    assert_eq!(flows(span("0.5", "2")), (vec![(80, 1), (443, 1)], 2));
    assert_eq!(flows(span("@3", "")), (vec![(443, 2)], 2));
    assert_eq!(flows(span("", "1970-01-01T00:00:02Z")), (vec![(443, 1)], 1));
}
