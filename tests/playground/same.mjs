// Results and report of the module against those of the program: node same.mjs PROGRAM FOLDER TEMPLATE...
//
// All files of a results folder but timing.json have the same bytes, for each template as it is and with
// two overrides. FOLDER has the playground.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [program, folder, ...wanted] = process.argv.slice(2);
const airpath = await import(pathToFileURL(resolve(folder, "airpath_web.js")));
airpath.initSync({ module: readFileSync(join(folder, "airpath_web_bg.wasm")) });
airpath.begin();
const templates = JSON.parse(airpath.templates());
const names = wanted[0] === "--all" ? templates.map(({ name }) => name) : wanted;
const OVERRIDES = [[], ["seed=7", "output.warm_up=500 ms"]];

function filesOf(path) {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const name = (one) => join(one.parentPath, one.name).slice(path.length + 1);
  return new Map(files.map((one) => [name(one), readFileSync(join(one.parentPath, one.name))]));
}

function ofProgram(name, overrides) {
  const target = mkdtempSync(join(tmpdir(), "airpath-"));
  try {
    const [file, out] = [join(target, `${name}.toml`), join(target, name)];
    writeFileSync(file, templates.find((one) => one.name === name).text);
    const set = overrides.flatMap((one) => ["--set", one]);
    const begun = performance.now();
    execFileSync(program, ["run", file, "--quiet", "--threads", "1", "--out", out, "--report", ...set],
      { stdio: ["ignore", "ignore", "pipe"] });
    return { files: filesOf(out), seconds: (performance.now() - begun) / 1000 };
  } finally {
    rmSync(target, { recursive: true });
  }
}

function ofModule(name, overrides) {
  const begun = performance.now();
  const { text } = templates.find((one) => one.name === name);
  const run = new airpath.Run(name, text, overrides, new airpath.Files());
  const title = run.title();
  while (run.advance() < 1);
  const results = run.finish(1);
  const report = new airpath.Report();
  report.add(results);
  const files = new Map(results.names().map((file) => [file, results.file(file)]));
  files.set("report.html", report.page(title));
  results.free();
  report.free();
  return { files, seconds: (performance.now() - begun) / 1000 };
}

for (const name of names) {
  for (const overrides of OVERRIDES) {
    const [expected, found] = [ofProgram(name, overrides), ofModule(name, overrides)];
    assert.deepEqual([...found.files.keys()].sort(), [...expected.files.keys()].sort(), name);
    for (const [file, bytes] of expected.files) {
      if (file === "timing.json") continue;
      assert.ok(bytes.equals(found.files.get(file)), `${name} ${overrides}: ${file} differs`);
    }
    const times = `${expected.seconds.toFixed(2)} s, here ${found.seconds.toFixed(2)} s`;
    console.log(`${name} ${overrides}: the same ${expected.files.size} files (program ${times})`);
  }
}
