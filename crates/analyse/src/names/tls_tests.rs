use super::*;

fn prefixed(n: usize, content: &[u8]) -> Vec<u8> {
    let len = (content.len() as u32).to_be_bytes();
    [&len[4 - n..], content].concat()
}

/// A client's hello, written by RFC 8446, 4.1.2.
pub(crate) fn hello(name: &str, alpn: &[u8]) -> Vec<u8> {
    let entry = [&[0][..], &prefixed(2, name.as_bytes())].concat();
    let name = [&[0, 0][..], &prefixed(2, &prefixed(2, &entry))].concat();
    let versions = [&[0, 43][..], &prefixed(2, &[2, 3, 4])].concat();
    let alpn = [&[0, 16][..], &prefixed(2, &prefixed(2, &prefixed(1, alpn)))].concat();
    let extensions = prefixed(2, &[versions, name, alpn].concat());
    let body = [
        &[3, 3][..],
        &[7; 32],
        &prefixed(1, &[9; 32]),
        &prefixed(2, &[0x13, 1, 0x13, 2]),
        &prefixed(1, &[0]),
        &extensions,
    ]
    .concat();
    let message = [&[1][..], &prefixed(3, &body)].concat();
    [&[22, 3, 1][..], &prefixed(2, &message)].concat()
}

fn read(segments: &[&[u8]]) -> Said {
    let mut client = ClientHello::default();
    let mut seq = 100;
    for data in segments {
        client.segment(seq, data.len() as u32, data);
        seq += data.len() as u32;
    }
    client.given_up()
}

#[test]
fn a_hello_says_whom_it_means_and_what() {
    let bytes = hello("www.example", b"h2");
    assert!(begins(&bytes));
    let whole = Said { server_name: Some("www.example".into()), alpn: vec!["h2".into()] };
    assert_eq!(read(&[&bytes]), whole);
    assert_eq!(read(&[&bytes[..60], &bytes[60..]]), whole);
    assert!(!read(&[&hello("mail.example", b"imap")]).is_http());
}

#[test]
fn what_is_cut_says_what_there_is_of_it() {
    let bytes = hello("www.example", b"h2");
    for end in 0..bytes.len() {
        let said = read(&[&bytes[..end]]);
        assert!(said.alpn.is_empty());
    }
    let mut client = ClientHello::default();
    client.segment(1, bytes.len() as u32, &bytes[..bytes.len() - 9]);
    assert_eq!(client.said.server_name.as_deref(), Some("www.example"));
    client.segment(1, bytes.len() as u32, &bytes);
    assert!(client.said.alpn.is_empty(), "sent again is not read again");
}

#[test]
fn lengths_that_lie_do_no_harm() {
    let bytes = hello("www.example", b"h2");
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] = 0xff;
        read(&[&changed]);
    }
}
