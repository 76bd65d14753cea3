//! DTLS by dimpl (RFC 6347), with a fixed certificate and seeded random numbers.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use dimpl::crypto::CryptoProvider;
use str0m::config::DtlsCert;
use str0m::crypto::CryptoError;
use str0m::crypto::dtls::{
    DtlsImplError, DtlsInstance, DtlsOutput, DtlsProvider, DtlsVersion, ProtocolVersion,
};

use super::sign::Signatures;
use super::suite::{Hashes, Suite, X25519};
use crate::random;

/// A certificate with a key of P-256 that signs itself, until 2126.
const CERTIFICATE: &[u8] = include_bytes!("../certificate.der");
/// Its key (PKCS #8).
const KEY: &[u8] = include_bytes!("../key.der");

/// The certificate of all ends.
pub(in super::super) fn certificate() -> DtlsCert {
    DtlsCert { certificate: CERTIFICATE.to_vec(), private_key: KEY.to_vec() }
}

/// The provider.
#[derive(Debug)]
pub(super) struct Dtls;

impl DtlsProvider for Dtls {
    fn generate_certificate(&self) -> Option<DtlsCert> {
        Some(certificate())
    }

    fn new_dtls(
        &self,
        cert: &DtlsCert,
        now: Instant,
        version: DtlsVersion,
        mtu: Option<usize>,
    ) -> Result<Box<dyn DtlsInstance>, CryptoError> {
        let mut seed = [0; 8];
        if !random::fill(&mut seed) {
            return Err(CryptoError::Other("no random numbers outside of a call".to_owned()));
        }
        // ICE has proved the address of the client, so no cookie does (RFC 6347, 4.2.1).
        let mut config = dimpl::Config::builder()
            .use_server_cookie(false)
            .dangerously_set_rng_seed(u64::from_le_bytes(seed))
            .with_crypto_provider(provider());
        if let Some(mtu) = mtu {
            config = config.mtu(mtu);
        }
        let config = Arc::new(config.build().map_err(CryptoError::DtlsImpl)?);
        let dtls = match version {
            DtlsVersion::Dtls13 => dimpl::Dtls::new_13(config, cert.clone(), now),
            DtlsVersion::Auto => dimpl::Dtls::new_auto(config, cert.clone(), now),
            _ => dimpl::Dtls::new_12(config, cert.clone(), now),
        };
        Ok(Box::new(Instance(dtls)))
    }
}

/// Cryptography of dimpl.
fn provider() -> CryptoProvider {
    CryptoProvider {
        kx_groups: &[&X25519],
        signature_verification: &Signatures,
        key_provider: &Signatures,
        secure_random: &Hashes,
        hash_provider: &Hashes,
        hmac_provider: &Hashes,
        cipher_suites: &[&Suite],
        dtls13_cipher_suites: &[&Suite],
    }
}

/// A connection of dimpl.
struct Instance(dimpl::Dtls);

impl DtlsInstance for Instance {
    fn set_active(&mut self, active: bool) {
        self.0.set_active(active);
    }

    fn handle_packet(&mut self, packet: &[u8]) -> Result<(), DtlsImplError> {
        self.0.handle_packet(packet)
    }

    fn poll_output<'a>(&mut self, buf: &'a mut [u8]) -> DtlsOutput<'a> {
        self.0.poll_output(buf)
    }

    fn handle_timeout(&mut self, now: Instant) -> Result<(), DtlsImplError> {
        self.0.handle_timeout(now)
    }

    fn send_application_data(&mut self, data: &[u8]) -> Result<usize, DtlsImplError> {
        self.0.send_application_data(data)
    }

    fn is_active(&self) -> bool {
        self.0.is_active()
    }

    fn protocol_version(&self) -> Option<ProtocolVersion> {
        self.0.protocol_version()
    }

    fn is_closing(&self) -> bool {
        self.0.is_closing()
    }

    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    fn close(&mut self) -> Result<(), DtlsImplError> {
        self.0.close()
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Instance")
    }
}
