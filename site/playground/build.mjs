// Puts the page together: node build.mjs FOLDER, where FOLDER has the module that wasm-bindgen wrote.
//
// The policy allows the page's own scripts, the module, and the scripts of reports, by their hashes.

import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const here = import.meta.dirname;
const text = (name) => readFileSync(join(here, name), "utf8");
const hash = (script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`;

// Without it, node takes a file of this ending for a script of another kind.
writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
const airpath = await import(pathToFileURL(join(folder, "airpath_web.js")));
airpath.initSync({ module: readFileSync(join(folder, "airpath_web_bg.wasm")) });

const start = text("start.js");
const scripts = ["'self'", "'wasm-unsafe-eval'", hash(start), airpath.report_scripts()].join(" ");
const policy = `default-src 'none'; script-src ${scripts}; style-src 'unsafe-inline'; worker-src 'self'; ` +
  "connect-src 'self'; base-uri 'none'; form-action 'none'";
const page = text("index.html")
  .replace("@POLICY@", () => policy)
  .replace("@STYLE@", () => text("style.css"))
  .replace("@START@", () => start);
writeFileSync(join(folder, "index.html"), page);
for (const name of ["main.js", "editor.js", "schema.js", "link.js", "worker.js"]) {
  copyFileSync(join(here, name), join(folder, name));
}
