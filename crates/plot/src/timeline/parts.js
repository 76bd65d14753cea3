// What is told of a packet or a block that is picked.

const STAGE_COLOURS = {
  sender: "#bababa", wired_queue: "#e69f00", wired: "#f2cf7f", rrc: "#7fceb9", pdcp: "#d55e00",
  uplink_access: "#cc79a7", rlc: "#eaae7f", radio: "#0072b2", harq: "#56b4e9", arq: "#aad9f4",
  reestablishment: "#e5bcd3",
  reordering: "#009e73", processing: "#767676",
};

/** The stretches of time of a packet as rows of bars. */
function bars(data, row) {
  const parts = waterfall(data, row);
  const list = element("ol", { class: "fall" });
  if (parts.length === 0) return list;
  const [from, to] = [data.packets.born[row], Math.max(data.packets.ended[row], parts.at(-1).to)];
  const percent = (time) => `${(100 * (time - from)) / Math.max(1, to - from)}%`;
  for (const { stage, from: begin, to: end } of parts) {
    const bar = element("i", { "aria-hidden": "true" });
    Object.assign(bar.style, { left: percent(begin), width: percent(from + end - begin), background: STAGE_COLOURS[stage] });
    list.append(element("li", { title: MEANINGS[stage] },
      element("span", { text: `${NAMES[stage]}, ${span(end - begin)}` }), element("div", { class: "track" }, bar)));
  }
  return list;
}

/** The transmissions of blocks that carried a packet. */
function blockTable(line, data, rows, packet) {
  const { blocks, pieces } = data;
  const table = element("table");
  const head = table.createTHead().insertRow();
  for (const text of ["block", "on the air", "resource blocks", "MCS", "SINR (dB)", packet === NONE ? "bytes" : "bytes of it", "sent", "fate"]) {
    head.append(element("th", { scope: "col", text }));
  }
  const body = table.createTBody();
  rows.forEach((first, n) => {
    const bytes = packet === NONE ? blocks.bytes[first] : Array.from(data.piecesOfPacket(packet))
      .filter((piece) => data.blockOfPiece[piece] === first).reduce((sum, piece) => sum + pieces.bytes[piece], 0);
    for (const row of attempts(data, first)) {
      const one = element("button", { type: "button", text: `Block ${n + 1}` });
      one.addEventListener("click", () => line.pickBlock(row));
      const tr = body.insertRow();
      tr.append(element("th", { scope: "row" }, one));
      const sinr = blocks.sinr[row] > -100_000 ? digits(blocks.sinr[row] / 10, 1) : "–";
      const sent = blocks.attempt[row] === 0 ? "first" : `again, ${blocks.attempt[row]}`;
      for (const text of [clock(data, blocks.start[row], 5), places(data, row), blocks.mcs[row], sinr, bytes, sent,
        FATES[blocks.fate[row]].split(":")[0]]) tr.append(element("td", { text }));
    }
  });
  return element("div", { class: "rows", tabindex: "0", role: "region", "aria-label": "Transport blocks" }, table);
}

function packetParts(line, data, row) {
  const said = story(data, row).map((text) => element("p", { text }));
  const closer = element("button", { type: "button", text: "Zoom to it" });
  closer.addEventListener("click", () => line.toPacket());
  const away = element("button", { type: "button", text: "Let it go" });
  away.addEventListener("click", () => line.letGo());
  const rows = carriers(data, row);
  const blocks = rows.length === 0 ? [] : [element("h4", { text: "The transport blocks that carried it" }), blockTable(line, data, rows, row)];
  return [
    element("h3", { text: `The way of packet ${data.packets.id[row]}` }), ...said,
    element("div", { class: "tools" }, closer, away),
    element("h4", { text: "Where its time went" }), bars(data, row), ...blocks,
  ];
}

function blockParts(line, data, row) {
  const { pieces } = data;
  const [first] = attempts(data, row).filter((one) => data.blocks.attempt[one] === 0);
  const own = first === undefined ? [] : Array.from(data.piecesOf(first));
  const list = element("ul", { class: "chips" });
  for (const piece of own) {
    const what = pieces.what[piece];
    const packet = pieces.packet[piece] - 1;
    const bytes = bytesOf(pieces.bytes[piece]);
    if (packet < 0) {
      list.append(element("li", { text: `${bytes}: ${CARRIES[what]}` }));
      continue;
    }
    const again = what === AGAIN ? ", sent again by RLC" : "";
    const one = element("button", { type: "button", text: `${packetName(data, packet)}: ${bytes} of it${again}` });
    one.addEventListener("click", () => line.pickPacket(packet, true));
    list.append(element("li", {}, one));
  }
  const parts = [element("h3", { text: "A transport block" }), ...blockStory(data, row).map((text) => element("p", { text }))];
  if (own.length > 0) parts.push(element("h4", { text: "What it carried: pick a packet to see its way" }), list);
  parts.push(element("h4", { text: "Its transmissions" }), blockTable(line, data, [first ?? row], NONE));
  return parts;
}
