// Results and report of the program, for comparison with those of the playground's module.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** Overrides of the runs that are compared: none, and two at once. */
export const OVERRIDES = [[], ["seed=7", "output.warm_up=500 ms"]];

function filesOf(path) {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const name = (one) => join(one.parentPath, one.name).slice(path.length + 1);
  return new Map(files.map((one) => [name(one), readFileSync(join(one.parentPath, one.name))]));
}

// Files by name that the program leaves in a folder `out`, and its seconds.
function filesFrom(program, out, prepare) {
  const cwd = mkdtempSync(join(tmpdir(), "airpath-"));
  try {
    const args = prepare(cwd);
    const begun = performance.now();
    execFileSync(program, [...args, "--threads", "1", "--out", out, "--report"], {
      cwd, stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, RAYON_NUM_THREADS: "1" },
    });
    return { files: filesOf(join(cwd, out)), seconds: (performance.now() - begun) / 1000 };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** Files by name that the program writes for a template, and its seconds. */
export function ofRun(program, { name, text }, overrides) {
  return filesFrom(program, name, (cwd) => {
    writeFileSync(join(cwd, `${name}.toml`), text);
    return ["run", `${name}.toml`, "--quiet", ...overrides.flatMap((one) => ["--set", one])];
  });
}

/** The same of a capture. */
export function ofCapture(program, path) {
  return filesFrom(program, "analysis", (cwd) => {
    copyFileSync(path, join(cwd, basename(path)));
    return ["analyse", basename(path)];
  });
}
