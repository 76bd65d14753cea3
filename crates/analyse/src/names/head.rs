//! Heads of HTTP/1 messages (RFC 9112, 2 to 6): what of them frames the body and names
//! its content.

use super::content::Content;

/// End of a message's body (RFC 9112, 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// After so many bytes; zero without a body.
    Length(u64),
    /// By a last chunk.
    Chunked,
    /// With the connection.
    UntilEnd,
    /// Another protocol follows.
    Tunnel,
}

/// Content of a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Status of a response; none of a request.
    pub(super) status: Option<u16>,
    /// True if it is a request whose response has no body (HEAD).
    pub(super) bodiless: bool,
    pub(super) framing: Framing,
    pub(super) content: Content,
    pub(super) host: Option<Box<str>>,
}

/// Methods with which a request is known (IANA registry "HTTP Methods", the usual ones).
const METHODS: [&[u8]; 12] = [
    b"GET ",
    b"POST ",
    b"HEAD ",
    b"PUT ",
    b"DELETE ",
    b"OPTIONS ",
    b"PATCH ",
    b"CONNECT ",
    b"TRACE ",
    b"PROPFIND ",
    b"REPORT ",
    b"PRI * HTTP/2", // RFC 9113, 3.4
];
/// Longest name of a host (RFC 1035, 2.3.4), with a port.
const LONGEST_HOST: usize = 261;

/// True if these bytes begin a request.
pub(super) fn begins_request(bytes: &[u8]) -> bool {
    METHODS.iter().any(|method| bytes.starts_with(method))
}

/// True if these bytes begin a response.
pub(super) fn begins_response(bytes: &[u8]) -> bool {
    bytes.starts_with(b"HTTP/1.")
}

impl Head {
    /// Reads a head, or as much of one as there is; none if it is not one.
    pub(super) fn parse(bytes: &[u8]) -> Option<Head> {
        let mut lines = bytes.split(|byte| *byte == b'\n').map(text);
        let first = lines.next()?;
        let status = match begins_response(bytes) {
            true => Some(first.split_ascii_whitespace().nth(1)?.parse::<u16>().ok()?),
            false if begins_request(bytes) => None,
            false => return None,
        };
        let method = first.split(' ').next().unwrap_or_default();
        let mut head = Head {
            status,
            bodiless: status.is_none() && method == "HEAD",
            framing: if status.is_some() { Framing::UntilEnd } else { Framing::Length(0) },
            content: Content::Unknown,
            host: None,
        };
        lines.filter_map(|line| line.split_once(':')).for_each(|(name, value)| {
            head.field(name, value.trim());
        });
        match status {
            Some(101) => head.framing = Framing::Tunnel,
            Some(100..=199 | 204 | 304) => head.framing = Framing::Length(0),
            None if matches!(method, "CONNECT" | "PRI") => head.framing = Framing::Tunnel,
            _ => {}
        }
        Some(head)
    }

    fn field(&mut self, name: &str, value: &str) {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if is("content-type") {
            self.content = Content::of(value);
        } else if is("transfer-encoding") {
            // RFC 9112, 6.3: it overrides the length; without "chunked" it ends with the
            // connection.
            if value.to_ascii_lowercase().ends_with("chunked") {
                self.framing = Framing::Chunked;
            }
        } else if is("content-length") && self.framing != Framing::Chunked {
            if let Ok(length) = value.parse() {
                self.framing = Framing::Length(length);
            }
        } else if is("host") && value.len() <= LONGEST_HOST {
            self.host = Some(value.into());
        }
    }
}

/// A line as text; what is no text is left out of consideration.
fn text(line: &[u8]) -> &str {
    core::str::from_utf8(line).unwrap_or_default().trim_end_matches('\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_says_how_its_body_ends() {
        let framing = |fields: &str, status: u16| {
            let text = format!("HTTP/1.1 {status} Fine\r\n{fields}\r\n\r\n");
            Head::parse(text.as_bytes()).unwrap().framing
        };
        assert_eq!(framing("Content-Length: 12", 200), Framing::Length(12));
        assert_eq!(framing("content-length:12", 304), Framing::Length(0));
        assert_eq!(framing("X: y", 200), Framing::UntilEnd);
        assert_eq!(framing("X: y", 204), Framing::Length(0));
        assert_eq!(framing("Upgrade: websocket", 101), Framing::Tunnel);
        let both = "Transfer-Encoding: gzip, Chunked\r\nContent-Length: 5";
        assert_eq!(framing(both, 200), Framing::Chunked);
        let both = "Content-Length: 5\r\nTransfer-Encoding: chunked";
        assert_eq!(framing(both, 200), Framing::Chunked);
        assert_eq!(framing("Content-Length: x", 200), Framing::UntilEnd);
    }

    #[test]
    fn a_request_has_a_body_only_if_it_says_so() {
        let head = Head::parse(b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n").unwrap();
        assert_eq!((head.framing, head.host.as_deref()), (Framing::Length(0), Some("a.example")));
        let head = b"POST /x HTTP/1.1\r\nContent-Type: image/png\r\nContent-Length: 9\r\n\r\n";
        let head = Head::parse(head).unwrap();
        assert_eq!((head.framing, head.content), (Framing::Length(9), Content::Image));
        assert!(Head::parse(b"HEAD / HTTP/1.1\r\n\r\n").unwrap().bodiless);
        let head = Head::parse(b"CONNECT a.example:443 HTTP/1.1\r\n\r\n").unwrap();
        assert_eq!(head.framing, Framing::Tunnel);
    }

    #[test]
    fn what_is_no_head_is_none() {
        for bytes in [&b""[..], b"GET", b"HTTP/1.1", b"HTTP/1.1 abc", b"\x16\x03\x01"] {
            assert_eq!(Head::parse(bytes), None);
        }
    }
}
