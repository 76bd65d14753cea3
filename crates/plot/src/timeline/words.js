// Sentences and figures.

const WAY = ["downlink", "uplink"];
const FATES = ["not known: the run ended", "decoded", "failed", "missed: the UE had not heard its assignment"];
const CARRIES = ["new bytes", "bytes that RLC sent again", "a status report of RLC", "bytes of a full buffer"];
const MEANINGS = {
  sender: "held back by the sender",
  wired_queue: "in queues of links",
  wired: "on the wires",
  rrc: "until the UE was connected",
  pdcp: "at PDCP, behind what came before or without a turn",
  uplink_access: "until the UE had the right to send",
  rlc: "until its last byte was in a block",
  radio: "on the air for the first time, and decoded",
  harq: "until HARQ had repeated a block",
  arq: "until RLC had repeated it",
  reestablishment: "in failures of the radio link",
  reordering: "at the receiver, for earlier data",
  processing: "in gateways and hosts",
};
const NAMES = {
  sender: "Sender", wired_queue: "Wired queue", wired: "Wires", rrc: "RRC", pdcp: "PDCP",
  uplink_access: "Uplink access", rlc: "RLC", radio: "Radio", harq: "HARQ", arq: "ARQ (RLC)",
  reestablishment: "Re-establishment",
  reordering: "Reordering", processing: "Processing",
};

const digits = (value, n) => value.toLocaleString("en", { maximumFractionDigits: n, useGrouping: false });
/** A span in µs. */
function span(micros) {
  if (Math.abs(micros) >= 1e6) return `${digits(micros / 1e6, 3)} s`;
  return Math.abs(micros) >= 1000 ? `${digits(micros / 1000, 2)} ms` : `${digits(micros, 0)} µs`;
}
/** A time in ns from the beginning of the window, as a time of the run. */
const clock = (data, nanos, n = 4) => `${((data.meta.from_ns + nanos) / 1e9).toFixed(n)} s`;
const bytesOf = (bytes) => bytes >= 10_000 ? `${digits(bytes / 1000, 1)} kB` : `${digits(bytes, 0)} B`;
const share = (part) => `${digits(part * 100, part < 0.1 ? 1 : 0)}%`;
const plural = (n, one, many = `${one}s`) => `${digits(n, 0)} ${n === 1 ? one : many}`;

/** Resource blocks of a transmission, as 0–3, 8–11. */
function places(data, row) {
  const { first, length } = data.runs;
  const out = [];
  for (let run = data.firstRun[row]; run < data.firstRun[row + 1]; run += 1) {
    const last = first[run] + length[run] - 1;
    out.push(last > first[run] ? `${first[run]}–${last}` : `${last}`);
  }
  return out.length > 6 ? `${out.slice(0, 6).join(", ")} and more` : out.join(", ");
}

/** A transmission in a line, for a tooltip. */
function blockLine(data, row) {
  const { blocks, meta } = data;
  const again = blocks.attempt[row] > 0 ? `, repetition ${blocks.attempt[row]}` : "";
  return `${meta.ues[blocks.ue[row]]} ${WAY[blocks.direction[row]]}${again}: ${
    plural(data.resourceBlocks[row], "resource block")} (${places(data, row)}), MCS ${blocks.mcs[row]}, ${
    bytesOf(blocks.bytes[row])}, ${FATES[blocks.fate[row]].split(":")[0]}, at ${clock(data, blocks.start[row])}`;
}

/** A packet in a line. */
function packetLine(data, row) {
  const { packets, meta } = data;
  const fate = packets.fate[row] === 0
    ? `${span(packets.ended[row] - packets.born[row])} from birth to arrival`
    : `dropped: ${meta.drops[packets.fate[row] - 1]}`;
  return `${packetName(data, row)}, ${bytesOf(packets.size[row])}, ${fate}`;
}

/** What a packet is called. */
function packetName(data, row) {
  const { packets, meta } = data;
  const leg = packets.leg[row] === 0 ? "" : " (feedback)";
  return `${meta.flows[packets.flow[row]].name}${leg} no. ${packets.number[row]}`;
}

/** The first transmissions of the blocks that carried a packet, in order of time. */
function carriers(data, packet) {
  const rows = Array.from(data.piecesOfPacket(packet), (piece) => data.blockOfPiece[piece]);
  return [...new Set(rows)].sort((a, b) => data.blocks.sent[a] - data.blocks.sent[b]);
}

/** All transmissions of the block of one. */
function attempts(data, row) {
  const rows = Array.from(data.attemptsOf(data.block[row]));
  return rows.sort((a, b) => data.blocks.start[a] - data.blocks.start[b]);
}

