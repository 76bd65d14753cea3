// The page: two workers with the module, one that checks while the other runs.
//
// A worker that is broken is ended and made anew, and the page goes on.

import { Editor } from "./editor.js";
import { LONGEST, read, write } from "./link.js";

const element = (id) => document.getElementById(id);
const set = (id, text) => { element(id).textContent = text; };
// Time without a change before a text is checked, in milliseconds.
const QUIET = 250;

let editor;
let templates = [];
let files = [];
let checks = 0;
let url;
let timer;
let analysing = false;

class Helper {
  constructor(module, runs, answers) {
    this.module = module;
    this.runs = runs;
    this.answers = answers;
    this.make();
  }

  make() {
    this.worker = new Worker("worker.js", { type: "module" });
    this.began = false;
    this.worker.onmessage = ({ data }) => {
      this.began ||= data.kind === "ready";
      this.answers[data.kind]?.(data);
    };
    this.worker.onerror = (event) => this.answers.broken({ message: event.message });
    this.post({ kind: "begin", module: this.module, runs: this.runs });
  }

  post(message, transfer = []) {
    this.worker.postMessage(message, transfer);
  }

  again() {
    this.worker.terminate();
    this.make();
  }
}

const overrides = () => {
  const text = element("second").value.trim();
  return text ? [text] : [];
};

function name() {
  const known = templates.find(({ text }) => text === editor.value);
  return known ? known.name : "scenario";
}

function check() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    checks += 1;
    checker.post({ kind: "check", id: checks, text: editor.value, overrides: overrides(), files });
  }, QUIET);
}

function showProblems({ id, found }) {
  if (id !== checks) return;
  const { problems } = found;
  const list = document.createElement("ul");
  for (const { line, message, allowed } of problems) {
    const item = document.createElement("li");
    const text = `${message}${allowed ? ` (${allowed})` : ""}`;
    if (line) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `line ${line}: ${text}`;
      button.onclick = () => editor.go(line);
      item.append(button);
    } else {
      item.textContent = text;
    }
    list.append(item);
  }
  const { title, ues, seconds } = found;
  const valid = `The scenario is valid: ${ues} ${ues === 1 ? "UE" : "UEs"}, ${seconds} s of simulated time.`;
  element("problems").replaceChildren(...(problems.length ? [list] : [valid]));
  if (title) document.title = `${title} - airpath playground`;
  editor.mark(problems.map(({ line }) => line).filter(Boolean));
}

function busy(on) {
  element("run").disabled = on;
  element("capture").disabled = on;
  element("stop").disabled = !on;
}

function begin() {
  const own = overrides();
  const arms = [{ name: name(), overrides: [] }];
  if (own.length) arms.push({ name: own[0].replaceAll("/", " per "), overrides: own });
  busy(true);
  element("progress").value = 0;
  analysing = false;
  set("state", "The run has begun.");
  runner.post({ kind: "run", name: name(), text: editor.value, arms, files });
}

function stop() {
  if (!analysing) {
    runner.post({ kind: "stop" });
    return;
  }
  runner.again();
  over("The analysis was stopped. It has no results.");
}

// Ends a run or an analysis. Without a report, files of earlier results are gone with their worker.
function over(message) {
  busy(false);
  element("names").replaceChildren();
  set("state", message);
}

function showReport({ page, names, complete }) {
  const what = analysing ? "analysis" : "run";
  over(complete ? `The ${what} is over; its report is below.`
    : "The run was stopped; the report below has its results so far.");
  element("progress").value = 1;
  if (url) URL.revokeObjectURL(url);
  url = URL.createObjectURL(new Blob([page], { type: "text/html" }));
  element("whole").href = url;
  element("page").srcdoc = new TextDecoder().decode(page);
  const items = names.flatMap((own, arm) => own.map((file) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = names.length > 1 ? `${file} of arm ${arm + 1}` : file;
    button.onclick = () => runner.post({ kind: "file", arm, name: file });
    item.append(button);
    return item;
  }));
  element("names").replaceChildren(...items);
  element("result").hidden = false;
  element("report-title").focus();
}

