// Puts the page together: node build.mjs FOLDER, where FOLDER has the module that wasm-bindgen wrote.
//
// The page's scripts become one, which is part of the page. The policy allows it and the scripts of reports by
// their hashes, and the module.

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

// Each part is a function that gives what it exports, and takes what it imports from those before it.
function part(name) {
  const source = text(`${name}.js`);
  const names = [...source.matchAll(/^export (?:async )?(?:const|class|function) (\w+)/gm)].map(([, own]) => own);
  const body = source.replace(/^import (\{.*\}) from "\.\/(\w+)\.js";$/gm, "const $1 = $2Part;").replace(/^export /gm, "");
  return `const ${name}Part = await (async () => {\n${body}return { ${names.join(", ")} };\n})();\n`;
}

const start = text("start.js");
const main = ["link", "schema", "editor", "main"].map(part).join("");
const scripts = ["'wasm-unsafe-eval'", hash(start), hash(main), airpath.report_scripts()].join(" ");
const policy = `default-src 'none'; script-src ${scripts}; style-src 'unsafe-inline'; base-uri 'none'; ` +
  "form-action 'none'; worker-src 'self'; connect-src 'self'";
const page = text("index.html")
  .replace("@POLICY@", () => policy)
  .replace("@STYLE@", () => text("style.css"))
  .replace("@START@", () => start)
  .replace("@MAIN@", () => main);
writeFileSync(join(folder, "index.html"), page);
copyFileSync(join(here, "worker.js"), join(folder, "worker.js"));