/** The stretches of time that a packet spent, in µs: stage, from, to. */
function waterfall(data, row) {
  const { packets } = data;
  const spent = Object.fromEntries(STAGES.map((stage) => [stage, packets[stage][row]]));
  const onRadio = ["rrc", "uplink_access", "pdcp", "rlc", "arq", "reestablishment", "radio", "harq", "reordering"];
  const offRadio = ["sender", "wired_queue", "wired", "processing"];
  const elsewhere = offRadio.reduce((sum, stage) => sum + spent[stage], 0);
  const entered = data.entry[row];
  const arrives = Number.isNaN(entered) ? NaN : entered - spent.rrc;
  let before = Number.isNaN(arrives) ? elsewhere : Math.min(elsewhere, arrives - packets.born[row]);
  if (elsewhere - before < 2) before = elsewhere;
  const parts = [];
  let now = packets.born[row];
  const lay = (stage, time) => {
    if (time >= 1) parts.push({ stage, from: now, to: now + time });
    now += time;
  };
  for (const stage of offRadio) {
    const here = Math.min(spent[stage], before);
    lay(stage, here);
    before -= here;
    spent[stage] -= here;
  }
  for (const stage of onRadio) lay(stage, spent[stage]);
  for (const stage of offRadio) lay(stage, spent[stage]);
  return parts;
}

/** Shares of the resource blocks of a direction between two times in ns, the largest first. */
function shares(data, way, from, to) {
  const { blocks, meta } = data;
  const used = new Map();
  let all = 0;
  for (let row = lower(blocks.start, from); row < data.count && blocks.start[row] < to; row += 1) {
    if (blocks.direction[row] !== way) continue;
    const elements = data.resourceBlocks[row] * blocks.symbols[row] / meta.symbols;
    used.set(blocks.ue[row], (used.get(blocks.ue[row]) || 0) + elements);
    all += elements;
  }
  const room = Math.max((to - from) / meta.slot_ns * meta.carrier[way] * meta.shares[way], all, 1);
  const list = [...used].map(([ue, elements]) => ({ ue, share: elements / room }));
  return { list: list.sort((a, b) => b.share - a.share), all: all / room };
}

/** What waited of a UE in a direction just before a time in ns. */
function waitingAt(data, ue, way, nanos) {
  let found = null;
  for (const row of data.queuesOf(ue * 2 + way)) {
    if (data.queues.at[row] >= nanos) break;
    found = row;
  }
  return found === null ? null : { packets: data.queues.packets[found], bytes: data.queues.bytes[found] };
}

/** Of which flows those packets are that came before one and had yet to be sent. */
function ahead({ packets, meta, way, entry }, row) {
  const flow = meta.flows[packets.flow[row]];
  const counts = new Map();
  for (let one = 0; one < packets.id.length; one += 1) {
    if (way[one] !== way[row] || meta.flows[packets.flow[one]].ue !== flow.ue || !(entry[one] < entry[row])) continue;
    const left = entry[one] + packets.pdcp[one] + packets.rlc[one] + packets.uplink_access[one];
    if (left <= entry[row]) continue;
    const { name } = meta.flows[packets.flow[one]];
    counts.set(name, (counts.get(name) || 0) + 1);
  }
  const list = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4);
  return list.length < 2 ? "" : `, among them ${list.map(([name, count]) => `${count} of ${name}`).join(" and ")}`;
}

/** Why a packet waited for the radio. */
function waitSentence(data, row) {
  const { packets, meta } = data;
  const [way, ue] = [data.way[row], meta.flows[packets.flow[row]].ue];
  const [entered, waited] = [data.entry[row], packets.pdcp[row] + packets.rlc[row] + packets.uplink_access[row]];
  const where = way === 0 ? "the cell" : "the UE's buffer";
  const from = entered * 1000;
  const before = waitingAt(data, ue, way, from);
  const waiting = before && before.packets > 0
    ? `where ${plural(before.packets, "packet")} (${bytesOf(before.bytes)}) of its UE waited${ahead(data, row)}`
    : "where nothing of its UE waited";
  const come = `It came to ${where} at ${clock(data, from)}, ${waiting}`;
  if (waited * 1000 < meta.slot_ns) return `${come}, and left in the same slot.`;
  const { list, all } = shares(data, way, from, from + waited * 1000);
  const part = (one) => `${meta.ues[one.ue]} had ${share(one.share)}`;
  const own = list.find((one) => one.ue === ue) || { ue, share: 0 };
  const others = list.filter((one) => one.ue !== ue && one.share >= 0.005);
  const told = others.slice(0, others.length === 4 ? 4 : 3).map(part);
  if (others.length > 4) told.push(`${others.length - 3} others ${share(others.slice(3).reduce((sum, one) => sum + one.share, 0))}`);
  const free = all < 0.995 ? [`${share(1 - all)} were free`] : [];
  const who = [part({ ...own }).replace(meta.ues[ue], `its own UE, ${meta.ues[ue]},`), ...told, ...free];
  return `${come}. Of the resource blocks ${WAY[way]} in the ${span(waited)} that it waited, ${
    who.slice(0, -1).join(", ")}${who.length > 1 ? " and " : ""}${who.at(-1)}.`;
}