function save({ name: file, bytes }) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = file.replaceAll("/", "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function share() {
  const fragment = await write({ text: editor.value, second: element("second").value });
  if (!fragment) {
    set("shared", `The scenario is too long for a link (${LONGEST} characters); send it as a file.`);
    return;
  }
  history.replaceState(null, "", fragment);
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  const where = copied ? "The link is copied" : "The link is in the address bar";
  set("shared", `${where}. The scenario is part of it, and no server sees that part.`);
}

async function takeFiles() {
  const chosen = [...element("files").files];
  const bytes = await Promise.all(chosen.map((file) => file.arrayBuffer()));
  const fresh = chosen.map((file, n) => ({ name: file.name, bytes: new Uint8Array(bytes[n]) }));
  files = [...files.filter((old) => !fresh.some((one) => one.name === old.name)), ...fresh];
  element("given").replaceChildren(...files.map((file) => {
    const item = document.createElement("li");
    item.textContent = file.name;
    return item;
  }));
  check();
}

async function analyse() {
  const [file] = element("capture").files;
  if (!file) return;
  busy(true);
  analysing = true;
  element("progress").removeAttribute("value");
  set("state", `${file.name} is being read.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  runner.post({ kind: "analyse", name: file.name, bytes }, [bytes.buffer]);
}

// The scenario of the link, if the address has one: its text, or the name of a template. It is shown and not run.
async function open() {
  const named = new URLSearchParams(location.hash.slice(1)).get("template");
  const template = templates.find((one) => one.name === named);
  if (template) {
    element("template").value = named;
    element("template").onchange();
    return true;
  }
  try {
    const state = await read(location.hash);
    if (!state) return false;
    editor.value = String(state.text);
    element("second").value = String(state.second ?? "");
    set("state", "The scenario is from the link. Run starts it.");
    return true;
  } catch {
    set("state", "The link is damaged: it has no scenario that can be read.");
    return false;
  }
}

async function ready(found) {
  if (editor) return; // a worker that was made anew
  templates = found.templates;
  const select = element("template");
  select.replaceChildren(...templates.map((one) => new Option(one.name, one.name)));
  const choose = () => {
    const chosen = templates.find((one) => one.name === select.value);
    set("summary", chosen.summary);
    editor.value = chosen.text;
  };
  editor = new Editor(found.schema, check);
  element("main").hidden = false;
  element("start").hidden = true;
  select.onchange = choose;
  if (!(await open())) choose();
  element("second").oninput = check;
  element("files").onchange = takeFiles;
  element("capture").onchange = analyse;
  element("run").onclick = begin;
  element("stop").onclick = stop;
  element("share").onclick = share;
  addEventListener("hashchange", open);
}

// A worker that breaks before it has begun would break again.
function failed(helper, message) {
  const text = `airpath has failed: ${message}. The page goes on with a new worker.`;
  if (helper === runner) {
    element("progress").value = 0;
    over(text);
  } else {
    element("problems").replaceChildren(text);
  }
  if (helper.began) helper.again();
  else unloaded({ message });
}

function unloaded({ message }) {
  element("start").hidden = false;
  set("start", `The playground could not be loaded: ${message}. Load the page again.`);
}

// The module is not compiled while it arrives, as servers differ in the type that they give a module.
async function load() {
  const answer = await fetch("airpath_web_bg.wasm");
  if (!answer.ok) throw new Error(`the server has no airpath_web_bg.wasm (${answer.status})`);
  const module = await WebAssembly.compile(await answer.arrayBuffer());
  checker = new Helper(module, false, {
    ready,
    checked: showProblems,
    refused: ({ message }) => element("problems").replaceChildren(message),
    broken: ({ message }) => failed(checker, message),
  });
  runner = new Helper(module, true, {
    progress({ arm, share: part }) {
      element("progress").value = part;
      set("state", `${arm}: ${Math.floor(part * 10) * 10}% of the simulated time.`);
    },
    reporting: () => set("state", "The report is being made."),
    done: showReport,
    file: save,
    refused({ message }) {
      element("progress").value = 0;
      over(message);
    },
    broken: ({ message }) => failed(runner, message),
  });
}

let checker;
let runner;
if (!("refused" in element("start").dataset)) await load().catch(unloaded);
