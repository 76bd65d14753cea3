//! Application of a flow, and its visible names: HTTP messages, the server's name in TLS, DNS
//! lookups.
//!
//! The payload names the application if it is recognised. Otherwise the server's port does, as in
//! the study (section 4.1: HTTP is port 80 or 8080, HTTPS 443). Captures of headers allow no more.
//! Payload is read until the application is known, at most in the first eight segments that have
//! any. Of HTTP, only the beginnings of messages are read, by lengths.

mod content;
mod dns;
mod framing;
mod head;
mod http;
mod tls;

pub use content::{Carried, Content, Contents};
pub use dns::{Dns, Lookup};
pub use http::{Http, Response};
pub(crate) use tls::{Said, hello};

use airpath_base::Time;
use serde::Serialize;

/// Segments with payload that are looked at in vain.
const MOST_LOOKED: u8 = 8;
/// Ports of DNS (RFC 1035, 4.2).
const DNS: u16 = 53;

/// Kind of application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Application {
    /// HTTP in the clear.
    Http,
    /// HTTP over TLS.
    Https,
    /// Something else over TLS.
    Tls,
    /// DNS.
    Dns,
    /// QUIC.
    Quic,
    /// RTP and RTCP.
    Rtp,
    /// Something else.
    Other,
}

/// State of the recognition of a flow's application.
#[derive(Debug)]
pub(crate) enum Names {
    /// Nothing, after so many segments.
    Unknown(u8),
    Http(Box<http::Connection>),
    Tls(Box<tls::ClientHello>),
    Dns(Box<dns::Lookups>),
}

impl Default for Names {
    fn default() -> Names {
        Names::Unknown(0)
    }
}

/// Recognised application and names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Named {
    pub(crate) application: Application,
    pub(crate) server_name: Option<String>,
    pub(crate) alpn: Vec<String>,
    pub(crate) http: Option<Http>,
    pub(crate) dns: Option<Dns>,
}

impl Application {
    /// All of them.
    pub const ALL: [Application; 7] = [
        Application::Http,
        Application::Https,
        Application::Tls,
        Application::Dns,
        Application::Quic,
        Application::Rtp,
        Application::Other,
    ];

    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Application::Http => "http",
            Application::Https => "https",
            Application::Tls => "tls",
            Application::Dns => "dns",
            Application::Quic => "quic",
            Application::Rtp => "rtp",
            Application::Other => "other",
        }
    }

    /// By the server's port.
    fn by_port(port: u16, tcp: bool) -> Application {
        match (port, tcp) {
            (80 | 8080, true) => Application::Http,
            (443, true) => Application::Https,
            (443, false) => Application::Quic,
            (DNS, _) => Application::Dns,
            _ => Application::Other,
        }
    }
}

impl Names {
    /// Takes a TCP segment with payload, of which `data` was captured; upward if `up`, to or from a
    /// server's `port`. `place` is the begin of the payload, and its length.
    #[inline]
    pub(crate) fn segment(
        &mut self,
        at: Time,
        up: bool,
        port: u16,
        place: (u32, u32),
        data: &[u8],
    ) {
        match self {
            Names::Unknown(looked) if data.is_empty() || *looked >= MOST_LOOKED => {}
            _ => self.look(at, up, port, place, data),
        }
    }

    #[inline(never)]
    fn look(&mut self, at: Time, up: bool, port: u16, (seq, len): (u32, u32), data: &[u8]) {
        if let Names::Unknown(looked) = self {
            *self = Names::begun_by(data, port).unwrap_or(Names::Unknown(*looked + 1));
        }
        match self {
            Names::Http(connection) => connection.segment(up, seq, len, data),
            Names::Tls(hello) if up => hello.segment(seq, len, data),
            // Over TCP each message has its length before it (RFC 1035, 4.2.2).
            Names::Dns(lookups) => lookups.message(at, data.get(2..).unwrap_or_default()),
            _ => {}
        }
    }

    /// A UDP datagram to or from a server's `port`.
    pub(crate) fn datagram(&mut self, at: Time, port: u16, payload: &[u8]) {
        if port != DNS || payload.is_empty() {
            return;
        }
        if let Names::Unknown(_) = self {
            *self = Names::Dns(Box::default());
        }
        if let Names::Dns(lookups) = self {
            lookups.message(at, payload);
        }
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        match self {
            Names::Unknown(_) => 0,
            Names::Http(connection) => size_of::<http::Connection>() + connection.heap(),
            Names::Tls(hello) => size_of::<tls::ClientHello>() + hello.heap(),
            Names::Dns(lookups) => size_of::<dns::Lookups>() + lookups.heap(),
        }
    }

    /// Application that begins with these bytes.
    fn begun_by(data: &[u8], port: u16) -> Option<Names> {
        if http::begins(data) {
            Some(Names::Http(Box::default()))
        } else if tls::begins(data) {
            Some(Names::Tls(Box::default()))
        } else if port == DNS {
            Some(Names::Dns(Box::default()))
        } else {
            None
        }
    }

    /// Application and names of a flow with this server's port; `quic` if QUIC was seen.
    pub(crate) fn named(&self, port: u16, tcp: bool, quic: bool) -> Named {
        let by_port = if quic { Application::Quic } else { Application::by_port(port, tcp) };
        let none = Named {
            application: by_port,
            server_name: None,
            alpn: Vec::new(),
            http: None,
            dns: None,
        };
        match self {
            Names::Unknown(_) => none,
            Names::Http(connection) => Named {
                application: Application::Http,
                server_name: connection.host().map(str::to_owned),
                http: Some(connection.http()),
                ..none
            },
            Names::Tls(hello) => {
                let said = hello.given_up();
                let https = said.is_http() || by_port == Application::Https;
                let application = if https { Application::Https } else { Application::Tls };
                Named { application, ..none }.with(said)
            }
            Names::Dns(lookups) => Named { dns: Some(lookups.dns()), ..none },
        }
    }
}

impl Named {
    /// With what the first message of a TLS client says.
    pub(crate) fn with(self, said: Said) -> Named {
        let server_name = said.server_name.map(String::from);
        Named { server_name, alpn: said.alpn.into_iter().map(String::from).collect(), ..self }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    pub(crate) use super::tls::tests::hello;
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
