//! Cryptography of TLS whose random numbers are those of the end ([`random`](crate::random)).
//!
//! Ciphers, hashes and signatures are ring's. Its key exchange cannot be seeded, so X25519 (RFC 7748) is that of
//! x25519-dalek.

use std::sync::Arc;

use rustls::crypto::ring::{cipher_suite, default_provider};
use rustls::crypto::{
    ActiveKeyExchange, CryptoProvider, GetRandomFailed, SecureRandom, SharedSecret,
    SupportedKxGroup,
};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::pki_types::UnixTime;
use rustls::time_provider::TimeProvider;
use rustls::{Error, NamedGroup, PeerMisbehaved};
use x25519_dalek::{PublicKey, StaticSecret};

use crate::random;

/// Seconds from 1970 to the time of certificates and tokens: 1 January 2030.
pub(super) const NOW_S: u64 = 1_893_456_000;

/// The provider.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(CryptoProvider {
        cipher_suites: vec![cipher_suite::TLS13_AES_128_GCM_SHA256],
        kx_groups: vec![&X25519],
        secure_random: &OfTheEnd,
        ..default_provider()
    })
}

/// Random numbers of the end whose stack is being called.
#[derive(Debug)]
struct OfTheEnd;

impl SecureRandom for OfTheEnd {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
        random::fill(bytes).then_some(()).ok_or(GetRandomFailed)
    }
}

/// Time at which certificates are checked: always the same.
#[derive(Debug)]
pub struct Fixed;

impl TimeProvider for Fixed {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(std::time::Duration::from_secs(NOW_S)))
    }
}

/// X25519.
#[derive(Debug)]
struct X25519;

struct Exchange {
    secret: StaticSecret,
    public: PublicKey,
}

impl SupportedKxGroup for X25519 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let mut secret = [0; 32];
        if !random::fill(&mut secret) {
            return Err(Error::FailedToGetRandomBytes);
        }
        let secret = StaticSecret::from(secret);
        let public = PublicKey::from(&secret);
        Ok(Box::new(Exchange { secret, public }))
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }
}

impl ActiveKeyExchange for Exchange {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let invalid = || Error::from(PeerMisbehaved::InvalidKeyShare);
        let peer = <[u8; 32]>::try_from(peer).map_err(|_| invalid())?;
        let shared = self.secret.diffie_hellman(&PublicKey::from(peer));
        match shared.was_contributory() {
            true => Ok(SharedSecret::from(&shared.as_bytes()[..])),
            false => Err(invalid()),
        }
    }

    fn pub_key(&self) -> &[u8] {
        self.public.as_bytes()
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}
