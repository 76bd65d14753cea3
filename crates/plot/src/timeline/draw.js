// Drawing: lanes above each other over the same time.

const LEFT = 60;
const [AXIS, QUEUE, PACKETS, CONTROL, GAP] = [20, 52, 30, 16, 8];
/** Below this width in pixels a slot shows no hatching and no frames. */
const FINE = 5;
/** How much is left of the colour of what is not picked: enough to tell whose it is. */
const FADED = 0.38;

/** Colours of the page as it is now, for a canvas. */
function theme(element) {
  const style = getComputedStyle(element);
  const of = (name, other) => style.getPropertyValue(name).trim() || other;
  return {
    text: of("--text", "#1f2328"), quiet: of("--quiet", "#57606a"), line: of("--line", "#d0d7de"),
    soft: of("--soft", "#f3f5f7"), ground: of("--ground", "#ffffff"), link: of("--link", "#0757a8"),
  };
}

/** A canvas that is as sharp as its screen; gives its context in CSS pixels. */
function sized(canvas, width, height) {
  const ratio = Math.max(1, devicePixelRatio || 1);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

/** Where lanes are, for directions that are shown; there is none for what was not recorded. */
function lanes({ queues, packets, control }, ways, width) {
  const grid = width < 560 ? 230 : 320;
  const each = Math.round(grid / ways.length);
  const out = { width, grids: [] };
  let top = AXIS;
  const lane = (height) => {
    const place = [top, height];
    top += height + GAP;
    return place;
  };
  if (queues.at.length > 0) out.queue = lane(QUEUE);
  if (packets.id.length > 0) out.packets = lane(PACKETS);
  for (const way of ways) {
    out.grids[way] = lane(each);
    if (control.at.length > 0 && (way === 0 || ways.length === 1)) out.control = lane(CONTROL);
  }
  out.height = top;
  return out;
}

/** Hatching in a colour, made once for each. */
function hatch(pen, colour, cache) {
  if (!cache.has(colour)) {
    const tile = document.createElement("canvas");
    [tile.width, tile.height] = [6, 6];
    const ink = tile.getContext("2d");
    ink.strokeStyle = colour;
    ink.lineWidth = 1.6;
    ink.beginPath();
    for (const shift of [-6, 0, 6]) { ink.moveTo(shift, 6); ink.lineTo(shift + 6, 0); }
    ink.stroke();
    cache.set(colour, pen.createPattern(tile, "repeat"));
  }
  return cache.get(colour);
}

/** A step for ticks of a span with so many at most: 1, 2 or 5 times a power of ten. */
function step(length, most) {
  const least = length / most;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= least);
}

/** The whole drawing. `state` has the view, what is picked and what is shown. */
function paint(canvas, data, state) {
  const width = Math.max(240, canvas.clientWidth);
  const plan = lanes(data, state.ways, width);
  const pen = sized(canvas, width, plan.height);
  const look = { ...theme(canvas), hatches: state.hatches };
  const x = (nanos) => LEFT + (nanos - state.from) / (state.to - state.from) * (width - LEFT);
  const draw = { pen, plan, look, x, width, scale: (width - LEFT) / (state.to - state.from) };
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "middle";
  // What is saved has the ground of the page, not none.
  pen.fillStyle = look.ground;
  pen.fillRect(0, 0, width, plan.height);
  paintAxis(draw, data, state);
  for (const way of state.ways) paintGrid(draw, data, state, way);
  if (plan.queue) paintQueue(draw, data, state);
  if (plan.packets) paintPackets(draw, data, state);
  if (plan.control) paintControl(draw, data, state);
  if (state.packet !== NONE) paintWay(draw, data, state);
  state.plan = plan;
}

/** Only what is right of the labels. */
function clipped({ pen, width }, [top, height], act) {
  pen.save();
  pen.beginPath();
  pen.rect(LEFT, top, width - LEFT, height);
  pen.clip();
  act();
  pen.restore();
}

function label({ pen, look }, text, y, quiet = false) {
  pen.fillStyle = quiet ? look.quiet : look.text;
  pen.textAlign = "right";
  pen.fillText(text, LEFT - 6, y);
}

