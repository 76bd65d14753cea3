// Saving, and tables of rows: what charts and tables of a page share.
const airpathFiles = (() => {
  "use strict";

  function save(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  // RFC 4180. A text that a spreadsheet would take for a formula has an apostrophe before it;
  // numbers stay, also those that are written as text.
  const formula = /^[=+\-@\t\r]/;
  const number = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;
  function csv(rows) {
    const cell = (value) => {
      const written = String(value ?? "");
      const guarded = typeof value === "string" && formula.test(written) && !number.test(written);
      const text = guarded ? `'${written}` : written;
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return `${rows.map((row) => row.map(cell).join(",")).join("\n")}\n`;
  }

  function element(tag, { text, ...attributes } = {}, ...children) {
    const one = document.createElement(tag);
    if (text !== undefined) one.textContent = text;
    for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
    one.append(...children);
    return one;
  }

  // A row of cells with these texts.
  function line(parent, cells, tag) {
    const row = parent.insertRow();
    for (const text of cells) {
      const cell = element(tag, { text });
      if (tag === "th") cell.scope = "col";
      row.append(cell);
    }
    return row;
  }

  return { save, csv, element, line };
})();
