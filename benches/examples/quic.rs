//! A QUIC transfer, for tests that want a program that speaks QUIC.
//!
//! - `quic server PORT` sends back all data of each stream.
//! - `quic client HOST:PORT BYTES` sends that many bytes and checks the answer.
//! - `quic source PORT cubic|bbr` sends on a stream to each client until the client closes the connection.
//! - `quic sink HOST:PORT SECONDS` takes that for so many seconds, handshake included, and prints the number of bytes.
//!
//! Segmentation offload is off, so each packet has the ECN field of its own.
//!
//! The certificate is made afresh and is not checked: what is tried here is what carries packets.

use std::env;
use std::error::Error;
use std::net::{Ipv6Addr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use quinn::congestion::BbrConfig;
use quinn::crypto::rustls::QuicClientConfig;
use quinn::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use quinn::rustls::crypto::{CryptoProvider, ring};
use quinn::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use quinn::rustls::{ClientConfig, DigitallySignedStruct, Error as TlsError, SignatureScheme};
use quinn::{Connection, Endpoint, ServerConfig, TransportConfig};

type Failed = Box<dyn Error + Send + Sync>;

const USAGE: &str = "use: quic server PORT, quic source PORT cubic|bbr, quic client HOST:PORT BYTES, or quic sink HOST:PORT SECONDS";

fn main() -> Result<(), Failed> {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match words[..] {
        ["server", port] => runtime.block_on(serve(port.parse()?, None)),
        ["client", server, bytes] => runtime.block_on(fetch(server, bytes.parse()?)),
        ["source", port, "cubic"] => runtime.block_on(serve(port.parse()?, Some(Control::Cubic))),
        ["source", port, "bbr"] => runtime.block_on(serve(port.parse()?, Some(Control::Bbr))),
        ["sink", server, seconds] => {
            let time = Duration::from_secs_f64(seconds.parse()?);
            let bytes = runtime.block_on(take(server, time))?;
            println!("{bytes}");
            Ok(())
        }
        _ => Err(USAGE.into()),
    }
}

/// Congestion control of a source.
#[derive(Clone, Copy)]
enum Control {
    Cubic,
    Bbr,
}

fn transport(control: Control) -> Arc<TransportConfig> {
    let mut transport = TransportConfig::default();
    transport.enable_segmentation_offload(false);
    if let Control::Bbr = control {
        transport.congestion_controller_factory(Arc::new(BbrConfig::default()));
    }
    Arc::new(transport)
}

/// Serves any number of clients, whatever becomes of those: as a source with its congestion control, or else as an echo.
async fn serve(port: u16, source: Option<Control>) -> Result<(), Failed> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let mut config = ServerConfig::with_single_cert(vec![made.cert.into()], key.into())?;
    config.transport_config(transport(source.unwrap_or(Control::Cubic)));
    let endpoint = Endpoint::server(config, (Ipv6Addr::UNSPECIFIED, port).into())?;
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async move {
            let connection = incoming.await?;
            if source.is_some() { give(&connection).await } else { echo(&connection).await }
        });
    }
    Ok(())
}

/// Sends back all data of a stream.
async fn echo(connection: &Connection) -> Result<(), Failed> {
    let (mut send, mut receive) = connection.accept_bi().await?;
    let bytes = receive.read_to_end(usize::MAX).await?;
    send.write_all(&bytes).await?;
    send.finish()?;
    connection.closed().await;
    Ok(())
}

/// Sends until the connection is closed.
async fn give(connection: &Connection) -> Result<(), Failed> {
    let mut send = connection.open_uni().await?;
    let data = [0x5a; 16_384];
    loop {
        send.write_all(&data).await?;
    }
}

/// Receives for a time from the first packet on. Gives the number of bytes.
async fn take(server: &str, time: Duration) -> Result<usize, Failed> {
    let mut bytes = 0;
    let end = tokio::time::Instant::now() + time;
    let (endpoint, connection) = connect(server).await?;
    let taking = async {
        let mut stream = connection.accept_uni().await?;
        while let Some(chunk) = stream.read_chunk(usize::MAX, true).await? {
            bytes += chunk.bytes.len();
        }
        Ok::<(), Failed>(())
    };
    if let Ok(ended) = tokio::time::timeout_at(end, taking).await {
        ended?;
    }
    connection.close(0_u8.into(), b"done");
    endpoint.wait_idle().await;
    Ok(bytes)
}

async fn connect(server: &str) -> Result<(Endpoint, Connection), Failed> {
    let server = server.to_socket_addrs()?.next().ok_or("no such host")?;
    let any: SocketAddr = (Ipv6Addr::UNSPECIFIED, 0).into();
    let mut endpoint = Endpoint::client(any)?;
    let provider = Arc::new(ring::default_provider());
    let tls = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Unchecked(provider)))
        .with_no_client_auth();
    let mut config = quinn::ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?));
    config.transport_config(transport(Control::Cubic));
    endpoint.set_default_client_config(config);
    let connection = endpoint.connect(mapped(server), "localhost")?.await?;
    Ok((endpoint, connection))
}

async fn fetch(server: &str, bytes: usize) -> Result<(), Failed> {
    let (endpoint, connection) = connect(server).await?;
    let (mut send, mut receive) = connection.open_bi().await?;
    let sent: Vec<u8> = (0..bytes).map(|place| (place % 251) as u8).collect();
    let writing = async {
        send.write_all(&sent).await?;
        send.finish()?;
        Ok::<(), Failed>(())
    };
    let reading = async { Ok::<_, Failed>(receive.read_to_end(usize::MAX).await?) };
    let ((), back) = tokio::try_join!(writing, reading)?;
    if back != sent {
        return Err("what came back is not what was sent".into());
    }
    connection.close(0_u8.into(), b"done");
    endpoint.wait_idle().await;
    Ok(())
}

/// The address as a socket of IPv6 has it.
fn mapped(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) => (v4.ip().to_ipv6_mapped(), v4.port()).into(),
        v6 @ SocketAddr::V6(_) => v6,
    }
}

/// Takes any certificate.
#[derive(Debug)]
struct Unchecked(Arc<CryptoProvider>);

impl ServerCertVerifier for Unchecked {
    fn verify_server_cert(
        &self,
        _end: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        Err(TlsError::General("QUIC has TLS 1.3".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let known = &self.0.signature_verification_algorithms;
        quinn::rustls::crypto::verify_tls13_signature(message, certificate, signed, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