function paintAxis({ pen, plan, look, x, width }, data, state) {
  const length = state.to - state.from;
  const tick = Math.max(step(length, Math.max(3, (width - LEFT) / 85)), 1000);
  const decimals = Math.max(0, Math.min(6, Math.ceil(-Math.log10(tick / 1e9) - 1e-9)));
  pen.textAlign = "center";
  const first = Math.ceil((state.from + data.meta.from_ns) / tick) * tick - data.meta.from_ns;
  for (let at = first; at <= state.to; at += tick) {
    pen.fillStyle = look.line;
    pen.fillRect(Math.round(x(at)), AXIS - 4, 1, plan.height);
    const place = x(at);
    if (place < LEFT + 26 || place > width - 26) continue;
    pen.fillStyle = look.quiet;
    pen.fillText(`${((data.meta.from_ns + at) / 1e9).toFixed(decimals)} s`, place, 8);
  }
  pen.fillStyle = look.quiet;
  pen.textAlign = "left";
}

/** The slots that cannot carry a direction: time division duplex. */
function paintPattern({ pen, look, x, scale }, data, state, way, [top, height]) {
  const { tdd, slot_ns: slot } = data.meta;
  if (!tdd || slot * scale < 1.5) return;
  const other = way === 0 ? "U" : "D";
  const begin = data.meta.from_ns;
  for (let n = Math.floor((begin + state.from) / slot); n * slot - begin < state.to; n += 1) {
    const kind = tdd[n % tdd.length];
    const from = x(n * slot - begin);
    if (kind === other || kind === "-") {
      pen.fillStyle = look.line;
      pen.globalAlpha = 0.45;
      pen.fillRect(from, top, slot * scale, height);
      pen.globalAlpha = 1;
    }
    if (slot * scale > 12 && way === 0) {
      pen.fillStyle = look.quiet;
      pen.textAlign = "center";
      pen.fillText(kind, from + slot * scale / 2, top - 4);
    }
  }
}

function paintGrid(draw, data, state, way) {
  const { pen, plan, look, x, scale, width } = draw;
  const [top, height] = plan.grids[way];
  const { blocks, runs, meta } = data;
  pen.fillStyle = look.soft;
  pen.fillRect(LEFT, top, width - LEFT, height);
  label(draw, way === 0 ? "Down" : "Up", top + 8);
  label(draw, `${meta.carrier[way]} RB`, top + 22, true);
  const unit = height / meta.carrier[way];
  clipped(draw, [top, height], () => {
    paintPattern(draw, data, state, way, [top, height]);
    const slot = meta.slot_ns;
    const wide = slot * scale;
    const fine = wide >= FINE;
    const thin = fine ? Math.min(1, wide * 0.12) : 0;
    const rows = { plain: new Map(), marked: [] };
    for (let row = lower(blocks.start, state.from - slot); row < data.count && blocks.start[row] < state.to; row += 1) {
      if (blocks.direction[row] !== way) continue;
      const colour = state.colours[blocks.ue[row]];
      if (!rows.plain.has(colour)) rows.plain.set(colour, [[], []]);
      rows.plain.get(colour)[state.faded(row) ? 1 : 0].push(row);
      if (blocks.attempt[row] > 0 || blocks.fate[row] >= FAILED || state.marks(row)) rows.marked.push(row);
    }
    const boxes = (row, act) => {
      const from = x(blocks.start[row]) + blocks.first_symbol[row] / meta.symbols * wide;
      const long = Math.max(0.6, wide * blocks.symbols[row] / meta.symbols - thin);
      for (let run = data.firstRun[row]; run < data.firstRun[row + 1]; run += 1) {
        const low = top + height - (runs.first[run] + runs.length[run]) * unit;
        act(from, low, long, Math.max(0.7, runs.length[run] * unit - (fine ? 0.5 : 0)));
      }
    };
    for (const [colour, lists] of rows.plain) {
      pen.fillStyle = colour;
      lists.forEach((list, faded) => {
        pen.globalAlpha = faded ? FADED : 1;
        for (const row of list) boxes(row, (...box) => pen.fillRect(...box));
      });
    }
    pen.globalAlpha = 1;
    for (const row of rows.marked) paintMark(draw, data, state, row, boxes, fine);
  });
}

