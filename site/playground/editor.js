// The editor of a scenario: numbers of lines, suggestions and help by the schema, marks of faults.

import { complete, help } from "./schema.js";

const element = (id) => document.getElementById(id);
// More suggestions than fit are not shown.
const MOST = 40;

export class Editor {
  constructor(schema, changed) {
    this.schema = schema;
    this.changed = changed;
    this.text = element("text");
    this.list = element("list");
    this.bad = new Set();
    this.found = { list: [] };
    this.chosen = 0;
    this.text.addEventListener("input", () => this.edited(true));
    this.text.addEventListener("keydown", (event) => this.key(event));
    this.text.addEventListener("scroll", () => this.scrolled());
    this.text.addEventListener("blur", () => this.close());
    this.text.addEventListener("mousemove", (event) => this.hover(event));
    this.text.addEventListener("mouseleave", () => { element("tip").hidden = true; });
    document.addEventListener("selectionchange", () => this.explain());
    this.list.addEventListener("mousedown", (event) => this.pick(event));
  }

  get value() {
    return this.text.value;
  }

  set value(text) {
    this.text.value = text;
    this.edited(false);
  }

  edited(suggests) {
    this.bad = new Set();
    this.numbers();
    this.close();
    if (suggests) this.suggest(1);
    this.changed();
  }

  // Marks the lines of faults, which count from 1.
  mark(lines) {
    this.bad = new Set(lines);
    this.numbers();
  }

  // Puts the caret at a line.
  go(line) {
    const at = this.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    this.text.focus();
    this.text.setSelectionRange(at, at);
    this.text.scrollTop = (line - 5) * this.height();
  }

  height() {
    return parseFloat(getComputedStyle(this.text).lineHeight);
  }

  numbers() {
    const count = this.value.split("\n").length;
    const lines = Array.from({ length: count }, (_, n) => {
      const line = document.createElement("span");
      line.textContent = `${n + 1}\n`;
      if (this.bad.has(n + 1)) line.className = "bad";
      return line;
    });
    const gutter = element("gutter");
    gutter.replaceChildren(...lines);
    gutter.style.height = `${this.text.clientHeight - 16}px`;
    this.scrolled();
  }

  scrolled() {
    element("gutter").scrollTop = this.text.scrollTop;
  }

  // Opens the list if a key or value of at least so many letters was begun.
  suggest(least) {
    const at = this.text.selectionStart;
    this.found = complete(this.schema, this.value, at);
    const { start, end, list } = this.found;
    if (end - start < least || list.length === 0) return;
    this.chosen = 0;
    this.list.replaceChildren(...list.slice(0, MOST).map(({ text, about }, n) => {
      const item = document.createElement("li");
      item.id = `suggestion-${n}`;
      item.setAttribute("role", "option");
      item.textContent = text;
      const small = document.createElement("small");
      small.textContent = about.slice(0, 100);
      item.append(small);
      return item;
    }));
    const line = this.value.slice(0, at).split("\n").length;
    this.list.style.top = `${line * this.height() + 10 - this.text.scrollTop}px`;
    this.list.style.left = "3rem";
    this.list.hidden = false;
    this.select(0);
  }

  select(step) {
    const items = [...this.list.children];
    this.chosen = (this.chosen + step + items.length) % items.length;
    items.forEach((item, n) => item.setAttribute("aria-selected", String(n === this.chosen)));
    items[this.chosen].scrollIntoView({ block: "nearest" });
    this.text.setAttribute("aria-activedescendant", items[this.chosen].id);
  }

  close() {
    this.list.hidden = true;
    this.text.removeAttribute("aria-activedescendant");
  }

  take() {
    const { start, end, list } = this.found;
    this.text.setRangeText(list[this.chosen].text, start, end, "end");
    this.edited(false);
  }

  pick(event) {
    const item = event.target.closest("li");
    if (!item) return;
    event.preventDefault();
    this.chosen = [...this.list.children].indexOf(item);
    this.take();
  }

  key(event) {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.suggest(0);
      return;
    }
    if (this.list.hidden) return;
    const acts = {
      ArrowDown: () => this.select(1),
      ArrowUp: () => this.select(-1),
      Enter: () => this.take(),
      Escape: () => this.close(),
    };
    if (acts[event.key]) {
      event.preventDefault();
      acts[event.key]();
    }
  }

  // Help on the key of the caret's line, below the text.
  explain() {
    if (document.activeElement !== this.text) return;
    const line = this.value.slice(0, this.text.selectionStart).split("\n").length - 1;
    const found = help(this.schema, this.value, line);
    const parts = [];
    if (found) {
      const path = document.createElement("code");
      path.textContent = found.path;
      parts.push(path, `: ${found.about}`);
      const list = document.createElement("dl");
      for (const { text, about } of found.values) {
        const term = document.createElement("dt");
        const meaning = document.createElement("dd");
        [term.textContent, meaning.textContent] = [text, about];
        list.append(term, meaning);
      }
      parts.push(list);
    }
    element("help").replaceChildren(...parts);
  }

  // The same as a tip at the line below the pointer.
  hover(event) {
    const y = event.offsetY - 8 + this.text.scrollTop;
    const found = help(this.schema, this.value, Math.floor(y / this.height()));
    const tip = element("tip");
    tip.hidden = !found?.about;
    if (tip.hidden) return;
    tip.textContent = found.about;
    tip.style.top = `${event.offsetY + 24}px`;
    tip.style.left = "4rem";
  }
}
