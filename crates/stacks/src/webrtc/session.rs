//! A peer connection of str0m whose signalling is done.
//!
//! Candidates, credentials of ICE, fingerprints and streams are known to both ends before the call. An offer and an answer
//! would have brought them (RFC 8829). No signalling is in the network.

use std::net::SocketAddr;
use std::time::Instant;

use airpath_wire::Endpoint;
use str0m::bwe::Bitrate;
use str0m::crypto::Fingerprint;
use str0m::ice::IceCreds;
use str0m::media::{MediaKind, Mid};
use str0m::rtp::Ssrc;
use str0m::{Candidate, Rtc, RtcConfig, RtcError};

use super::config::{Role, WebrtcConfig};
use super::crypto;

/// The only media section.
pub(super) fn mid() -> Mid {
    Mid::from("0")
}

/// An address as the standard library has it.
pub(super) fn socket(end: Endpoint) -> SocketAddr {
    SocketAddr::new(end.addr, end.port)
}

impl Role {
    fn other(self) -> Role {
        match self {
            Role::Client => Role::Server,
            Role::Server => Role::Client,
        }
    }

    /// Synchronisation sources of its video, and of its repeated video.
    pub(super) fn ssrcs(self) -> (Ssrc, Ssrc) {
        match self {
            Role::Client => (1.into(), 2.into()),
            Role::Server => (3.into(), 4.into()),
        }
    }

    fn credentials(self) -> IceCreds {
        let name = match self {
            Role::Client => "client",
            Role::Server => "server",
        };
        // At least 4 and 22 characters (RFC 8839, 5.4).
        IceCreds { ufrag: name.to_owned(), pass: format!("{name}-of-an-airpath-call") }
    }
}

/// The connection of an end, which sends video or does not. `start_bps` begins the bandwidth estimation, and `most` is its
/// goal, in bit/s.
pub(super) fn connect(
    config: &WebrtcConfig,
    sends: bool,
    (start_bps, most): (Option<f64>, f64),
    at: Instant,
) -> Result<Rtc, RtcError> {
    let (role, other) = (config.role, config.role.other());
    let options = RtcConfig::new()
        .set_crypto_provider(crypto::provider())
        .set_dtls_cert(crypto::certificate())
        .set_local_ice_credentials(role.credentials())
        .set_ice_lite(role == Role::Server)
        .clear_codecs()
        .enable_vp8(true)
        .enable_bwe(start_bps.map(Bitrate::from))
        .set_rtp_mode(true)
        // Feedback and sent packets, for results.
        .enable_raw_packets(true);
    let mut rtc = options.build(at);
    rtc.add_local_candidate(Candidate::host(socket(config.local), "udp").map_err(RtcError::Ice)?);
    rtc.add_remote_candidate(Candidate::host(socket(config.remote), "udp").map_err(RtcError::Ice)?);
    if start_bps.is_some() {
        rtc.bwe().set_bitrate(Bitrate::ZERO, Bitrate::from(most));
    }
    let mut direct = rtc.direct_api();
    direct.set_ice_controlling(role == Role::Client);
    direct.set_remote_ice_credentials(other.credentials());
    let fingerprint: Fingerprint = direct.local_dtls_fingerprint().clone();
    direct.set_remote_fingerprint(fingerprint);
    direct.enable_twcc_feedback();
    direct.declare_media(mid(), MediaKind::Video);
    if sends {
        let (video, repeated) = role.ssrcs();
        direct.declare_stream_tx(video, Some(repeated), mid(), None);
    }
    if config.receives {
        let (video, repeated) = other.ssrcs();
        direct.expect_stream_rx(video, Some(repeated), mid(), None);
    }
    direct.start_dtls(role == Role::Client)?;
    Ok(rtc)
}
