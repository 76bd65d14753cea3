"""A QUIC transfer with aioquic, as `quic source` and `quic sink` of the benches' example make one with quinn.

    python aioquic_transfer.py source PORT newreno|cubic
    python aioquic_transfer.py sink HOST:PORT SECONDS

The source sends on a stream until its client closes the connection. The sink takes that for so many seconds,
handshake included, and prints the number of bytes.
"""

import asyncio
import datetime
import ssl
import sys

from aioquic.asyncio import QuicConnectionProtocol, connect, serve
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import HandshakeCompleted, StreamDataReceived
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PROTOCOLS = ["transfer"]
# Bytes that are written ahead of the congestion window.
AHEAD = 2_000_000


class Source(QuicConnectionProtocol):
    """Sends from the end of the handshake on."""

    def quic_event_received(self, event):
        if isinstance(event, HandshakeCompleted):
            self.writing = asyncio.ensure_future(self.write())

    async def write(self):
        stream = self._quic.get_next_available_stream_id(is_unidirectional=True)
        self._quic.send_stream_data(stream, b"")
        sender = self._quic._streams[stream].sender
        while True:
            waiting = sender._buffer_stop - sender._buffer_start
            if waiting < AHEAD:
                self._quic.send_stream_data(stream, bytes(AHEAD - waiting))
                self.transmit()
            await asyncio.sleep(0.01)


class Sink(QuicConnectionProtocol):
    """Counts bytes."""

    taken = 0

    def quic_event_received(self, event):
        if isinstance(event, StreamDataReceived):
            self.taken += len(event.data)


def certificate():
    """A key and a certificate that it has signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now - day).not_valid_after(now + day)
    return key, builder.sign(key, hashes.SHA256())


async def source(port, control):
    control = {"newreno": "reno"}.get(control, control)
    configuration = QuicConfiguration(is_client=False, alpn_protocols=PROTOCOLS, congestion_control_algorithm=control)
    configuration.private_key, configuration.certificate = certificate()
    await serve("::", port, configuration=configuration, create_protocol=Source)
    await asyncio.Future()


async def sink(address, seconds):
    host, port = address.rsplit(":", 1)
    configuration = QuicConfiguration(alpn_protocols=PROTOCOLS, verify_mode=ssl.CERT_NONE)
    # Flow control is no limit here.
    configuration.max_data = configuration.max_stream_data = 64_000_000
    end = asyncio.get_running_loop().time() + seconds
    async with connect(host, int(port), configuration=configuration, create_protocol=Sink) as client:
        await asyncio.sleep(end - asyncio.get_running_loop().time())
        print(client.taken)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["source", port, control]:
            asyncio.run(source(int(port), control))
        case ["sink", address, seconds]:
            asyncio.run(sink(address, float(seconds)))
        case _:
            sys.exit(__doc__)
