// Draws the charts of a page from their specifications, fits them to the screen, and saves them.
(() => {
  "use strict";
  const DARK = { text: "#e6e8eb", grid: "#343a42", line: "#7d8590" };
  const MOST_ROWS = 500;
  const NARROWEST = 320;
  const WIDEST_MAP = 560;
  const BEHIND_BAR = 66;
  const FIGURE = 26;
  const GAP = 24;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  // The page has its own legend, title and ground, so the drawn chart goes without.
  function live(spec, pickable) {
    delete spec.title;
    spec.padding = { left: 0, top: 6, right: 4, bottom: 8 };
    spec.background = "transparent";
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

  const options = () => ({
    actions: false, renderer: "svg", ast: true, mode: "vega-lite",
    tooltip: { theme: dark.matches ? "dark" : "light" },
  });

  class Chart {
    constructor(section) {
      this.section = section;
      this.text = section.querySelector("script").textContent;
      this.about = this.spec().usermeta.airpath;
      this.plot = section.querySelector(".plot");
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

    // Draws once, sees how wide axes came out, and draws again if the whole does not fit.
    async draw() {
      const all = this.plot.clientWidth;
      if (all === 0) return;
      this.width = all;
      const fitting = Math.max(1, Math.floor((all + GAP) / (NARROWEST + GAP)));
      const columns = Math.min(this.about.columns, fitting);
      let beside = 60;
      for (let round = 0; round < 3; round += 1) {
        const spec = live(this.spec(), this.buttons.length > 0);
        const width = Math.floor((all - GAP * (columns - 1)) / columns - beside);
        fit(spec, columns, Math.max(120, width));
        if (this.result) this.result.finalize();
        this.result = await vegaEmbed(this.plot, spec, options());
        const svg = this.plot.querySelector("svg");
        const over = Number(svg.getAttribute("width")) - all;
        if (over <= 0 && over > -12) break;
        beside += Math.ceil(over / columns) + 1;
      }
      this.fade();
    }

    pick(button) {
      const name = button.dataset.series;
      if (!this.picked.delete(name)) this.picked.add(name);
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
        case "whole": return this.draw();
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
      const data = this.spec().data.values;
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
      const cell = (value) => {
        const text = String(value);
        return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      };
      return `${[heads, ...rows].map((row) => row.map(cell).join(",")).join("\n")}\n`;
    }

    table(details) {
      const { heads, rows } = this.rows();
      const table = document.createElement("table");
      const line = (parent, cells, tag) => {
        const row = parent.insertRow();
        for (const text of cells) {
          const cell = document.createElement(tag);
          if (tag === "th") cell.scope = "col";
          cell.textContent = text;
          row.append(cell);
        }
      };
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

  function save(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  const charts = [...document.querySelectorAll("section.chart")].map((one) => new Chart(one));

  async function drawAll() {
    for (const chart of charts) {
      try {
        await chart.draw();
      } catch (error) {
        chart.plot.removeAttribute("aria-hidden");
        chart.plot.textContent = `This chart cannot be drawn: ${error.message}`;
      }
    }
    document.documentElement.dataset.drawn = "true";
  }

  let pending = Promise.resolve();
  const again = () => { pending = pending.then(drawAll); };
  let timer;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (charts.some((chart) => chart.plot.clientWidth !== chart.width)) again();
    }, 200);
  });
  dark.addEventListener("change", again);
  again();
})();
