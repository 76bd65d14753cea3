// Mouse, touch and keyboard.

/** What is below a point of the drawing: a packet or a block. */
function under(line, x, y) {
  const { data, state } = line;
  const { plan } = state;
  if (!plan || x < LEFT) return {};
  const at = line.timeAt(x);
  const inside = ([top, height]) => y >= top && y < top + height;
  if (plan.packets && inside(plan.packets)) {
    const list = y < plan.packets[0] + plan.packets[1] / 2 ? state.strip.come : state.strip.end;
    const n = lower(list.times, at);
    const near = [n - 1, n].filter((one) => one >= 0 && one < list.rows.length)
      .sort((a, b) => Math.abs(list.times[a] - at) - Math.abs(list.times[b] - at))[0];
    return near === undefined ? {} : { packet: list.rows[near] };
  }
  const way = state.ways.find((one) => inside(plan.grids[one]));
  if (way === undefined) return {};
  const [top, height] = plan.grids[way];
  const place = (1 - (y - top) / height) * data.meta.carrier[way];
  const slot = data.meta.slot_ns;
  const { blocks, runs } = data;
  // In a narrow view of slots, the nearest that has these resource blocks.
  const reach = Math.max(0, 3 * (state.to - state.from) / plan.width - slot);
  let found = NONE;
  for (let row = lower(blocks.start, at - slot - reach); row < data.count && blocks.start[row] <= at + reach; row += 1) {
    if (blocks.direction[row] !== way) continue;
    for (let run = data.firstRun[row]; run < data.firstRun[row + 1]; run += 1) {
      if (place >= runs.first[run] - 0.5 && place < runs.first[run] + runs.length[run] + 0.5) {
        if (found === NONE || Math.abs(blocks.start[row] + slot / 2 - at) < Math.abs(blocks.start[found] + slot / 2 - at)) found = row;
      }
    }
  }
  return found === NONE ? {} : { block: found };
}

Timeline.prototype.timeAt = function timeAt(x) {
  const { from, to, plan } = this.state;
  return from + (x - LEFT) / (plan.width - LEFT) * (to - from);
};

Timeline.prototype.listen = function listen() {
  const { canvas, overview } = this;
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const fingers = new Map();
  let begun = null;
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event.clientX);
    begun = { x: event.clientX, from: this.state.from, to: this.state.to, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (fingers.size === 0 || !begun) return this.tip(event, under(this, ...point(event)));
    const before = [...fingers.values()];
    fingers.set(event.pointerId, event.clientX);
    const after = [...fingers.values()];
    if (after.length > 1) {
      const wide = ([a, b]) => Math.max(10, Math.abs(a - b));
      begun.moved = true;
      return this.zoom(wide(before) / wide(after));
    }
    const by = event.clientX - begun.x;
    if (Math.abs(by) > 3) begun.moved = true;
    if (!begun.moved) return undefined;
    const each = (begun.to - begun.from) / (this.state.plan.width - LEFT);
    return this.see(begun.from - by * each, begun.to - by * each);
  });
  const end = (event) => {
    fingers.delete(event.pointerId);
    if (fingers.size > 0 || !begun) return;
    const clicked = !begun.moved && event.type === "pointerup";
    begun = null;
    if (!clicked) return;
    const { packet, block } = under(this, ...point(event));
    if (packet !== undefined) this.pickPacket(packet);
    else if (block !== undefined) this.pickBlock(block);
    else this.letGo();
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => { this.hint.style.display = "none"; });
  canvas.addEventListener("dblclick", (event) => this.zoom(0.3, this.timeAt(point(event)[0])));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.zoom(1.002 ** event.deltaY, this.timeAt(point(event)[0]));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => this.key_pressed(event));
  const jump = (event) => {
    if (event.buttons !== 1) return;
    const box = overview.getBoundingClientRect();
    const at = (event.clientX - box.left - LEFT) / (box.width - LEFT) * this.whole;
    const half = (this.state.to - this.state.from) / 2;
    this.see(at - half, at + half);
  };
  overview.addEventListener("pointerdown", jump);
  overview.addEventListener("pointermove", jump);
};

Timeline.prototype.key_pressed = function keyPressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const acts = {
    ArrowLeft: () => this.move(-0.25), ArrowRight: () => this.move(0.25),
    ArrowUp: () => this.step(-1), ArrowDown: () => this.step(1),
    "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
    Home: () => this.see(0, this.whole), Escape: () => this.letGo(),
    Enter: () => (this.state.packet === NONE ? this.step(1) : this.toPacket()),
  };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
};

// What is below the mouse, beside it.
Timeline.prototype.tip = function tip(event, { packet, block }) {
  const text = packet !== undefined ? packetLine(this.data, packet)
    : block !== undefined ? blockLine(this.data, block) : "";
  this.hint.style.display = text ? "block" : "none";
  this.canvas.style.cursor = text ? "pointer" : "grab";
  if (!text) return;
  this.hint.textContent = text;
  const box = this.canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const left = Math.min(x + 12, Math.max(0, box.width - this.hint.offsetWidth - 4));
  Object.assign(this.hint.style, { left: `${left}px`, top: `${y + 16}px` });
};
