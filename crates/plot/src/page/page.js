// Draws the charts of a page from their specifications, fits them to the screen, and saves them.
(() => {
  "use strict";
  const { save } = airpathFiles;
  const DARK = { text: "#e6e8eb", grid: "#343a42", line: "#7d8590", ground: "#16181c" };
  const MOST_ROWS = 500;
  const NARROWEST = 320;
  const WIDEST_MAP = 560;
  const BEHIND_BAR = 66;
  const FIGURE = 26;
  const GAP = 24;
  const MANY = 3_000;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  // The page has its own legend, title and ground, so the drawn chart goes without.
  function live(spec, pickable, renderer) {
    delete spec.title;
    spec.padding = { left: 0, top: 6, right: 4, bottom: 8 };
    // On paper a canvas stays as it is on the screen, so that light text keeps its dark ground.
    spec.background = renderer === "canvas" && dark.matches ? DARK.ground : "transparent";
    spec.vconcat = spec.vconcat.slice(0, 1);
    spec.params = spec.params.filter((param) => pickable || param.name !== "pick");
    for (const param of spec.params) {
      if (param.name === "pick") {
        param.views = ["panel0"];
        param.select = { type: "point", fields: ["series"], on: "pick", clear: false };
      }
    }
    const config = spec.config;
    config.aria = false;
    if (dark.matches) {
      Object.assign(config.axis, {
        labelColor: DARK.text, titleColor: DARK.text,
        gridColor: DARK.grid, domainColor: DARK.line, tickColor: DARK.line,
      });
      config.title.color = DARK.text;
      Object.assign(config.legend, { labelColor: DARK.text, titleColor: DARK.text });
      config.style.ink = { fill: DARK.text, color: DARK.text };
      config.style.inkline = { stroke: DARK.text, color: DARK.text };
    }
    return spec;
  }

  // Panels of this width, as many beside each other as fit.
  function fit(spec, columns, width) {
    const grid = spec.vconcat[0];
    grid.columns = columns;
    const about = spec.usermeta.airpath.panels;
    grid.concat.forEach((panel, n) => {
      panel.width = width;
      if (about[n].aspect) {
        panel.width = Math.min(width, WIDEST_MAP);
        panel.height = Math.round(panel.width * about[n].aspect);
      }
      panel.title.limit = panel.width + 50;
      const tilted = about[n].longest * about[n].categories * 6.5 > width;
      for (const view of panel.layer) {
        const axes = view.encoding || {};
        if (axes.x && axes.x.axis) axes.x.axis.titleLimit = panel.width;
        if (axes.x && axes.x.axis && axes.x.axis.tickCount) {
          axes.x.axis.tickCount = Math.ceil(width / 90);
        }
        if (axes.x && axes.x.axis && axes.x.axis.labelExpr) {
          Object.assign(axes.x.axis, {
            labelAngle: tilted ? -40 : 0, labelAlign: tilted ? "right" : "center", labelLimit: 130,
            labelOverlap: about[n].categories * 14 > width,
          });
        }
        if (axes.y && axes.y.axis && axes.y.axis.labelExpr && width < NARROWEST) {
          axes.y.axis.labelLimit = 110;
        }
        // Figures of cells that are too narrow for them would run together.
        if (view.mark?.limit && width / about[n].categories < view.mark.limit) view.mark.fontSize = 0;
        // What is written behind the longest bar needs as many pixels on any screen.
        if (about[n].bar && axes.x && axes.x.scale) {
          const end = (about[n].bar * width) / (width - BEHIND_BAR);
          axes.x.scale.domain[1] = Math.max(axes.x.scale.domain[1], end);
          const figures = (view.transform || []).find((step) => step.filter && step.filter.gte);
          if (figures) figures.filter.gte = (axes.x.scale.domain[1] * FIGURE) / width;
        }
      }
    });
  }

  const options = (renderer = "svg") => ({
    actions: false, renderer, ast: true, mode: "vega-lite",
    tooltip: { theme: dark.matches ? "dark" : "light" },
  });

  class Chart {
    constructor(section) {
      this.section = section;
      section.chart = this;
      this.text = section.querySelector("script").textContent;
      const spec = this.spec();
      this.about = spec.usermeta.airpath;
      this.zooms = spec.params.filter(({ bind }) => bind === "scales").map(({ name, views, select }) => ({
        name, axes: select.encodings, panels: views.map((view) => Number(view.match(/[0-9]+$/)[0])),
      }));
      const fine = section.querySelector("script.fine");
      this.fine = fine ? JSON.parse(fine.textContent) : [];
      this.renderer = spec.data.values.length > MANY ? "canvas" : "svg";
      this.plot = section.querySelector(".plot");
      // How much of the width axes and their titles take; known better when it was drawn once.
      this.beside = 60;
      this.map = this.about.panels.some(({ aspect }) => aspect);
      this.elastic = !this.map && this.about.panels.every(({ bar, categories }) => !bar && !categories);
      this.picked = new Set();
      this.buttons = [...section.querySelectorAll(".series button")];
      for (const button of this.buttons) {
        button.addEventListener("click", () => this.pick(button));
      }
      for (const button of section.querySelectorAll(".tools button")) {
        button.addEventListener("click", () => this.tool(button.dataset.tool));
      }
      const details = section.querySelector("details");
      details.addEventListener("toggle", () => this.table(details), { once: true });
    }

    spec() {
      return JSON.parse(this.text);
    }

    // Draws once, sees how wide axes came out, and makes the panels as wide as fits.
    async draw() {
      const all = this.plot.clientWidth;
      if (all === 0 || this.folded()) return;
      this.width = all;
      const fitting = Math.max(1, Math.floor((all + GAP) / (NARROWEST + GAP)));
      const columns = Math.min(this.about.columns, fitting);
      const width = () => Math.max(120,
        Math.floor((all - GAP * (columns - 1)) / columns - this.beside));
      for (let round = 0; round < 3; round += 1) {
        if (round > 0 && this.elastic) await this.stretch(width());
        else await this.embed(columns, width());
        const drawn = this.plot.querySelector("svg, canvas");
        const over = parseFloat(drawn.style.width || drawn.getAttribute("width")) - all;
        if (over <= 0 && (over > -12 || this.map)) break;
        this.beside += Math.ceil(over / columns) + 1;
      }
      this.refine();
      this.points();
      this.fade();
    }

    async embed(columns, width) {
      const spec = live(this.spec(), this.buttons.length > 0, this.renderer);
      fit(spec, columns, width);
      if (this.result) this.result.finalize();
      this.result = await vegaEmbed(this.plot, spec, options(this.renderer));
    }

    // Another width of the panels of what is drawn, which is much quicker than drawing it anew.
    async stretch(width) {
      const { view } = this.result;
      const { signals } = view.getState({ signals: (name) => /^(width|.*_childWidth)$/.test(name), data: () => false });
      const name = Object.keys(signals).find((one) => one !== "width") ?? "width";
      await view.signal(name, width).runAsync();
    }

    folded() {
      const part = this.section.closest("details.part");
      return part !== null && !part.open;
    }

    // What zooms tells which part is seen; long series get what they have there.
    refine() {
      const { view } = this.result;
      if (this.fine.length === 0) return;
      let timer;
      const again = () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.fill(), 150);
      };
      for (const { name, axes } of this.zooms) {
        if (axes.includes("x")) view.addSignalListener(`${name}_x`, again);
      }
    }

    fill() {
      const { view } = this.result;
      const own = new Set(this.fine.map(({ mark }) => mark));
      const rest = this.spec().data.values.filter(({ mark }) => !own.has(mark));
      const fine = this.fine.flatMap((one) => airpathZoom.rows(one, this.seen(one.panel, "x")));
      view.data("rows", rest.concat(fine)).runAsync();
    }

    // The ends of an axis as it is drawn.
    seen(panel, axis) {
      return airpathZoom.scale(this.result.view, panel, axis).domain().map(Number);
    }

    async zoom(factor, move) {
      const { view } = this.result;
      const said = [];
      for (const { name, axes, panels } of this.zooms) {
        const moved = axes.includes("x") ? "x" : "y";
        // A map keeps its proportions; what runs over time is seen closer in time.
        const all = this.about.panels[panels[0]].aspect ? axes : [moved];
        for (const axis of all) {
          const scale = airpathZoom.scale(view, panels[0], axis);
          const ends = airpathZoom.changed(scale.domain().map(Number), scale.type === "log",
            factor, axis === moved ? move : 0);
          view.signal(`${name}_${axis}`, ends);
          if (axis === "x" && !said.length) said.push(...ends);
        }
      }
      await view.runAsync();
      const figure = (value) => String(Number(value.toPrecision(4)));
      const status = this.section.querySelector(".seen");
      if (said.length) status.textContent = `${figure(said[0])} to ${figure(said[1])}`;
    }

    // A point with a name opens what a page has on it.
    points() {
      this.result.view.addEventListener("click", (event, item) => {
        const name = item && item.datum && item.datum.name;
        if (name) document.dispatchEvent(new CustomEvent("airpath:point", { detail: name }));
      });
    }

    // From outside: these series alone, or all.
    choose(match) {
      this.picked = new Set(match
        ? this.buttons.map((one) => one.dataset.series).filter(match) : []);
      this.press();
    }

    pick(button) {
      const name = button.dataset.series;
      if (!this.picked.delete(name)) this.picked.add(name);
      this.press();
    }

    press() {
      if (this.buttons.length === 0) return;
      for (const one of this.buttons) {
        one.setAttribute("aria-pressed", String(this.picked.has(one.dataset.series)));
      }
      this.section.querySelector(".series").classList.toggle("fading", this.picked.size > 0);
      this.fade();
    }

    // Tells the drawn chart which series are picked.
    fade() {
      if (this.buttons.length === 0 || !this.result) return;
      const picked = [...this.picked].map((name) => ({
        unit: "panel0", fields: [{ type: "E", field: "series" }], values: [name],
      }));
      this.result.view.data("pick_store", picked).runAsync();
    }

    async tool(name) {
      const id = this.about.id;
      switch (name) {
        case "whole":
          this.section.querySelector(".seen").textContent = "";
          return this.draw();
        case "in": return this.zoom(0.5, 0);
        case "out": return this.zoom(2, 0);
        case "back": return this.zoom(1, -0.25);
        case "on": return this.zoom(1, 0.25);
        case "csv": return save(`${id}.csv`, new Blob([this.csv()], { type: "text/csv" }));
        case "json": {
          const text = `${JSON.stringify(this.spec(), null, 1)}\n`;
          return save(`${id}.vl.json`, new Blob([text], { type: "application/json" }));
        }
        default: return this.picture(name);
      }
    }

    // A picture has the whole chart with title and legend on white ground, whatever the screen.
    async picture(kind) {
      const result = await vegaEmbed(document.createElement("div"), this.spec(), options());
      const name = `${this.about.id}.${kind}`;
      if (kind === "svg") {
        save(name, new Blob([await result.view.toSVG()], { type: "image/svg+xml" }));
      } else {
        const canvas = await result.view.toCanvas(2);
        const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
        save(name, blob);
      }
      result.finalize();
    }

    // Headings and rows of the data, for people: names in place of numbers of categories.
    rows() {
      const own = new Set(this.fine.map(({ mark }) => mark));
      const whole = ({ mark, series, x, y }) => x.map((at, n) => ({ mark, series, x: at, y: y[n] }));
      const data = this.spec().data.values.filter(({ mark }) => !own.has(mark))
        .concat(this.fine.flatMap(whole));
      const shown = (row, field) => {
        if ((field === "x" || field === "y") && ("left" in row || `${field}name` in row)) return "";
        if (field === "text" && "value" in row) return "";
        return row[field] ?? "";
      };
      const of = (row) => this.about.layers[Math.floor(row.mark / 2)];
      const columns = [
        ["panel", (row) => (this.about.panels.length > 1 ? this.about.panels[of(row).panel].title : "")],
        ["what", (row) => of(row).meaning],
        ...this.about.table.map(({ field, title }) => [title, (row) => shown(row, field)]),
      ].filter(([, value]) => data.some((row) => value(row) !== ""));
      return {
        heads: columns.map(([title]) => title),
        rows: data.map((row) => columns.map(([, value]) => value(row))),
      };
    }

    csv() {
      const { heads, rows } = this.rows();
      return airpathFiles.csv([heads, ...rows]);
    }

    table(details) {
      const { heads, rows } = this.rows();
      const { line } = airpathFiles;
      const table = document.createElement("table");
      line(table.createTHead(), heads, "th");
      const body = table.createTBody();
      for (const row of rows.slice(0, MOST_ROWS)) line(body, row, "td");
      const holder = details.querySelector(".rows");
      holder.append(table);
      if (rows.length > MOST_ROWS) {
        const note = document.createElement("p");
        note.textContent =
          `The first ${MOST_ROWS} of ${rows.length} rows. The CSV file has all of them.`;
        holder.append(note);
      }
    }
  }

  const charts = [...document.querySelectorAll("section.chart")].map((one) => new Chart(one));

  async function draw(chart) {
    try {
      await chart.draw();
    } catch (error) {
      chart.plot.removeAttribute("aria-hidden");
      chart.plot.textContent = `This chart cannot be drawn: ${error.message}`;
    }
  }

  // Between two charts the page answers to what a reader does.
  const breathe = () => new Promise((done) => { setTimeout(done, 0); });

  // What is nearest to what is seen comes first.
  const distance = ({ section }) => {
    const { top, bottom } = section.getBoundingClientRect();
    return bottom < 0 ? -bottom : Math.max(0, top - innerHeight);
  };

  const waiting = new Set();
  let busy = false;
  async function drawAll(some = charts) {
    for (const chart of some) waiting.add(chart);
    if (busy) return;
    busy = true;
    while (waiting.size > 0) {
      const next = [...waiting].reduce((a, b) => (distance(b) < distance(a) ? b : a));
      waiting.delete(next);
      await breathe();
      await draw(next);
    }
    busy = false;
    document.documentElement.dataset.drawn = "true";
  }

  // What was folded is drawn when it is opened.
  const opened = (part) => {
    const own = charts.filter((chart) => part.contains(chart.section) && !chart.folded()
      && chart.plot.clientWidth !== (chart.width ?? 0));
    if (own.length > 0) drawAll(own);
  };
  for (const part of document.querySelectorAll("details.part")) {
    part.addEventListener("toggle", () => opened(part));
  }
  for (const part of document.querySelectorAll(".choice")) {
    const select = part.querySelector("select");
    const choose = () => {
      for (const chart of part.querySelectorAll("section.chart")) {
        chart.hidden = chart.id !== select.value;
      }
      opened(part);
    };
    select.addEventListener("change", choose);
    choose();
  }
  // A link into what is folded opens it.
  const unfold = () => {
    const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const part = place && place.closest("details");
    if (part && !part.open) {
      part.open = true;
      place.scrollIntoView();
    }
  };
  addEventListener("hashchange", unfold);
  unfold();
  let timer;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const other = (chart) => !chart.folded() && ![0, chart.width].includes(chart.plot.clientWidth);
      if (charts.some(other)) drawAll();
    }, 200);
  });
  dark.addEventListener("change", () => drawAll());
  document.addEventListener("airpath:names", ({ detail }) => {
    for (const chart of charts) chart.choose(detail);
  });
  drawAll();
})();