/** How a packet was sent: its blocks, and what became of them. */
function sendSentence(data, row) {
  const { blocks, pieces } = data;
  const rows = carriers(data, row);
  if (rows.length === 0) return "None of its bytes were sent in this window.";
  const bytes = Array.from(data.piecesOfPacket(row)).reduce((sum, piece) => sum + pieces.bytes[piece], 0);
  const parts = [`Its bytes (${bytesOf(bytes)} with PDCP's header${
    Array.from(data.piecesOfPacket(row)).some((piece) => pieces.what[piece] === AGAIN) ? " and what RLC sent twice" : ""
  }) went in ${plural(rows.length, "transport block")}.`];
  rows.forEach((first, n) => {
    const all = attempts(data, first);
    const bad = all.filter((one) => blocks.fate[one] === FAILED || blocks.fate[one] === MISSED).length;
    if (bad === 0) return;
    const last = all.at(-1);
    const late = (blocks.start[last] - blocks.start[all[0]]) / 1000;
    const end = blocks.fate[last] === DECODED
      ? `was decoded ${span(late)} after its first transmission` : "was given up";
    parts.push(`${rows.length > 1 ? `Block ${n + 1}` : "It"} failed ${bad === 1 ? "once" : `${bad} times`} and ${end}.`);
  });
  return parts.join(" ");
}

/** A packet's whole way in sentences. */
function story(data, row) {
  const { packets, meta } = data;
  const spent = (stage) => packets[stage][row];
  const total = packets.ended[row] - packets.born[row];
  const ue = meta.ues[meta.flows[packets.flow[row]].ue];
  const name = `Packet ${packets.id[row]} (${packetName(data, row)}, ${bytesOf(packets.size[row])}, ${WAY[data.way[row]]}, ${ue})`;
  const end = packets.fate[row] === 0
    ? `took ${span(total)} from its birth at ${clock(data, packets.born[row] * 1000)} to its arrival`
    : `was dropped ${span(total)} after its birth at ${clock(data, packets.born[row] * 1000)}: ${meta.drops[packets.fate[row] - 1]}`;
  const said = [`${name} ${end}${packets.marked[row] ? ", marked with congestion experienced" : ""}.`];
  const longest = STAGES.reduce((one, stage) => spent(stage) > spent(one) ? stage : one);
  if (spent(longest) > 0) said.push(`Most of it, ${span(spent(longest))}, was ${MEANINGS[longest]}.`);
  const wires = spent("wired") + spent("wired_queue");
  if (wires > 0) said.push(`Wires took ${span(wires)}, ${span(spent("wired_queue"))} of it in queues.`);
  if (!Number.isNaN(data.entry[row])) said.push(waitSentence(data, row));
  said.push(sendSentence(data, row));
  if (spent("arq") > 0) said.push(`RLC had to send some of it again, which cost ${span(spent("arq"))}.`);
  if (spent("reestablishment") > 0) said.push(`The radio link had failed for ${span(spent("reestablishment"))} of it.`);
  if (spent("reordering") > 0) said.push(`At the receiver it waited ${span(spent("reordering"))} for earlier data.`);
  return said;
}

/** A transmission in sentences. */
function blockStory(data, row) {
  const { blocks, meta } = data;
  const all = attempts(data, row);
  const sinr = blocks.sinr[row] > -100_000 ? `, SINR ${digits(blocks.sinr[row] / 10, 1)} dB` : "";
  const said = [
    `${meta.ues[blocks.ue[row]]}, ${WAY[blocks.direction[row]]}, on the air at ${clock(data, blocks.start[row])}: ${
      plural(data.resourceBlocks[row], "resource block")} (${places(data, row)}) in ${
      plural(blocks.symbols[row], "symbol")}${blocks.layers[row] > 1 ? ` and ${blocks.layers[row]} layers` : ""}, MCS ${
      blocks.mcs[row]}, ${bytesOf(blocks.bytes[row])}, ${bytesOf(blocks.padding[row])} of it padding${sinr}.`,
    `HARQ process ${blocks.process[row]}, ${blocks.attempt[row] === 0 ? "first transmission" : `repetition ${blocks.attempt[row]}`}: ${FATES[blocks.fate[row]]}.`,
  ];
  if (all.length > 1) {
    said.push(`The block was sent ${all.length} times in this window, at ${
      all.map((one) => clock(data, blocks.start[one])).join(", ")}.`);
  }
  return said;
}
