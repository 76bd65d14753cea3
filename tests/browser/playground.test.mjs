// The playground in a browser, served from the folder AIRPATH_PLAYGROUND; left out without one. The long form
// compares the results of all templates with those of AIRPATH_PROGRAM.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { OVERRIDES, ofRun } from "../playground/program.mjs";
import { barriers, browser } from "./bench.mjs";

const ROOT = process.env.AIRPATH_PLAYGROUND ?? "";
const TYPES = { ".html": "text/html", ".js": "text/javascript" };
const PATIENCE = 120_000;
const CAPTURE = path.join(import.meta.dirname, "../../crates/analyse/captures/quic.pcap.gz");

/** Section of a module with the memory (WebAssembly Core 2.0, 5.5.8). */
const MEMORY = 5;

/** A number in LEB128 with its end, from an offset. */
function number(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7, at += 1) {
    value |= (bytes[at] & 127) << shift;
    if (bytes[at] < 128) return [value, at + 1];
  }
}

/** The module with a memory of at most so many pages of 64 KiB, below 16384. */
function limited(bytes, pages) {
  for (let at = 8; at < bytes.length;) {
    const [size, begin] = number(bytes, at + 1);
    if (bytes[at] === MEMORY) {
      const least = bytes.subarray(begin + 2, begin + size);
      const section = [1, 1, ...least, pages % 128 + 128, pages >> 7];
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([MEMORY, section.length, ...section]),
        bytes.subarray(begin + size)]);
    }
    at = begin + size;
  }
  throw new Error("the module has no memory");
}

