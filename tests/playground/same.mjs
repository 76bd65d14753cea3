// Results and report of the module against those of the program: node same.mjs PROGRAM FOLDER TEMPLATE...
//
// All files of a results folder but timing.json have the same bytes, for each template as it is and with
// two overrides, and for a capture. FOLDER has the playground.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { OVERRIDES, ofCapture, ofRun } from "./program.mjs";

const CAPTURE = join(import.meta.dirname, "../../crates/analyse/captures/quic.pcap.gz");

const [program, folder, ...wanted] = process.argv.slice(2);
const airpath = await import(pathToFileURL(resolve(folder, "airpath_web.js")));
airpath.initSync({ module: readFileSync(join(folder, "airpath_web_bg.wasm")) });
airpath.begin();
const templates = JSON.parse(airpath.templates());

function outputs(results, page) {
  const files = new Map(results.names().map((file) => [file, results.file(file)]));
  results.free();
  return files.set("report.html", page);
}

function ofModule({ name, text }, overrides) {
  const run = new airpath.Run(name, text, overrides, new airpath.Files());
  const title = run.title();
  while (run.advance() < 1);
  const results = run.finish(1);
  const report = new airpath.Report();
  report.add(results);
  return outputs(results, report.page(title));
}

function captured() {
  const analysis = new airpath.Analysis(basename(CAPTURE), readFileSync(CAPTURE));
  const page = analysis.page();
  return outputs(analysis.results(), page);
}

function compare(what, { files, seconds }, found) {
  const begun = performance.now();
  const own = found();
  const took = (performance.now() - begun) / 1000;
  assert.deepEqual([...own.keys()].sort(), [...files.keys()].sort(), what);
  for (const [file, bytes] of files) {
    if (file !== "timing.json") assert.ok(bytes.equals(own.get(file)), `${what}: ${file} differs`);
  }
  console.log(`${what}: the same ${files.size} files (program ${seconds.toFixed(2)} s, here ${took.toFixed(2)} s)`);
}

for (const template of templates.filter(({ name }) => wanted[0] === "--all" || wanted.includes(name))) {
  for (const overrides of OVERRIDES) {
    const found = () => ofModule(template, overrides);
    compare(`${template.name} ${overrides}`, ofRun(program, template, overrides), found);
  }
}
compare(basename(CAPTURE), ofCapture(program, CAPTURE), captured);