/** What is not plain: repetitions, failures, and what is picked. */
function paintMark({ pen, look }, data, state, row, boxes, fine) {
  const { blocks } = data;
  const faded = state.faded(row);
  pen.globalAlpha = faded ? FADED : 1;
  boxes(row, (left, top, width, height) => {
    if (blocks.attempt[row] > 0) {
      pen.fillStyle = fine ? hatch(pen, look.ground, state.hatches) : look.ground;
      if (!fine) pen.globalAlpha = faded ? FADED / 2 : 0.5;
      pen.fillRect(left, top, width, height);
      pen.globalAlpha = faded ? FADED : 1;
    }
    if (blocks.fate[row] >= FAILED) {
      pen.strokeStyle = look.text;
      pen.fillStyle = look.text;
      if (fine && height > 5) {
        pen.lineWidth = 1.5;
        pen.beginPath();
        pen.moveTo(left + 1, top + 1);
        pen.lineTo(left + width - 1, top + height - 1);
        pen.moveTo(left + width - 1, top + 1);
        pen.lineTo(left + 1, top + height - 1);
        pen.stroke();
      } else pen.fillRect(left, top, Math.max(1, width), Math.min(3, height));
    }
    if (state.marks(row)) {
      pen.strokeStyle = look.text;
      // Around a narrow box, so that its colour is still seen.
      const room = fine ? 0 : 1;
      pen.lineWidth = fine ? (row === state.block ? 3 : 2) : 1;
      pen.strokeRect(left - room, top, Math.max(2, width) + 2 * room, Math.max(2, height));
    }
  });
  pen.globalAlpha = 1;
}

/** What waits of the UE that is chosen, as steps. */
function paintQueue(draw, data, state) {
  const { pen, plan, look, x, width } = draw;
  const [top, height] = plan.queue;
  const rows = data.queuesOf(state.ue * 2 + state.way);
  const { at, bytes } = data.queues;
  let most = 1;
  let first = lower(Array.from(rows, (row) => at[row]), state.from) - 1;
  first = Math.max(0, first);
  for (let n = first; n < rows.length && at[rows[n]] < state.to; n += 1) most = Math.max(most, bytes[rows[n]]);
  pen.fillStyle = look.line;
  pen.fillRect(LEFT, top + height, width - LEFT, 1);
  label(draw, "Queue", top + 8);
  label(draw, bytesOf(most), top + 22, true);
  if (rows.length === 0) return;
  clipped(draw, [top, height + 1], () => {
    pen.beginPath();
    let [last, level] = [0, top + height];
    pen.moveTo(LEFT, top + height);
    // Of the changes within a pixel the highest and the last are drawn.
    let now = level;
    for (let n = first; n < rows.length && at[rows[n]] < state.to; n += 1) {
      const place = Math.max(LEFT, x(at[rows[n]]));
      const next = top + height - bytes[rows[n]] / most * (height - 2);
      const apart = n === first || place - last >= 0.4;
      if (apart && now !== level) pen.lineTo(last, now);
      if (apart && place > LEFT) pen.lineTo(place, now);
      if (apart || next < level) {
        pen.lineTo(apart ? place : last, next);
        level = next;
        if (apart) last = place;
      }
      now = next;
    }
    if (now !== level) pen.lineTo(last, now);
    pen.lineTo(width, now);
    pen.strokeStyle = state.colours[state.ue];
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.lineTo(width, top + height);
    pen.lineTo(LEFT, top + height);
    pen.globalAlpha = 0.18;
    pen.fillStyle = state.colours[state.ue];
    pen.fill();
    pen.globalAlpha = 1;
  });
}

