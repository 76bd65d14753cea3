// Writes a capture of two TCP flows whose client asks for a server with a name that is HTML (SNI,
// RFC 6066): odd.mjs FILE.pcap NAME.

import { writeFile } from "node:fs/promises";

const [file, name] = process.argv.slice(2);
const SERVER = [10, 0, 0, 2, 443];
const [FIN, SYN, PSH, ACK] = [1, 2, 8, 16];

const short = (value) => [(value >> 8) & 255, value & 255];
const long = (value) => [(value >>> 24) & 255, (value >> 16) & 255, ...short(value)];
/** A part with its length before it, in so many bytes. */
const sized = (bytes, body) => [...long(body.length).slice(4 - bytes), ...body];

/** A ClientHello (RFC 8446, 4.1.2) in a record. */
function hello() {
  const names = sized(2, [0, ...sized(2, [...Buffer.from(name)])]);
  const extensions = sized(2, [0, 0, ...sized(2, names)]);
  const body = [3, 3, ...Array(32).fill(7), 0, ...sized(2, [0x13, 0x01]), 1, 0, ...extensions];
  return [22, 3, 1, ...sized(2, [1, ...sized(3, body)])];
}

/** An Ethernet frame with TCP in IPv4, without checksums. */
function frame(from, to, flags, sequence, acknowledged, data = []) {
  const tcp = [...short(from[4]), ...short(to[4]), ...long(sequence), ...long(acknowledged), 5 << 4, flags,
    ...short(60_000), 0, 0, 0, 0, ...data];
  const ip = [0x45, 0, ...short(20 + tcp.length), 0, 0, 0x40, 0, 64, 6, 0, 0, ...from.slice(0, 4), ...to.slice(0, 4)];
  return [...Array(12).fill(2), 8, 0, ...ip, ...tcp];
}

/** A connection from a port: what is asked, and an answer of so many bytes. */
function connection(port, size) {
  const client = [10, 0, 0, 1, port];
  const asked = hello();
  const end = [1 + asked.length, 1 + size];
  return [
    frame(client, SERVER, SYN, 0, 0),
    frame(SERVER, client, SYN | ACK, 0, 1),
    frame(client, SERVER, ACK, 1, 1),
    frame(client, SERVER, PSH | ACK, 1, 1, asked),
    frame(SERVER, client, PSH | ACK, 1, end[0], Array(size).fill(23)),
    frame(client, SERVER, FIN | ACK, end[0], end[1]),
    frame(SERVER, client, FIN | ACK, end[1], end[0] + 1),
    frame(client, SERVER, ACK, end[0] + 1, end[1] + 1),
  ];
}

const frames = [...connection(50_000, 1200), ...connection(50_001, 400)];
const little = (value) => [...long(value)].reverse();
const head = [...little(0xa1b2c3d4), 2, 0, 4, 0, ...little(0), ...little(0), ...little(65_535), ...little(1)];
const records = frames.flatMap((bytes, n) =>
  [...little(1_700_000_000), ...little(n * 10_000), ...little(bytes.length), ...little(bytes.length), ...bytes]);
await writeFile(file, Buffer.from([...head, ...records]));
