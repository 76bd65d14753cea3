//! TLS of ends, for any stack that takes the options of rustls.
//!
//! Random numbers are those of the end whose stack is being called ([`random`](crate::random)), so two runs have the same
//! bytes.

use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use super::provider::{Fixed, provider};

/// Name of the server in its certificate.
pub const NAME: &str = "airpath";

/// A certificate with an Ed25519 key that signs itself, until 2126.
const CERTIFICATE: &[u8] = include_bytes!("certificate.der");
/// Its key (PKCS #8).
const KEY: &[u8] = include_bytes!("key.der");

/// A fault of TLS's options: a mistake in airpath.
pub type Fault = Box<dyn core::error::Error + Send + Sync>;

/// Options of TLS 1.3 of a client that trusts the certificate of [`server`]. `log` writes the keys of its connections.
///
/// # Errors
///
/// If rustls refuses the options.
pub fn client(log: Option<Arc<dyn rustls::KeyLog>>) -> Result<ClientConfig, Fault> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(CERTIFICATE))?;
    let builder = ClientConfig::builder_with_details(provider(), Arc::new(Fixed));
    let builder = builder.with_protocol_versions(&[&rustls::version::TLS13])?;
    let mut tls = builder.with_root_certificates(roots).with_no_client_auth();
    tls.resumption = rustls::client::Resumption::disabled();
    if let Some(log) = log {
        tls.key_log = log;
    }
    Ok(tls)
}

/// Options of TLS 1.3 of a server with a fixed Ed25519 certificate for [`NAME`], without tickets.
///
/// # Errors
///
/// If rustls refuses the options.
pub fn server() -> Result<ServerConfig, Fault> {
    let builder = ServerConfig::builder_with_details(provider(), Arc::new(Fixed));
    let builder = builder.with_protocol_versions(&[&rustls::version::TLS13])?;
    let certificate = vec![CertificateDer::from(CERTIFICATE)];
    let key = PrivatePkcs8KeyDer::from(KEY);
    let mut tls = builder.with_no_client_auth().with_single_cert(certificate, key.into())?;
    // Tickets would need keys of the process.
    tls.send_tls13_tickets = 0;
    Ok(tls)
}