/** The packets of the UE that is chosen: when they came to the radio, and when they ended. */
function paintPackets(draw, data, state) {
  const { pen, plan, look, x, width } = draw;
  const [top, height] = plan.packets;
  const middle = top + height / 2;
  label(draw, "Packets", middle);
  pen.fillStyle = look.line;
  pen.fillRect(LEFT, Math.round(middle), width - LEFT, 1);
  clipped(draw, [top, height], () => {
    for (const way of ["come", "end"]) {
      const list = state.strip[way];
      pen.fillStyle = state.colours[state.ue];
      let last = -9;
      for (let n = lower(list.times, state.from); n < list.rows.length && list.times[n] < state.to; n += 1) {
        const place = x(list.times[n]);
        const dropped = way === "end" && data.packets.fate[list.rows[n]] > 0;
        if (place - last < 1.2 && !dropped && list.rows[n] !== state.packet) continue;
        last = place;
        if (dropped) {
          pen.fillStyle = look.text;
          pen.fillRect(place - 1, middle + 2, 2, height / 2 - 2);
          pen.fillRect(place - 3, middle + height / 2 - 4, 6, 2);
          pen.fillStyle = state.colours[state.ue];
        } else if (way === "come") pen.fillRect(place - 0.75, top + 1, 1.5, height / 2 - 2);
        else pen.fillRect(place - 0.75, middle + 2, 1.5, height / 2 - 2);
      }
    }
  });
}

/** The control channel: elements that are used, who lacked some, requests and reports. */
function paintControl(draw, data, state) {
  const { pen, plan, look, x, scale } = draw;
  const [top, height] = plan.control;
  label(draw, "Control", top + height / 2);
  const { at, kind, value, of, blocked } = data.control;
  clipped(draw, [top - 1, height + 2], () => {
    const wide = Math.max(1, data.meta.slot_ns * scale - 1);
    pen.strokeStyle = look.line;
    pen.strokeRect(LEFT, top, draw.width - LEFT, height);
    for (let row = lower(at, state.from - data.meta.slot_ns); row < at.length && at[row] < state.to; row += 1) {
      const place = x(at[row]);
      if (kind[row] === ELEMENTS) {
        const part = of[row] > 0 ? value[row] / of[row] : 0;
        pen.fillStyle = look.quiet;
        pen.globalAlpha = 0.55;
        pen.fillRect(place, top + height * (1 - part), wide, height * part);
        pen.globalAlpha = 1;
        if (blocked[row] > 0) {
          pen.fillStyle = look.text;
          pen.fillRect(place, top, wide, 3);
        }
      } else if (kind[row] === REQUEST) {
        pen.fillStyle = state.colours[data.control.ue[row] - 1] || look.text;
        if (wide < FINE) {
          pen.fillRect(place - 0.5, top, 1, height);
          continue;
        }
        pen.beginPath();
        pen.moveTo(place, top);
        pen.lineTo(place + 4, top + height / 2);
        pen.lineTo(place, top + height);
        pen.lineTo(place - 4, top + height / 2);
        pen.fill();
      } else if (kind[row] === LOST) {
        pen.fillStyle = look.text;
        pen.fillText("×", place, top + height / 2);
      }
    }
  });
}

