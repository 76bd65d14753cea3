// What is seen, what is picked, and how a reader changes it.

const COLOURS = [
  "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7fb8d8", "#eaae7f", "#7fceb9",
  "#e5bcd3", "#f2cf7f", "#aad9f4",
];
/** UEs beyond those that have colours of their own. */
const OTHERS = ["#7d8590", "#a0a7b0"];
/** Of these the one that is chosen. */
const CHOSEN = "#8a5cd6";
/** The narrowest view, in slots. */
const LEAST_SLOTS = 2;
/** What is seen at first around the packet that waited longest, in slots. */
const FIRST_SLOTS = 60;
const MOST_LISTED = 40;

/** Colours by UE: the busiest have their own. */
function coloursOf(data) {
  const used = data.meta.ues.map((_, ue) => ({ ue, sum: 0 }));
  for (let row = 0; row < data.count; row += 1) used[data.blocks.ue[row]].sum += data.resourceBlocks[row];
  used.sort((a, b) => b.sum - a.sum);
  const out = [];
  used.forEach(({ ue }, n) => { out[ue] = COLOURS[n] ?? OTHERS[n % OTHERS.length]; });
  return { colours: out, busiest: used.filter(({ sum }) => sum > 0).map(({ ue }) => ue) };
}

class Timeline {
  constructor(place, data) {
    this.place = place;
    this.data = data;
    const { colours, busiest } = coloursOf(data);
    this.busiest = busiest;
    this.plain = colours;
    this.whole = data.meta.to_ns - data.meta.from_ns;
    this.state = {
      from: 0, to: this.whole, ways: this.bothWays(), ue: busiest[0] ?? 0, way: 0,
      alone: false, packet: NONE, block: NONE, colours, hatches: new Map(),
      faded: (row) => this.faded(row), marks: (row) => this.own.has(row),
    };
    this.own = new Set();
    this.build();
    this.choose(this.state.ue, this.state.way);
    const worst = this.longest();
    if (worst !== NONE) this.pickPacket(worst, true);
    else this.letGo();
  }

  bothWays() {
    const has = (way) => this.data.meta.carrier[way] > 0;
    return [0, 1].filter(has);
  }

  // The packet that waited longest for the radio.
  longest() {
    const { packets } = this.data;
    const waited = (row) => packets.pdcp[row] + packets.rlc[row] + packets.uplink_access[row];
    let found = NONE;
    for (let row = 0; row < packets.id.length; row += 1) {
      if (packets.fate[row] !== 0 || !(this.data.entry[row] >= 0) || packets.ended[row] * 1000 > this.whole) continue;
      if (found === NONE || waited(row) > waited(found)) found = row;
    }
    return found;
  }

