use airpath_wire::TcpRepr;

use super::*;
use crate::Options;
use crate::testing::From::{Client, Server};
use crate::testing::{Capture, analyse, seg};

/// A segment of TCP with this payload, captured up to `snap` bytes of it.
fn carried(capture: &mut Capture, micros: u64, up: bool, seq: u32, data: &[u8], snap: usize) {
    let from = if up { Client } else { Server };
    let segment = TcpRepr { payload_len: data.len() as u32, ..seg(seq, 1, 0) };
    capture.tcp_with(micros, from, &segment, &data[..data.len().min(snap)]);
}

#[test]
fn http_is_recognised_at_any_port() {
    let mut capture = Capture::new();
    capture.handshake();
    carried(&mut capture, 60_000, true, 1, b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", 999);
    let response = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 3\r\n\r\nabc";
    carried(&mut capture, 80_000, false, 1, response, 999);
    let flow = capture.flow();
    assert_eq!(
        (flow.application, flow.server_name.as_deref()),
        (Application::Http, Some("a.example"))
    );
    let http = flow.http.unwrap();
    assert_eq!(http.down.of(Content::Image), Carried { messages: 1, bytes: 3 });
    assert_eq!((http.requests, http.listed[0].status), (1, 200));
}

#[test]
fn without_payload_the_port_says_it() {
    for (port, application) in [
        (80, Application::Http),
        (8080, Application::Http),
        (443, Application::Https),
        (853, Application::Other),
        (53, Application::Dns),
    ] {
        assert_eq!(Names::default().named(port, true, false).application, application);
    }
    assert_eq!(Names::default().named(443, false, false).application, Application::Quic);
    assert_eq!(Names::default().named(80, false, true).application, Application::Quic);
    assert_eq!(Names::default().named(80, false, false).application, Application::Other);
}

#[test]
fn zeros_are_what_the_port_says() {
    let mut capture = Capture::new();
    capture.handshake();
    carried(&mut capture, 60_000, true, 1, &[0; 100], 100);
    let flow = capture.flow();
    assert_eq!((flow.application, flow.http), (Application::Https, None));
}

#[test]
fn dns_over_tcp_has_its_length_before_it() {
    let mut names = Names::default();
    let ask = |answer: u8| {
        [&[0, 23, 0, 9, answer, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1][..], b"a\0\0\x01\0\x01"].concat()
    };
    names.segment(Time::ZERO, true, 53, (1, 21), &ask(0));
    names.segment(Time::from_millis(5), false, 53, (1, 21), &ask(0x80));
    let dns = names.named(53, true, false).dns.unwrap();
    assert_eq!((dns.answers, dns.time_ms.map(|time| time.p50)), (1, Some(5.0)));
}

#[test]
fn payload_that_says_nothing_is_looked_at_a_few_times_only() {
    let mut names = Names::default();
    for _ in 0..MOST_LOOKED {
        names.segment(Time::ZERO, true, 99, (1, 4), b"abcd");
    }
    names.segment(Time::ZERO, true, 99, (1, 4), b"GET ");
    assert_eq!(names.named(99, true, false).application, Application::Other);
    assert_eq!(analyse(&Capture::new().bytes(), Options::default()).0, []);
}
