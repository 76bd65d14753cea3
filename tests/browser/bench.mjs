// Opens pages of charts from disk in an installed Chromium and looks at what is there.

import { createRequire } from "node:module";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** How long a page may take before it counts as one that does not draw. */
const PATIENCE = 120_000;

/** The pages to look at: all HTML files of a folder. */
export async function pages(folder) {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".html")).sort();
  return names.map((name) => ({ name, url: pathToFileURL(path.join(folder, name)).href }));
}

export function browser() {
  const executablePath = process.env.AIRPATH_CHROMIUM;
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

/** Opens a page without a network and waits for its charts; `faults` gets what goes wrong. */
export async function open(browser, url, { width = 1280, dark = false } = {}) {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? "dark" : "light",
    acceptDownloads: true,
  });
  await context.setOffline(true);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const faults = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const own = request.url() === url || /^(blob|data):/.test(request.url());
    if (!own) faults.push(`asks for ${request.url()}`);
  });
  const start = performance.now();
  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.dataset.drawn === "true", null, {
    timeout: PATIENCE,
  });
  const ready = performance.now() - start;
  await unfold(page);
  return { page, faults, ready, close: () => context.close() };
}

/** Opens a page once, in a browser of its own, for the tests of a description: they follow each other. */
export function visited(url, options) {
  const seen = {};
  before(async () => {
    seen.browser = await browser();
    Object.assign(seen, await open(seen.browser, url, options));
  });
  after(() => seen.browser.close());
  return seen;
}

/** Opens what is folded in a report and waits for its charts and its timeline. */
async function unfold(page) {
  await page.evaluate(() => {
    for (const part of document.querySelectorAll("details.part")) part.open = true;
  });
  await page.waitForFunction(() => {
    const drawn = ({ clientWidth }) => clientWidth === 0;
    const missing = [...document.querySelectorAll(".plot")].some((plot) =>
      !drawn(plot) && plot.childElementCount === 0 && plot.textContent === "");
    const late = [...document.querySelectorAll(".timeline")].some(({ dataset }) => !dataset.ready);
    return !missing && !late;
  }, null, { timeout: PATIENCE });
}

/** What axe-core finds that is serious or critical, a line for each rule. */
export async function barriers(page) {
  // Evaluated from outside, since the page's policy lets no other script run.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  const bad = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  return bad.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.length} places, the first is ${
    nodes[0].target.join(" ")}: ${nodes[0].failureSummary.replaceAll("\n", " ")}`);
}

/** The charts of a page: id, sentence, how many marks, panels without ticks, tools, faults. */
export function charts(page) {
  return page.evaluate(() => [...document.querySelectorAll("section.chart:not([hidden])")].map((section) => {
    const drawn = "path, line, circle, rect, text, image";
    const marks = (element) => [...element.querySelectorAll(".plot .role-mark")].reduce(
      (sum, mark) => sum + mark.querySelectorAll(drawn).length, 0);
    return {
      id: section.id,
      said: section.querySelector("figcaption").textContent.trim(),
      marks: marks(section) + section.querySelectorAll(".plot canvas").length,
      blank: [...section.querySelectorAll("[class*='concat_0_concat_'][class$='_group']")].filter(
        (panel) => !panel.querySelector(".role-axis-label text")).length,
      canvas: section.querySelectorAll(".plot canvas").length > 0,
      tools: [...section.querySelectorAll("[data-tool]")].map((button) => button.dataset.tool),
      fault: section.querySelector(".plot svg, .plot canvas")
        ? "" : section.querySelector(".plot").textContent,
    };
  }));
}

/** What can be zoomed in a chart: for each zoom the numbers of its panels, and its axes. */
export function zooms(page, id) {
  return page.evaluate((id) => {
    const { params } = JSON.parse(document.querySelector(`#${id} script`).textContent);
    return params.filter(({ bind }) => bind === "scales").map(({ views, select }) => ({
      panels: views.map((view) => Number(view.match(/[0-9]+$/)[0])),
      axes: select.encodings,
    }));
  }, id);
}

/** What stands at the axes of a chart's panel. */
export function ticks(page, id, panel) {
  return page.evaluate(([id, panel]) => {
    const group = document.querySelector(`#${id} .plot .concat_0_concat_${panel}_group`);
    const labels = group.querySelectorAll(".role-axis-label");
    return [...labels].map((axis) => [...axis.querySelectorAll("text")].map(
      (text) => text.textContent).join(" "));
  }, [id, panel]);
}

/** Moves the mouse to the middle of a chart's panel. */
export async function pointAt(page, id, panel) {
  const ground = page.locator(`#${id} .plot .concat_0_concat_${panel}_group .background`).first();
  await ground.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const box = await ground.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  return { x, y };
}

/** Waits until something is so. */
export async function until(so, what) {
  const end = performance.now() + 5_000;
  while (!(await so())) {
    if (performance.now() > end) throw new Error(what);
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Presses a button that saves and gives the name and the bytes of the file. */
export async function save(page, id, tool) {
  const download = page.waitForEvent("download");
  await page.locator(`#${id} [data-tool=${tool}]`).click();
  const file = await download;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}