  build() {
    const { meta } = this.data;
    const button = (text, label, act) => {
      const one = element("button", { type: "button", text, "aria-label": label, title: label });
      one.addEventListener("click", act);
      return one;
    };
    this.ue = element("select", { "data-tool": "ue" });
    const order = [...this.busiest, ...meta.ues.map((_, ue) => ue).filter((ue) => !this.busiest.includes(ue))];
    for (const ue of order) this.ue.append(element("option", { value: ue, text: meta.ues[ue] }));
    this.ue.addEventListener("change", () => this.choose(Number(this.ue.value), this.state.way));
    this.way = element("select", { "data-tool": "way" },
      ...this.bothWays().map((way) => element("option", { value: way, text: WAY[way] })));
    this.way.addEventListener("change", () => this.choose(this.state.ue, Number(this.way.value)));
    this.alone = button("Fade others", "Fade others: the blocks of all other UEs", () => {
      this.state.alone = !this.state.alone;
      this.alone.setAttribute("aria-pressed", String(this.state.alone));
      this.look();
    });
    this.alone.setAttribute("aria-pressed", "false");
    this.seen = element("span", { class: "seen", role: "status" });
    const tools = element("div", { class: "tools" },
      element("label", {}, "UE ", this.ue), element("label", {}, "Direction ", this.way), this.alone,
      button("+", "Closer", () => this.zoom(0.5)), button("−", "From further off", () => this.zoom(2)),
      button("←", "Earlier", () => this.move(-0.25)), button("→", "Later", () => this.move(0.25)),
      button("Whole window", "Whole window: all that was recorded", () => this.see(0, this.whole)),
      button("Longest wait", "Longest wait: the packet of this UE that took longest", () => this.toLongest()),
      this.seen);
    this.overview = element("canvas", { class: "overview", "aria-hidden": "true" });
    this.canvas = element("canvas", {
      class: "cells", tabindex: "0", role: "application", "aria-roledescription": "timeline",
      "aria-label": "Slots against resource blocks. Left and right move, plus and minus zoom, up and down go from packet to packet, Enter zooms to the packet, Escape lets it go, Home shows the whole window. What is picked is told below.",
    });
    this.hint = element("div", { class: "tip", "aria-hidden": "true" });
    this.way_of = element("section", { class: "way", "aria-live": "polite", "aria-label": "The packet or block that is picked" });
    this.list = element("details", { class: "packets" }, element("summary", { text: "Packets of this UE in view" }));
    this.list.addEventListener("toggle", () => this.listed());
    this.list.hidden = this.data.packets.id.length === 0;
    this.place.append(tools, this.overview, element("div", { class: "stage" }, this.canvas, this.hint),
      this.legend(), element("p", { class: "meaning", text: this.meaning() }), element("p", { class: "hint", text: "Click a block or a packet. Drag moves, Ctrl and wheel zoom, a double click goes closer. Keys: arrows, + and −, Enter, Escape, Home." }),
      this.saving(button), this.way_of, this.list);
    this.listen();
    new ResizeObserver(() => this.look()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.state.hatches.clear();
      this.look();
    });
  }

  legend() {
    const { meta } = this.data;
    const list = element("ul", { class: "key" });
    const swatch = (style, text, more = {}) => {
      const dot = element("i", { "aria-hidden": "true", ...more });
      Object.assign(dot.style, style);
      list.append(element("li", {}, dot, text));
    };
    for (const ue of this.busiest.slice(0, COLOURS.length)) swatch({ background: this.state.colours[ue] }, meta.ues[ue]);
    if (this.busiest.length > COLOURS.length) {
      swatch({ background: OTHERS[0] }, "other UEs");
      this.chosen = element("li");
      list.append(this.chosen);
    }
    swatch({}, "sent again", { class: "again" });
    swatch({}, "not decoded", { class: "bad" });
    const has = (kind) => this.data.control.kind.includes(kind);
    if (has(ELEMENTS)) swatch({}, "control channel elements that are used", { class: "control" });
    if (has(REQUEST)) swatch({}, "scheduling request", { class: "request" });
    if (has(LOST)) list.append(element("li", { text: "× missed grant" }));
    return list;
  }

  // What lanes mean, from above.
  meaning() {
    const { queues, packets, control } = this.data;
    return [
      queues.at.length > 0 ? "Queue: what waits at PDCP and RLC of the UE that is chosen." : "",
      packets.id.length > 0 ? "Packets: its packets, above as they come to the radio, below as they arrive or, with a foot, are dropped." : "",
      "Down and Up: resource blocks, the first at the bottom.",
      control.at.length > 0 ? "Control: between the directions." : "",
    ].filter((text) => text !== "").join(" ");
  }

  // A UE without a colour of its own has one while it is chosen.
  colour(ue) {
    const own = this.busiest.indexOf(ue);
    const many = own < 0 || own >= COLOURS.length;
    this.state.colours = this.plain.map((colour, one) => (many && one === ue ? CHOSEN : colour));
    if (!this.chosen) return;
    const dot = element("i", { "aria-hidden": "true" });
    dot.style.background = CHOSEN;
    this.chosen.replaceChildren(...(many ? [dot, this.data.meta.ues[ue]] : []));
  }

  saving(button) {
    return element("div", { class: "tools" }, element("span", { text: "Save what is seen as" }),
      button("PNG", "PNG: save what is seen", () => this.canvas.toBlob((blob) => save("timeline.png", blob))),
      button("CSV", "CSV: save the blocks that are seen", () =>
        save("timeline.csv", new Blob([csv(this.rows())], { type: "text/csv" }))));
  }

  // The blocks that are seen, with headings.
  rows() {
    const { data, state } = this;
    const { blocks, meta } = data;
    const out = [["on the air (s)", "UE", "direction", "resource blocks", "count", "MCS", "bytes", "HARQ process", "repetition", "fate"]];
    for (let row = lower(blocks.start, state.from - meta.slot_ns); row < data.count && blocks.start[row] < state.to; row += 1) {
      out.push([((meta.from_ns + blocks.start[row]) / 1e9).toFixed(6), meta.ues[blocks.ue[row]], WAY[blocks.direction[row]],
        places(data, row), data.resourceBlocks[row], blocks.mcs[row], blocks.bytes[row], blocks.process[row],
        blocks.attempt[row], FATES[blocks.fate[row]].split(":")[0]]);
    }
    return out;
  }

  // Whose queue and packets have lanes.
  choose(ue, way) {
    const { data, state } = this;
    Object.assign(state, { ue, way });
    this.colour(ue);
    this.ue.value = ue;
    this.way.value = way;
    const rows = Array.from(data.packets.id, (_, row) => row).filter((row) =>
      data.way[row] === way && data.meta.flows[data.packets.flow[row]].ue === ue);
    const by = (time) => {
      const own = rows.map((row) => ({ row, at: time(row) })).filter(({ at }) => at === at);
      own.sort((a, b) => a.at - b.at);
      return { rows: own.map(({ row }) => row), times: own.map(({ at }) => at) };
    };
    state.strip = { come: by((row) => data.entry[row] * 1000), end: by((row) => data.packets.ended[row] * 1000) };
    this.look();
  }

  faded(row) {
    const { state, data } = this;
    if (this.own.size > 0) return !this.own.has(row);
    return state.alone && data.blocks.ue[row] !== state.ue;
  }

  look() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      if (this.canvas.clientWidth === 0) return;
      paintOverview(this.overview, this.data, this.state);
      paint(this.canvas, this.data, this.state);
      const { from, to } = this.state;
      this.seen.textContent = `${clock(this.data, from)} to ${clock(this.data, to)} (${span((to - from) / 1000)})`;
      this.listed();
      this.place.dataset.ready = "true";
    });
  }

  see(from, to) {
    const least = LEAST_SLOTS * this.data.meta.slot_ns;
    const long = Math.min(this.whole, Math.max(least, to - from));
    const start = Math.min(Math.max(0, (from + to) / 2 - long / 2), this.whole - long);
    Object.assign(this.state, { from: start, to: start + long });
    this.look();
  }

  zoom(factor, at = (this.state.from + this.state.to) / 2) {
    const { from, to } = this.state;
    this.see(at - (at - from) * factor, at + (to - at) * factor);
  }

  move(part) {
    const { from, to } = this.state;
    this.see(from + part * (to - from), to + part * (to - from));
  }

  // A packet and all transmissions of the blocks that carried it.
  pickPacket(row, zoom = false) {
    const { data, state } = this;
    const { ue } = data.meta.flows[data.packets.flow[row]];
    Object.assign(state, { packet: row, block: NONE });
    this.own = new Set(carriers(data, row).flatMap((first) => attempts(data, first)));
    if (ue !== state.ue || data.way[row] !== state.way) this.choose(ue, data.way[row]);
    if (zoom) this.toPacket();
    this.tell();
    this.look();
  }

  toPacket() {
    const { data, state } = this;
    const slot = data.meta.slot_ns;
    const begin = data.entry[state.packet] * 1000;
    const blocks = [...this.own].map((row) => data.blocks.start[row]);
    const end = Math.max(data.packets.ended[state.packet] * 1000, ...blocks.map((at) => at + slot));
    const from = Math.min(begin === begin ? begin : end - FIRST_SLOTS * slot, ...blocks);
    const margin = Math.max(4 * slot, 0.15 * (end - from));
    const long = Math.max(end - from + 2 * margin, FIRST_SLOTS * slot / 2);
    this.see((from + end - long) / 2, (from + end + long) / 2);
  }

  pickBlock(row) {
    const { data, state } = this;
    Object.assign(state, { packet: NONE, block: row });
    this.own = new Set(attempts(data, row));
    this.tell();
    this.look();
  }

  letGo() {
    Object.assign(this.state, { packet: NONE, block: NONE });
    this.own = new Set();
    this.tell();
    this.look();
  }

  toLongest() {
    const { rows } = this.state.strip.end;
    const { packets } = this.data;
    const took = (row) => packets.ended[row] - packets.born[row];
    const inside = rows.filter((row) => packets.ended[row] * 1000 <= this.whole);
    if (inside.length > 0) this.pickPacket(inside.reduce((a, b) => (took(b) > took(a) ? b : a)), true);
  }

  // From packet to packet in the order in which they ended.
  step(by) {
    const { state } = this;
    const { rows, times } = state.strip.end;
    if (rows.length === 0) return;
    const now = rows.indexOf(state.packet);
    const next = now >= 0 ? now + by : lower(times, (state.from + state.to) / 2);
    const row = rows[Math.min(rows.length - 1, Math.max(0, next))];
    this.pickPacket(row);
    const at = this.data.packets.ended[row] * 1000;
    if (at < state.from || at > state.to) this.toPacket();
  }

  tell() {
    const { data, state } = this;
    this.way_of.replaceChildren();
    if (state.packet !== NONE) this.way_of.append(...packetParts(this, data, state.packet));
    else if (state.block !== NONE) this.way_of.append(...blockParts(this, data, state.block));
    else this.way_of.append(element("p", { class: "meaning", text: "Nothing is picked." }));
  }

  // Packets in view, as buttons.
  listed() {
    if (!this.list.open) return;
    const { data, state } = this;
    const { rows, times } = state.strip.end;
    const [from, to] = [lower(times, state.from), lower(times, state.to)];
    const some = rows.slice(from, Math.min(to, from + MOST_LISTED));
    const key = `${some[0]} ${some.at(-1)} ${some.length} ${state.packet}`;
    if (this.key === key) return;
    this.key = key;
    const list = element("ul", { class: "chips" });
    for (const row of some) {
      const one = element("button", { type: "button", text: packetLine(data, row), "aria-pressed": String(row === state.packet) });
      one.addEventListener("click", () => this.pickPacket(row, true));
      list.append(element("li", {}, one));
    }
    const more = to - from > some.length ? `The first ${some.length} of ${to - from}.` : some.length === 0 ? "None ended here." : "";
    this.list.replaceChildren(this.list.querySelector("summary"), list, element("p", { class: "meaning", text: more }));
  }
}
