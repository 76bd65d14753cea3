// Tables that can be sorted, narrowed and saved, and texts that can be saved.
(() => {
  "use strict";
  const { save, csv, element } = airpathFiles;
  const FIRST = 12;
  const MORE = 500;
  // Letters of a text that is not broken, and of one that takes a wide column.
  const [SHORT, LONG] = [24, 60];
  const plain = new Intl.NumberFormat("en", { maximumSignificantDigits: 4, useGrouping: false });
  const shown = (cell) => (typeof cell === "number" ? plain.format(cell) : cell ?? "–");

  class Grid {
    constructor(section) {
      Object.assign(this, JSON.parse(section.querySelector("script").textContent));
      this.section = section;
      this.holder = section.querySelector(".holder");
      this.sorted = { column: -1, down: false };
      this.most = FIRST;
      this.match = null;
      this.table = element("table");
      this.status = element("p", { class: "meaning", role: "status" });
      const region = element("div", { class: "rows", tabindex: "0", role: "region", "aria-label": this.title },
        this.table);
      this.more = element("button", { type: "button", text: "Show more rows" });
      this.more.addEventListener("click", () => {
        this.most = this.most === FIRST ? MORE : this.most + MORE;
        this.draw();
      });
      const saved = element("button", { type: "button", text: "Save as CSV", "aria-label": `Save as CSV: ${this.title}` });
      saved.addEventListener("click", () =>
        save(`${this.id}.csv`, new Blob([csv([this.columns, ...this.rows])], { type: "text/csv" })));
      this.holder.append(region, this.status, element("div", { class: "tools" }, this.more, saved));
      this.head();
      this.draw();
    }

    head() {
      const row = this.table.createTHead().insertRow();
      this.heads = this.columns.map((title, column) => {
        const button = element("button", { type: "button", text: title });
        const head = element("th", { scope: "col", "aria-sort": "none" }, button);
        button.addEventListener("click", () => this.sort(column));
        row.append(head);
        return head;
      });
      this.body = this.table.createTBody();
    }

    sort(column) {
      const down = this.sorted.column === column ? !this.sorted.down : true;
      this.sorted = { column, down };
      this.heads.forEach((head, n) => head.setAttribute("aria-sort",
        n !== column ? "none" : down ? "descending" : "ascending"));
      this.draw();
    }

    // What has no value is last, whichever way.
    order(rows) {
      const { column, down } = this.sorted;
      if (column < 0) return rows;
      const way = down ? -1 : 1;
      const collator = new Intl.Collator("en", { numeric: true });
      return [...rows].sort(({ [column]: a }, { [column]: b }) => {
        if (a === null || b === null) return (a === null) - (b === null);
        if (typeof a === "number" && typeof b === "number") return way * (a - b);
        return way * collator.compare(String(a), String(b));
      });
    }

    draw() {
      const all = this.match
        ? this.rows.filter((row) => row.some((cell) => typeof cell === "string" && this.match(cell)))
        : this.rows;
      const rows = this.order(all).slice(0, this.most);
      this.body.replaceChildren();
      for (const row of rows) {
        const line = this.body.insertRow();
        row.forEach((cell, column) => {
          const text = shown(cell);
          const place = element(column === 0 ? "th" : "td", column === 0 ? { scope: "row" } : {});
          if (column === this.cards) {
            place.append(element("a", { href: `#card=${encodeURIComponent(cell)}`, text }));
          } else if (column === this.links && cell) {
            for (const path of cell.split(" ")) {
              const name = path.replace(/^.*\//, "").replace(/\.html$/, "");
              place.append(element("a", { href: path, text: name }), " ");
            }
          } else place.textContent = text;
          if (typeof cell === "number") place.className = "number";
          else if (text.length > LONG) place.className = "long";
          else if (text.length <= SHORT) place.className = "short";
          line.append(place);
        });
      }
      this.more.hidden = rows.length >= all.length;
      const of = all.length < this.rows.length ? ` that match, of ${this.rows.length}` : "";
      this.status.textContent = rows.length < this.rows.length
        ? `${rows.length} of ${all.length} rows${of}. The CSV file has all of them.` : "";
    }
  }

  const grids = [...document.querySelectorAll("section.grid")].map((one) => new Grid(one));
  document.addEventListener("airpath:names", ({ detail }) => {
    for (const grid of grids) {
      const some = detail && grid.rows.some((row) =>
        row.some((cell) => typeof cell === "string" && detail(cell)));
      grid.match = some ? detail : null;
      grid.draw();
    }
  });

  for (const file of document.querySelectorAll("details.file")) {
    file.querySelector("button").addEventListener("click", () =>
      save(file.dataset.file, new Blob([file.querySelector("pre").textContent], { type: "text/plain" })));
  }
})();
