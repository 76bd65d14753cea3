// Vega-Lite compiles the specification of each chart in the folder AIRPATH_PAGES without a word.
// It is the Vega-Lite that pages have in them.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import vm from "node:vm";

const folder = process.env.AIRPATH_PAGES;
const names = (await readdir(folder)).filter((name) => name.endsWith(".vl.json"));
assert.ok(names.length > 0, `no specification in ${folder}`);

const assets = new URL("../../crates/plot/assets/", import.meta.url);
const context = vm.createContext({ console, structuredClone, setTimeout, clearTimeout });
for (const script of ["vega.min.js", "vega-lite.min.js"]) {
  vm.runInContext(await readFile(new URL(script, assets), "utf8"), context, { filename: script });
}

/** A logger that keeps what it is told. */
function listener() {
  const said = [];
  const logger = { said, level: () => logger, info: () => logger, debug: () => logger };
  logger.warn = logger.error = (...words) => { said.push(words.join(" ")); return logger; };
  return logger;
}

for (const name of names) {
  test(`${name} compiles`, async () => {
    const spec = JSON.parse(await readFile(join(folder, name), "utf8"));
    const logger = listener();
    const { spec: compiled } = context.vegaLite.compile(spec, { logger });
    assert.deepEqual(logger.said, []);
    const view = new context.vega.View(context.vega.parse(compiled), { renderer: "none", logger });
    await view.runAsync();
    // Without a browser there is no window that could send events.
    const faults = logger.said.filter((word) => word !== "Can not resolve event source: window");
    assert.deepEqual(faults, []);
    view.finalize();
  });
}
