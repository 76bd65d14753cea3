use proptest::prelude::*;

use super::super::http::Connection;
use super::*;

const RESPONSES: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n\
HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 10\r\n\r\n0123456789\
HTTP/1.1 206 Partial\r\nContent-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n\
6\r\nabcdef\r\n3;x=y\r\nghi\r\n0\r\nTrailer: x\r\n\r\n\
HTTP/1.1 404 No\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\noops\
HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\n\r\nuntil the end";

/// Messages and bytes of video, image, text, audio and unknown.
fn seen(connection: &Connection) -> [(u64, u64); 5] {
    let classes = [Content::Video, Content::Image, Content::Text, Content::Audio, Content::Unknown];
    let down = connection.http().down;
    classes.map(|class| (down.of(class).messages, down.of(class).bytes))
}

const ALL: [(u64, u64); 5] = [(1, 10), (1, 9), (1, 4), (1, 13), (0, 0)];

#[test]
fn several_responses_of_a_connection_are_told_apart() {
    let mut connection = Connection::default();
    connection.segment(false, 1, RESPONSES.len() as u32, RESPONSES);
    assert_eq!(seen(&connection), ALL);
    let http = connection.http();
    assert_eq!((http.responses, http.errors), (4, 1));
    let listed: Vec<_> = http.listed.iter().map(|r| (r.status, r.content, r.bytes)).collect();
    assert_eq!(listed[1], (206, Content::Image, 9));
    assert_eq!(listed[3], (200, Content::Audio, 13));
}

#[test]
fn responses_to_head_have_no_body() {
    let mut connection = Connection::default();
    let requests = b"GET /a HTTP/1.1\r\nHost: h\r\n\r\nHEAD /b HTTP/1.1\r\n\r\n";
    connection.segment(true, 1, requests.len() as u32, requests);
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
    let responses = [&head[..], b"ab", head, head, b"cd"].concat();
    connection.segment(false, 1, responses.len() as u32, &responses);
    let http = connection.http();
    assert_eq!((http.requests, http.responses, http.down.all().bytes), (2, 3, 4));
    assert_eq!(connection.host(), Some("h"));
}

#[test]
fn bodies_that_were_cut_are_counted_by_their_lengths() {
    let head =
        |n: u32| format!("HTTP/1.1 200 OK\r\nContent-Type: video/x\r\nContent-Length: {n}\r\n\r\n");
    let mut connection = Connection::default();
    let first = head(5000);
    let mut seq = 1u32;
    for (len, data) in [
        (1000, first.as_bytes()),
        (1000, b"\0\0\0"),
        (3000 + first.len() as u32, b"HTTP/1.1 is not looked at in a body"),
        (head(7).len() as u32 + 7, head(7).as_bytes()),
    ] {
        connection.segment(false, seq, len, data);
        seq = seq.wrapping_add(len);
    }
    assert_eq!(seen(&connection)[0], (2, 5007));
}

#[test]
fn where_a_chunk_is_cut_the_body_goes_on_until_the_next_message() {
    let mut connection = Connection::default();
    let head =
        b"HTTP/1.1 200 OK\r\nContent-Type: image/x\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n";
    connection.segment(false, 1, head.len() as u32 + 500, head);
    connection.segment(false, 501 + head.len() as u32, 1000, b"\0\0");
    let next = b"HTTP/1.1 200 OK\r\nContent-Type: audio/x\r\nContent-Length: 9\r\n\r\n123456789";
    connection.segment(false, 1501 + head.len() as u32, next.len() as u32, next);
    let seen = seen(&connection);
    // 100 bytes of the first chunk; 400 and 1000 bytes with line ends and sizes.
    assert_eq!((seen[1], seen[3]), ((1, 1498), (1, 9)));
}

#[test]
fn a_head_with_no_end_is_given_up() {
    let mut connection = Connection::default();
    connection.segment(false, 1, 12, b"HTTP/1.1 200");
    for n in 0..100 {
        connection.segment(false, 13 + 1000 * n, 1000, &[b'x'; 1000]);
    }
    assert!(connection.heap() < 64, "{}", connection.heap());
}

proptest! {
    /// However the bytes are cut into segments, repeated or overlapped.
    #[test]
    fn segments_do_not_matter(cuts in prop::collection::vec((1usize..80, 0usize..30), 1..60)) {
        let mut connection = Connection::default();
        let (mut at, mut cuts) = (0, cuts.into_iter().cycle());
        while at < RESPONSES.len() {
            let (len, back) = cuts.next().unwrap_or((1, 0));
            let (from, to) = (at.saturating_sub(back), (at + len).min(RESPONSES.len()));
            let data = &RESPONSES[from..to];
            let seq = (u32::MAX - 20).wrapping_add(from as u32);
            connection.segment(false, seq, data.len() as u32, data);
            at = to;
        }
        prop_assert_eq!(seen(&connection), ALL);
    }

    /// No byte is counted twice in any input.
    #[test]
    fn bytes_are_counted_once(
        pieces in prop::collection::vec((0u32..3000, 0u32..1500, any::<u8>(), 0usize..500), 1..50),
    ) {
        let mut connection = Connection::default();
        let most = 3000 + 1500;
        for (seq, len, flip, cut) in pieces {
            let mut data = RESPONSES[..cut.min(RESPONSES.len()).min(len as usize)].to_vec();
            if let Some(byte) = data.get_mut(usize::from(flip)) {
                *byte ^= flip;
            }
            connection.segment(false, seq, len, &data);
        }
        prop_assert!(connection.http().down.all().bytes <= most);
    }
}