/** The packet that is picked: from its coming to its end, and the repetitions of its blocks. */
function paintWay(draw, data, state) {
  const { pen, plan, look, x, width } = draw;
  const { blocks, packets, runs, meta } = data;
  const lines = [[data.entry[state.packet] * 1000, "comes"], [packets.ended[state.packet] * 1000, packets.fate[state.packet] === 0 ? "arrives" : "dropped"]];
  pen.save();
  pen.setLineDash([4, 3]);
  pen.strokeStyle = look.text;
  pen.lineWidth = 1;
  for (const [at, word] of lines) {
    if (!(at >= state.from && at <= state.to)) continue;
    const place = Math.round(x(at)) + 0.5;
    pen.beginPath();
    pen.moveTo(place, AXIS);
    pen.lineTo(place, plan.height);
    pen.stroke();
    const right = place > width - 60;
    pen.textAlign = right ? "right" : "left";
    pen.fillStyle = look.ground;
    const long = pen.measureText(word).width + 6;
    pen.fillRect(right ? place - long - 1 : place + 1, AXIS + 2, long, 13);
    pen.fillStyle = look.text;
    pen.fillText(word, place + (right ? -4 : 4), AXIS + 9);
  }
  pen.setLineDash([]);
  const grid = plan.grids[data.way[state.packet]];
  if (grid) {
    const middle = (row) => {
      const run = data.firstRun[row];
      return [x(blocks.start[row] + meta.slot_ns / 2),
        grid[0] + grid[1] * (1 - (runs.first[run] + runs.length[run] / 2) / meta.carrier[blocks.direction[row]])];
    };
    clipped(draw, grid, () => {
      pen.lineWidth = 2;
      for (const row of carriers(data, state.packet)) {
        const all = attempts(data, row);
        all.slice(1).forEach((next, n) => {
          const [from, to] = [middle(all[n]), middle(next)];
          pen.beginPath();
          pen.moveTo(...from);
          pen.quadraticCurveTo((from[0] + to[0]) / 2, Math.min(from[1], to[1]) - 24, ...to);
          pen.stroke();
        });
      }
    });
  }
  pen.restore();
}

/** The window as a whole: how full it is by UE, and where the view is. */
function paintOverview(canvas, data, state) {
  const width = Math.max(240, canvas.clientWidth);
  const height = 46;
  const pen = sized(canvas, width, height);
  const look = theme(canvas);
  const long = data.meta.to_ns - data.meta.from_ns;
  const columns = Math.max(1, Math.floor(width - LEFT));
  pen.fillStyle = look.soft;
  pen.fillRect(LEFT, 0, columns, height);
  const stacks = overview(data, columns, state.ways);
  const base = new Float64Array(columns);
  stacks.used.forEach((used, ue) => {
    pen.fillStyle = state.colours[ue];
    for (let n = 0; n < columns; n += 1) {
      if (used[n] <= 0) continue;
      const tall = used[n] / stacks.room * (height - 4);
      pen.fillRect(LEFT + n, height - base[n] - tall, 1, tall);
      base[n] += tall;
    }
  });
  pen.fillStyle = look.text;
  for (const n of stacks.bad) pen.fillRect(LEFT + n, 0, 1, 3);
  const x = (at) => LEFT + at / long * columns;
  const [from, to] = [x(state.from), x(state.to)];
  pen.fillStyle = look.ground;
  pen.globalAlpha = 0.65;
  pen.fillRect(LEFT, 0, from - LEFT, height);
  pen.fillRect(to, 0, width - to, height);
  pen.globalAlpha = 1;
  pen.strokeStyle = look.text;
  pen.lineWidth = 2;
  pen.strokeRect(Math.min(from, width - 4) + 1, 1, Math.max(3, to - from - 2), height - 2);
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.fillStyle = look.quiet;
  pen.fillText("Whole", LEFT - 6, height / 2);
}

/** Resource blocks by UE and column, of the directions that are shown; kept until these change. */
function overview(data, columns, ways) {
  const key = `${columns} ${ways}`;
  if (data.overview?.key === key) return data.overview;
  const { blocks, meta } = data;
  const long = meta.to_ns - meta.from_ns;
  const used = meta.ues.map(() => new Float64Array(columns));
  const bad = new Set();
  for (let row = 0; row < data.count; row += 1) {
    if (!ways.includes(blocks.direction[row])) continue;
    const n = Math.min(columns - 1, Math.max(0, Math.floor(blocks.start[row] / long * columns)));
    used[blocks.ue[row]][n] += data.resourceBlocks[row];
    if (blocks.fate[row] >= FAILED) bad.add(n);
  }
  const slots = long / meta.slot_ns / columns;
  const carried = ways.reduce((sum, way) => sum + meta.carrier[way] * meta.shares[way], 0);
  let room = Math.max(1, slots * carried);
  for (let n = 0; n < columns; n += 1) room = Math.max(room, used.reduce((sum, one) => sum + one[n], 0));
  data.overview = { key, used, bad, room };
  return data.overview;
}
