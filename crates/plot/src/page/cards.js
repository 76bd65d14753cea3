// Pages of their own for users, flows or arms: one is shown at a time, and has an address.
(() => {
  "use strict";
  const { element } = airpathFiles;
  const place = document.getElementById("cards");
  if (!place) return;
  const { each, cards } = JSON.parse(place.querySelector("script").textContent);
  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#767676"];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const figure = (value) => (value > 0 && value < 0.001 ? "<0.001" : String(Number(value.toPrecision(3))));
  const select = element("select", { id: "card-name" });
  for (const { name } of cards) select.append(element("option", { value: name, text: name }));
  const step = (text, by) => {
    const button = element("button", { type: "button", text });
    button.addEventListener("click", () => go((select.selectedIndex + by + cards.length) % cards.length));
    return button;
  };
  const body = element("div", { class: "card", "aria-live": "polite" });
  place.querySelector(".holder").append(
    element("div", { class: "tools" }, element("label", { for: "card-name", text: `Which ${each}` }),
      select, step("Previous", -1), step("Next", 1)),
    body,
  );

  function bars(stages) {
    const total = (all) => all.reduce((sum, [, ms]) => sum + ms, 0);
    const longest = Math.max(...stages.map(([, all]) => total(all)));
    const list = element("div", { class: "bars" });
    for (const [name, all] of stages) {
      const bar = element("div", { class: "bar", "aria-hidden": "true" });
      const key = element("ul", { class: "key" });
      all.forEach(([stage, ms, colour]) => {
        const part = element("span", { title: `${stage}: ${figure(ms)} ms` });
        part.style.width = `${(100 * ms) / longest}%`;
        part.style.background = colour;
        bar.append(part);
        const dot = element("i", { "aria-hidden": "true" });
        dot.style.background = colour;
        key.append(element("li", {}, dot, `${stage} ${figure(ms)} ms`));
      });
      list.append(element("p", { text: `${name}: ${figure(total(all))} ms` }), bar, key);
    }
    return list;
  }

  // One panel for each measure, above each other; zooming one zooms all.
  function spec(courses, width) {
    const text = dark.matches ? "#e6e8eb" : "#222222";
    const line = dark.matches ? "#343a42" : "#dde1e6";
    const titles = [...new Set(courses.map(({ title }) => title))];
    const series = [...new Set(courses.map((course) => course.series))];
    const values = courses.flatMap((course) => course.x.map((x, n) => ({
      title: course.title, series: course.series, x, y: course.y[n],
    })));
    return {
      $schema: "https://vega.github.io/schema/vega-lite/v6.json",
      background: "transparent", padding: 2, data: { values },
      config: {
        view: { stroke: null }, aria: false,
        axis: { labelColor: text, titleColor: text, gridColor: line, domainColor: line, tickColor: line, titleFontWeight: "normal" },
        legend: { labelColor: text, titleColor: text, orient: "bottom" },
      },
      vconcat: titles.map((title, n) => ({
        width, height: 110, transform: [{ filter: { field: "title", equal: title } }],
        params: n === 0 ? [{ name: "zoom", select: { type: "interval", encodings: ["x"], zoom: "wheel![event.ctrlKey]" }, bind: "scales" }] : [],
        mark: { type: "line", strokeWidth: 1.3, tooltip: true },
        encoding: {
          x: { field: "x", type: "quantitative", title: n === titles.length - 1 ? "time (s)" : null, axis: { tickCount: Math.ceil(width / 90) } },
          y: { field: "y", type: "quantitative", title, axis: { titleLimit: 120, tickCount: 4 } },
          ...(series.length > 1 ? { color: { field: "series", type: "nominal", title: null, scale: { domain: series, range: COLOURS } } } : { color: { value: COLOURS[0] } }),
        },
      })),
      resolve: { scale: { x: "shared" } },
    };
  }

  let drawn;
  async function show(n) {
    const card = cards[n];
    select.selectedIndex = n;
    if (drawn) drawn.finalize();
    drawn = undefined;
    const facts = element("dl", { class: "facts" });
    for (const [name, value] of card.facts) {
      facts.append(element("div", {}, element("dt", { text: name }), element("dd", { text: value })));
    }
    body.replaceChildren(element("h3", { text: card.name }),
      ...card.said.map((text) => element("p", { text })), facts);
    if (card.stages.length > 0) {
      body.append(element("h4", { text: "Where the time of its packets goes" }), bars(card.stages));
    }
    if (card.courses.length > 0) {
      const titles = [...new Set(card.courses.map(({ title }) => title))].join(", ");
      const plot = element("div", { class: "plot", "aria-hidden": "true" });
      const image = element("div", { role: "img", "aria-label": `Over time: ${titles}` }, plot);
      body.append(element("h4", { text: "Over time" }), image);
      const width = Math.max(160, plot.clientWidth - 90);
      const options = { actions: false, renderer: "svg", ast: true, mode: "vega-lite", tooltip: { theme: dark.matches ? "dark" : "light" } };
      drawn = await vegaEmbed(plot, spec(card.courses, width), options);
    }
  }

  const go = (n) => {
    location.hash = `card=${encodeURIComponent(cards[n].name)}`;
  };
  function follow() {
    const found = location.hash.match(/^#card=(.*)$/);
    const n = found ? cards.findIndex(({ name }) => name === decodeURIComponent(found[1])) : -1;
    if (n < 0) return;
    const part = place.closest("details");
    if (part) part.open = true;
    show(n);
    place.scrollIntoView();
  }
  select.addEventListener("change", () => go(select.selectedIndex));
  addEventListener("hashchange", follow);
  document.addEventListener("airpath:point", ({ detail }) => {
    const n = cards.findIndex(({ name, point }) => name === detail || (point && detail.startsWith(`${point}, `)));
    if (n >= 0) go(n);
  });
  const part = place.closest("details");
  let first = false;
  const begin = () => {
    if (!first && (!part || part.open) && !location.hash.startsWith("#card=")) show(0);
    first = true;
  };
  if (part) part.addEventListener("toggle", begin);
  if (!part || part.open) begin();
  follow();
  dark.addEventListener("change", () => body.childElementCount > 0 && show(select.selectedIndex));
})();
