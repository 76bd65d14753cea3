//! Certificates, keys and identifiers of an end.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use airpath_base::random::Stream;
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::{
    ClientConfig, ConnectionId, ConnectionIdGenerator, EndpointConfig, ServerConfig, TimeSource,
};
use ring::{hkdf, hmac};

use super::config::bytes;
use super::provider::NOW_S;
use super::tls::{self, Fault};
use crate::random;

/// Largest payload of UDP that quinn-proto takes by default.
const USUAL: u16 = 1_472;
/// Bytes of a connection identifier.
const CID_LENGTH: usize = 8;

/// Options of an endpoint, whose keys come from this stream.
///
/// # Errors
///
/// If the largest payload of UDP is beyond those of IP.
pub(super) fn endpoint(draws: &mut Stream, largest: Option<u16>) -> Result<EndpointConfig, Fault> {
    let reset = hmac::Key::new(hmac::HMAC_SHA256, &bytes::<32>(draws));
    let mut config = EndpointConfig::new(Arc::new(reset));
    config.rng_seed(Some(bytes(draws)));
    #[cfg(not(feature = "quinn-main"))]
    config.cid_generator(|| Box::new(Identifiers));
    #[cfg(feature = "quinn-main")]
    config.cid_generator(Arc::new(|| Box::new(Identifiers)));
    if let Some(largest) = largest.filter(|largest| *largest > USUAL) {
        config.max_udp_payload_size(largest)?;
    }
    Ok(config)
}

/// Options of connections that a client opens. `log` writes their keys.
pub(super) fn client(log: Option<Arc<dyn rustls::KeyLog>>) -> Result<ClientConfig, Fault> {
    let tls = tls::client(log)?;
    let mut config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?));
    config.initial_dst_cid_provider(Arc::new(|| Identifiers.generate_cid()));
    Ok(config)
}

/// Options of connections that a server accepts, whose keys of tokens come from this stream.
pub(super) fn server(draws: &mut Stream) -> Result<ServerConfig, Fault> {
    let tls = tls::server()?;
    let tokens = hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(&bytes::<64>(draws));
    let mut config =
        ServerConfig::new(Arc::new(QuicServerConfig::try_from(tls)?), Arc::new(tokens));
    config.time_source(Arc::new(Always));
    Ok(config)
}

/// Connection identifiers of the end whose stack is being called.
#[derive(Debug)]
struct Identifiers;

impl ConnectionIdGenerator for Identifiers {
    fn generate_cid(&mut self) -> ConnectionId {
        let mut bytes = [0; CID_LENGTH];
        random::fill(&mut bytes);
        ConnectionId::new(&bytes)
    }

    fn cid_len(&self) -> usize {
        CID_LENGTH
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// Time of tokens: always the same.
struct Always;

impl TimeSource for Always {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(NOW_S)
    }
}
