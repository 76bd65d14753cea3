// A worker that has the module: it checks, runs and reports, by messages from the page.
//
// A run gives way to messages several times a second, so that Stop takes effect. An error that the module throws
// as a text is an answer. Any other (a trap, no memory) is `broken`: the page makes another worker.

import * as airpath from "./airpath_web.js";

// Time between two looks at messages, in milliseconds.
const TURN = 50;

let stopped = false;
let results = [];

const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()?.();
const pause = () => new Promise((resume) => {
  waiting.push(resume);
  channel.port2.postMessage(0);
});

function filesOf(list) {
  const files = new airpath.Files();
  for (const { name, bytes } of list) files.add(name, bytes);
  return files;
}

async function run({ name, text, arms, files }) {
  stopped = false;
  results.forEach((one) => one.free());
  results = [];
  const given = filesOf(files);
  const report = new airpath.Report();
  let title = name;
  let complete = true;
  for (const [number, arm] of arms.entries()) {
    if (stopped) break;
    const begun = performance.now();
    const course = new airpath.Run(arm.name, text, arm.overrides, given);
    title = course.title();
    let share = 0;
    while (share < 1 && !stopped) {
      const until = performance.now() + TURN;
      do share = course.advance(); while (share < 1 && performance.now() < until);
      postMessage({ kind: "progress", arm: arm.name, number, share });
      await pause();
    }
    complete = complete && share >= 1;
    const one = course.finish((performance.now() - begun) / 1000);
    results.push(one);
    report.add(one);
  }
  postMessage({ kind: "reporting" });
  const page = report.page(title);
  report.free();
  given.free();
  const names = results.map((one) => one.names());
  postMessage({ kind: "done", page, names, complete }, [page.buffer]);
}

// A browser compiles a function when it is first called, and well when it has been called often. The short run
// saves the first run of the page most of that wait.
function warm({ name, text }) {
  const none = new airpath.Files();
  const course = new airpath.Run(name, text, [], none);
  while (course.advance() < 1);
  const own = course.finish(0);
  const report = new airpath.Report();
  report.add(own);
  report.page(name);
  [report, own, none].forEach((one) => one.free());
}

const answers = {
  begin({ module, runs }) {
    airpath.initSync({ module });
    airpath.begin();
    const templates = JSON.parse(airpath.templates());
    postMessage({ kind: "ready", templates, schema: JSON.parse(airpath.schema()) });
    if (runs) warm(templates[0]);
  },
  check({ id, text, overrides, files }) {
    const given = filesOf(files);
    const found = JSON.parse(airpath.check(text, overrides, given));
    given.free();
    postMessage({ kind: "checked", id, found });
  },
  run,
  analyse({ name, bytes }) {
    results.forEach((one) => one.free());
    results = [];
    const analysis = new airpath.Analysis(name, bytes);
    const page = analysis.page();
    results = [analysis.results()];
    postMessage({ kind: "done", page, names: [results[0].names()], complete: true }, [page.buffer]);
  },
  stop() {
    stopped = true;
  },
  file({ arm, name }) {
    const bytes = results[arm]?.file(name);
    if (bytes) postMessage({ kind: "file", name, bytes }, [bytes.buffer]);
  },
};

onmessage = async ({ data }) => {
  try {
    await answers[data.kind](data);
  } catch (error) {
    const kind = typeof error === "string" ? "refused" : "broken";
    const trapped = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    const memory = trapped ? "; it may take more memory than a page has, at most 4 GiB" : "";
    postMessage({ kind, message: String(error?.message ?? error) + memory });
  }
};
