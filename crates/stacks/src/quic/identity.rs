//! Certificates, keys and identifiers of an end.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use airpath_base::random::Stream;
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::{
    ClientConfig, ConnectionId, ConnectionIdGenerator, EndpointConfig, ServerConfig, TimeSource,
};
use ring::{hkdf, hmac};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use super::config::bytes;
use super::provider::{Fixed, NOW_S, provider};
use crate::random;

/// Name of the server in its certificate.
pub(super) const NAME: &str = "airpath";
/// A certificate with an Ed25519 key that signs itself, until 2126.
const CERTIFICATE: &[u8] = include_bytes!("certificate.der");
/// Its key (PKCS #8).
const KEY: &[u8] = include_bytes!("key.der");
/// Largest payload of UDP that quinn-proto takes by default.
const USUAL: u16 = 1_472;
/// Bytes of a connection identifier.
const CID_LENGTH: usize = 8;

/// A fault of TLS's options: a mistake in airpath.
pub(super) type Fault = Box<dyn core::error::Error + Send + Sync>;

/// Options of an endpoint, whose keys come from this stream.
///
/// # Errors
///
/// If the largest payload of UDP is beyond those of IP.
pub(super) fn endpoint(draws: &mut Stream, largest: Option<u16>) -> Result<EndpointConfig, Fault> {
    let reset = hmac::Key::new(hmac::HMAC_SHA256, &bytes::<32>(draws));
    let mut config = EndpointConfig::new(Arc::new(reset));
    config.rng_seed(Some(bytes(draws)));
    config.cid_generator(|| Box::new(Identifiers));
    if let Some(largest) = largest.filter(|largest| *largest > USUAL) {
        config.max_udp_payload_size(largest)?;
    }
    Ok(config)
}

/// Options of connections that a client opens. `log` writes their keys.
pub(super) fn client(log: Option<Arc<dyn rustls::KeyLog>>) -> Result<ClientConfig, Fault> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from(CERTIFICATE))?;
    let builder = rustls::ClientConfig::builder_with_details(provider(), Arc::new(Fixed));
    let builder = builder.with_protocol_versions(&[&rustls::version::TLS13])?;
    let mut tls = builder.with_root_certificates(roots).with_no_client_auth();
    tls.resumption = rustls::client::Resumption::disabled();
    if let Some(log) = log {
        tls.key_log = log;
    }
    let mut config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?));
    config.initial_dst_cid_provider(Arc::new(|| Identifiers.generate_cid()));
    Ok(config)
}

/// Options of connections that a server accepts, whose keys of tokens come from this stream.
pub(super) fn server(draws: &mut Stream) -> Result<ServerConfig, Fault> {
    let builder = rustls::ServerConfig::builder_with_details(provider(), Arc::new(Fixed));
    let builder = builder.with_protocol_versions(&[&rustls::version::TLS13])?;
    let certificate = vec![CertificateDer::from(CERTIFICATE)];
    let key = PrivatePkcs8KeyDer::from(KEY);
    let mut tls = builder.with_no_client_auth().with_single_cert(certificate, key.into())?;
    // Tickets would need keys of the process.
    tls.send_tls13_tickets = 0;
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