/** Serves the playground; `pages` of the answer limits the memory of the module. */
async function serve() {
  const own = {};
  const server = createServer(async ({ url }, answer) => {
    try {
      const name = new URL(url, "http://here").pathname;
      const file = path.join(ROOT, name === "/" ? "index.html" : decodeURIComponent(name));
      const whole = await readFile(file);
      const bytes = own.pages && file.endsWith(".wasm") ? limited(whole, own.pages) : whole;
      answer.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
      answer.end(bytes);
    } catch {
      answer.writeHead(404).end();
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return Object.assign(own, { base: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() });
}

const built = ROOT !== "" && existsSync(path.join(ROOT, "index.html"));
const compared = process.env.AIRPATH_TEST_LONG && process.env.AIRPATH_PROGRAM;

const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** In the page: runs a scenario in a worker of its own, and gives the digest of each file and of the report. */
async function digests({ name, text, overrides }) {
  const hash = async (bytes) => {
    const all = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return [...all].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  const bytes = await fetch("airpath_web_bg.wasm").then((answer) => answer.arrayBuffer());
  const worker = new Worker("worker.js", { type: "module" });
  const waiting = {};
  const answer = (kind) => new Promise((resolve, reject) => {
    waiting[kind] = resolve;
    for (const fault of ["refused", "broken"]) waiting[fault] = ({ message }) => reject(new Error(message));
  });
  worker.onmessage = ({ data }) => waiting[data.kind]?.(data);
  worker.postMessage({ kind: "begin", module: await WebAssembly.compile(bytes), runs: false });
  worker.postMessage({ kind: "run", name, text, arms: [{ name, overrides }], files: [] });
  const { page, names: [names] } = await answer("done");
  const found = { "report.html": await hash(page) };
  for (const file of names) {
    worker.postMessage({ kind: "file", arm: 0, name: file });
    found[file] = await hash((await answer("file")).bytes);
  }
  worker.terminate();
  return found;
}

describe("the playground", { skip: built ? false : "it is not built" }, () => {
  let one, site;
  before(async () => { one = await browser(); site = await serve(); });
  after(async () => { await one.close(); site.close(); });

  /** Opens the page and waits for its editor; `faults` gets what goes wrong. */
  async function open({ width = 1280, dark = false, address = site.base } = {}) {
    const context = await one.newContext({
      viewport: { width, height: 900 },
      colorScheme: dark ? "dark" : "light",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const faults = [];
    page.on("console", (message) => {
      // A blank favicon is no part of the page.
      if (message.type() === "error" && !message.location().url.endsWith("favicon.ico")) faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("request", (request) => {
      const own = request.url().startsWith(site.base) || /^(blob|data|about):/.test(request.url());
      if (!own) faults.push(`asks for ${request.url()}`);
    });
    await page.goto(address);
    await page.waitForSelector("#main:not([hidden])");
    return { page, faults, close: () => context.close() };
  }

  const state = (page, text) => page.waitForFunction(
    (wanted) => document.querySelector("#state").textContent.includes(wanted), text);

  /** Waits for the report and its charts. */
  async function drawn(page) {
    await page.waitForSelector("#result:not([hidden])");
    const frame = await (await page.$("#page")).contentFrame();
    // A frame that is out of view has no animation frames to look at.
    const drawn = () => document.documentElement.dataset.drawn === "true";
    await frame.waitForFunction(drawn, null, { polling: 100 });
    return frame;
  }

  const fill = (page, text) => page.locator("#text").fill(text);

  test("a template runs, and its report has charts", async () => {
    const { page, faults, close } = await open();
    const editor = await page.locator("#text").boundingBox();
    assert.ok(editor.height < 600, `the editor leaves no room for Run: ${editor.height} pixels high`);
    const begun = performance.now();
    await page.click("#run");
    const frame = await drawn(page);
    console.log(`the first chart of lte-6rb after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    assert.ok(await frame.locator("section.chart .plot svg, section.chart .plot canvas").count() > 0);
    assert.match(await page.textContent("#state"), /over/);
    assert.deepEqual(faults, []);
    await close();
  });

  test("a fault is named with its line, and the button leads there", async () => {
    const { page, faults, close } = await open();
    await fill(page, 'duration = "1 s"\n\n[cell]\nscheduler = "fair"\n');
    const button = page.locator("#problems button").first();
    await button.waitFor();
    assert.match(await button.textContent(), /^line 4: /);
    await button.click();
    const line = await page.evaluate(() => {
      const text = document.querySelector("#text");
      return text.value.slice(0, text.selectionStart).split("\n").length;
    });
    assert.equal(line, 4);
    assert.deepEqual(faults, []);
    await close();
  });

  test("keys are suggested and described, by keyboard alone", async () => {
    const { page, faults, close } = await open();
    await fill(page, "[cell]\n");
    await page.keyboard.type("sched");
    await page.waitForSelector("#list:not([hidden]) [aria-selected=true]");
    await page.keyboard.press("Enter");
    await page.keyboard.type(" = ");
    assert.match(await page.inputValue("#text"), /scheduler = $/);
    await page.waitForFunction(() => document.querySelector("#help").textContent.startsWith("cell.scheduler"));
    await page.keyboard.press("Control+Space");
    await page.waitForSelector("#list:not([hidden])");
    await page.keyboard.press("Escape");
    assert.ok(await page.isHidden("#list"));
    await page.hover("#text", { position: { x: 100, y: 35 } });
    await page.waitForSelector("#tip:not([hidden])");
    assert.match(await page.textContent("#tip"), /scheduler/i);
    assert.deepEqual(faults, []);
    await close();
  });

  test("Stop keeps the results so far", async () => {
    const { page, faults, close } = await open();
    const text = await page.inputValue("#text");
    await fill(page, text.replace('duration = "5 s"', 'duration = "500 s"'));
    await page.click("#run");
    await page.waitForFunction(() => document.querySelector("#progress").value > 0);
    await page.click("#stop");
    await state(page, "so far");
    await drawn(page);
    assert.deepEqual(faults, []);
    await close();
  });

  test("a moved key gives two arms in one report", async () => {
    const { page, faults, close } = await open();
    await page.fill("#second", "path.s1.rate=20 Mbit/s");
    await page.click("#run");
    const frame = await drawn(page);
    const text = await frame.locator("main").textContent();
    assert.match(text, /path\.s1\.rate=20 Mbit per s/);
    assert.deepEqual(faults, []);
    await close();
  });

  test("a capture is analysed, and what is none is refused", async () => {
    const { page, faults, close } = await open();
    await page.setInputFiles("#capture", { name: "none.pcap", mimeType: "", buffer: Buffer.from("no capture") });
    await state(page, "neither pcap nor pcapng");
    await page.waitForSelector("#run:enabled");
    await page.setInputFiles("#capture", CAPTURE);
    await state(page, "over");
    assert.match(await page.textContent("#names"), /hosts\.parquet/);
    const frame = await drawn(page);
    assert.ok(await frame.locator("#each .chart").count() > 0);
    assert.deepEqual(faults, []);
    await close();
  });

  test("a file that is missing is named, and a run takes it from the page", async () => {
    const { page, faults, close } = await open();
    const text = await page.inputValue("#text");
    await fill(page, text.replace('rate = "5 Mbit/s"', 'capacity = "traces/cell.txt"'));
    const fault = page.locator("#problems li").first();
    await fault.waitFor();
    assert.match(await fault.textContent(), /add the file cell\.txt to the page, under Files/);
    await page.click("#run");
    await state(page, "add the file cell.txt");
    await page.click("#files-title");
    await page.setInputFiles("#files", { name: "cell.txt", mimeType: "", buffer: Buffer.from("0\n3\n7\n") });
    await page.waitForFunction(() => document.querySelector("#problems").textContent.includes("valid"));
    await page.click("#run");
    await drawn(page);
    assert.deepEqual(faults, []);
    await close();
  });

  test("a lack of memory is a message, and the page goes on", async () => {
    site.pages = 256;
    const { page, faults, close } = await open();
    delete site.pages;
    const text = await page.inputValue("#text");
    await fill(page, text.replace('duration = "5 s"', 'duration = "50 s"'));
    await page.click("#run");
    await state(page, "more memory than a page has");
    await fill(page, text.replace('duration = "5 s"', 'duration = "2 s"'));
    await page.click("#run");
    await drawn(page);
    assert.deepEqual(faults, []);
    await close();
  });

  test("a worker that breaks is replaced, and the page goes on", async () => {
    const { page, close } = await open();
    await page.evaluate(() => {
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (message, ...rest) {
        if (message.kind === "run") Worker.prototype.postMessage = postMessage;
        postMessage.call(this, message.kind === "run" ? { kind: "nothing" } : message, ...rest);
      };
    });
    await page.click("#run");
    await state(page, "has failed");
    await page.click("#run");
    await drawn(page);
    await close();
  });

  test("a link shows its scenario and does not run it", async () => {
    const first = await open();
    await fill(first.page, 'title = "<img src=x onerror=alert(1)>"\n');
    await first.page.click("#share");
    await first.page.waitForFunction(() => document.querySelector("#shared").textContent !== "");
    const address = first.page.url();
    assert.match(address, /#s=/);
    await first.close();
    const { page, faults, close } = await open({ address });
    assert.match(await page.inputValue("#text"), /onerror/);
    assert.ok(await page.isHidden("#result"));
    assert.match(await page.textContent("#state"), /from the link/);
    assert.deepEqual(faults, []);
    await close();
  });

  test("a link names a template", async () => {
    const { page, faults, close } = await open({ address: `${site.base}#template=outage` });
    assert.equal(await page.inputValue("#template"), "outage");
    assert.match(await page.inputValue("#text"), /airpath run outage\.toml/);
    assert.ok(await page.isHidden("#result"));
    assert.deepEqual(faults, []);
    await close();
  });

  test("a scenario that is too long for a link is refused", async () => {
    const { page, faults, close } = await open();
    let noise = "";
    for (let n = 1; noise.length < 30_000; n = (n * 48271) % 2147483647) noise += n.toString(36);
    await fill(page, `# ${noise}`);
    await page.click("#share");
    await page.waitForFunction(() => document.querySelector("#shared").textContent.includes("too long"));
    assert.doesNotMatch(page.url(), /#s=/);
    assert.deepEqual(faults, []);
    await close();
  });

  test("the policy allows scripts by hash, the module, and the page's own origin", async () => {
    const html = await readFile(path.join(ROOT, "index.html"), "utf8");
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html);
    const rules = Object.fromEntries(policy.split("; ").map((rule) => rule.split(/ (.*)/)));
    const { "script-src": scripts, ...others } = rules;
    assert.ok(scripts.split(" ").every((one) => /^'(sha256-[A-Za-z0-9+/=]+|wasm-unsafe-eval)'$/.test(one)));
    assert.deepEqual(others, {
      "default-src": "'none'", "style-src": "'unsafe-inline'", "base-uri": "'none'", "form-action": "'none'",
      "worker-src": "'self'", "connect-src": "'self'",
    });
  });

  test("without WebAssembly there is a message", async () => {
    const page = await one.newPage();
    await page.addInitScript(() => { delete globalThis.WebAssembly; });
    await page.goto(site.base);
    await page.waitForFunction(() => document.querySelector("#start").textContent.includes("install the program"));
    assert.ok(await page.isHidden("#main"));
    await page.close();
  });

  test("opened as a file it tells what to do", async () => {
    const page = await one.newPage();
    await page.goto(pathToFileURL(path.join(ROOT, "index.html")).href);
    await page.waitForFunction(() => document.querySelector("#start").textContent.includes("http.server"));
    await page.close();
  });

  test("all templates have the bytes of the program", { skip: compared ? false : "a part of the long tests" }, async () => {
    const { page, faults, close } = await open();
    const names = await page.locator("#template option").allTextContents();
    assert.ok(names.length > 0);
    for (const name of names) {
      await page.selectOption("#template", name);
      const text = await page.inputValue("#text");
      for (const overrides of OVERRIDES) {
        const { files } = ofRun(path.resolve(process.env.AIRPATH_PROGRAM), { name, text }, overrides);
        const expected = Object.fromEntries([...files].map(([file, bytes]) => [file, digest(bytes)]));
        const found = await page.evaluate(digests, { name, text, overrides });
        delete expected["timing.json"];
        delete found["timing.json"];
        assert.deepEqual(found, expected, `${name} ${overrides}`);
      }
    }
    assert.deepEqual(faults, []);
    await close();
  });

  for (const [width, dark] of [[390, false], [1280, true]]) {
    test(`${width} pixels, ${dark ? "dark" : "light"}: it fits and has no barriers`, async () => {
      const { page, faults, close } = await open({ width, dark });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
      assert.deepEqual(await barriers(page), []);
      await page.click("#run");
      await drawn(page);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
      assert.deepEqual(await barriers(page), []);
      assert.deepEqual(faults, []);
      await close();
    });
  }
});
