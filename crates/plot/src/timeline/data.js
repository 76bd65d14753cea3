// The data of a timeline: columns of numbers, and what can be looked up in them.

/** What of a packet's time is spent where; in the order of the data. */
const STAGES = [
  "sender", "wired_queue", "wired", "rrc", "pdcp", "uplink_access", "rlc", "radio", "harq", "arq",
  "reestablishment", "reordering", "processing",
];
const NONE = -1;
const [NEW, AGAIN, STATUS, FULL] = [0, 1, 2, 3];
const [UNKNOWN, DECODED, FAILED, MISSED] = [0, 1, 2, 3];
const [ELEMENTS, LOST, REQUEST] = [0, 2, 3];

/** The bytes of all columns, which are deflated. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A column of whole numbers: each is a zigzag varint, perhaps of the difference to the last. */
function column(bytes, { at, rows, differences }) {
  const out = new Float64Array(rows);
  let place = at;
  let last = 0;
  for (let n = 0; n < rows; n += 1) {
    let [value, scale, byte] = [0, 1, 0];
    do {
      byte = bytes[place];
      place += 1;
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    value = value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    last = differences ? last + value : value;
    out[n] = last;
  }
  return out;
}

/** Where the rows of each of `count` groups begin in a list of rows by group. */
function grouped(count, of) {
  const starts = new Uint32Array(count + 1);
  for (const group of of) if (group >= 0) starts[group + 1] += 1;
  for (let n = 0; n < count; n += 1) starts[n + 1] += starts[n];
  const rows = new Uint32Array(starts[count]);
  const next = starts.slice();
  of.forEach((group, row) => {
    if (group < 0) return;
    rows[next[group]] = row;
    next[group] += 1;
  });
  return (group) => rows.subarray(starts[group], starts[group + 1]);
}

/** How many of a rising list are less than a value. */
function lower(list, value) {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (list[middle] < value) from = middle + 1; else to = middle;
  }
  return from;
}

/** All that is known, ready to be drawn and asked. */
async function load(meta) {
  const bytes = await unpack(meta.bytes);
  const table = (name) => Object.fromEntries(Object.entries(meta.columns)
    .filter(([column]) => column.startsWith(`${name}.`))
    .map(([key, where]) => [key.slice(name.length + 1), column(bytes, where)]));
  const [blocks, runs, pieces, packets, queues, control] =
    ["blocks", "runs", "pieces", "packets", "queues", "control"].map(table);
  const data = { meta, blocks, runs, pieces, packets, queues, control, count: blocks.start.length };
  index(data);
  return data;
}

/** What leads from rows of one table to those of another. */
function index(data) {
  const { blocks, pieces, packets, queues, meta } = data;
  data.firstRun = sums(blocks.runs);
  const ofBlock = new Int32Array(pieces.what.length);
  let place = 0;
  blocks.pieces.forEach((count, row) => {
    ofBlock.fill(row, place, place + count);
    place += count;
  });
  data.blockOfPiece = ofBlock;
  data.piecesOf = grouped(data.count, ofBlock);
  data.piecesOfPacket = grouped(packets.id.length, pieces.packet.map((row) => row - 1));
  const places = new Map();
  data.block = blocks.number.map((number) => {
    if (!places.has(number)) places.set(number, places.size);
    return places.get(number);
  });
  data.attemptsOf = grouped(places.size, data.block);
  data.queuesOf = grouped(meta.ues.length * 2, queues.ue.map((ue, row) => ue * 2 + queues.direction[row]));
  data.way = packets.flow.map((flow, row) => direction(meta.flows[flow], packets.leg[row]));
  data.entry = packets.id.map((_, row) => entry(data, row));
  data.resourceBlocks = blocks.runs.map((_, row) => {
    let sum = 0;
    for (let run = data.firstRun[row]; run < data.firstRun[row + 1]; run += 1) sum += data.runs.length[run];
    return sum;
  });
}

/** Sums of all values before each. */
function sums(values) {
  const out = new Uint32Array(values.length + 1);
  values.forEach((value, n) => { out[n + 1] = out[n] + value; });
  return out;
}

/** Which way a packet goes: 0 down, 1 up. */
function direction(flow, leg) {
  return leg === 0 ? flow.direction : 1 - flow.direction;
}

/** When a packet was where it waits for the radio, in µs; NaN if it did not come there. */
function entry({ packets, blocks, pieces, ...data }, row) {
  const spent = (...names) => names.reduce((sum, name) => sum + packets[name][row], 0);
  const waited = spent("pdcp", "uplink_access", "rlc");
  let filled = NaN;
  for (const piece of data.piecesOfPacket(row)) {
    if (pieces.what[piece] !== NEW) continue;
    const sent = blocks.sent[data.blockOfPiece[piece]] / 1000;
    if (!(sent <= filled)) filled = sent;
  }
  if (filled === filled) return filled - waited;
  if (packets.fate[row] === 0) return NaN;
  const air = spent("radio", "harq", "arq", "reestablishment", "reordering");
  return waited > 0 ? packets.ended[row] - waited - air : NaN;
}
