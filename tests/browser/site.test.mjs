// The site of the documentation, served from the folder AIRPATH_SITE; left out where it isn't built.
//
// With AIRPATH_TEST_LONG every page is looked at in each width and both colours; without it a page of each
// kind, narrow and light or wide and dark.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { barriers, browser, until } from "./bench.mjs";

const LONG = process.env.AIRPATH_TEST_LONG !== undefined;
const ROOT = process.env.AIRPATH_SITE;
const LOOKS = LONG
  ? [390, 1280].flatMap((width) => [[width, false], [width, true]])
  : [[390, false], [1280, true]];
const KINDS = [
  "index.html", "models.html", "schema/path.html", "notebooks/first-cell.html", "python/parts.html",
  "studies/short-tti.html", "examples/index.html", "rust.html",
];
const TYPES = {
  ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".json": "application/json",
  ".png": "image/png", ".svg": "image/svg+xml",
};

/** All pages but those of rustdoc and reports, which have a design of their own. */
async function everything() {
  const files = await readdir(ROOT, { recursive: true });
  const own = /^(rust\/|examples\/(?!index))/;
  return files.filter((name) => name.endsWith(".html") && !own.test(name)).sort();
}

/** Serves the folder on this machine. */
async function serve() {
  const server = createServer(async ({ url }, answer) => {
    try {
      const file = path.join(ROOT, decodeURIComponent(new URL(url, "http://here").pathname));
      const bytes = await readFile(file);
      answer.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "text/plain" });
      answer.end(bytes);
    } catch {
      answer.writeHead(404).end();
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { base: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

describe("the site", { skip: ROOT ? false : "it is not built" }, async () => {
  let one, site;
  before(async () => { one = await browser(); site = await serve(); });
  after(async () => { await one.close(); site.close(); });

  /** Opens a page, does something with it, and wants no errors and nothing asked of others. */
  async function visit(name, { width, dark }, act) {
    const context = await one.newContext({
      viewport: { width, height: 900 },
      colorScheme: dark ? "dark" : "light",
    });
    const page = await context.newPage();
    const faults = [];
    page.on("console", (message) => { if (message.type() === "error") faults.push(message.text()); });
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("request", (request) => {
      const own = request.url().startsWith(site.base) || /^(blob|data):/.test(request.url());
      if (!own) faults.push(`asks for ${request.url()}`);
    });
    await page.goto(site.base + name, { waitUntil: "networkidle" });
    await act(page);
    assert.deepEqual(faults, [], "console, errors and requests");
    await context.close();
  }

  for (const name of ROOT ? (LONG ? await everything() : KINDS) : []) {
    for (const [width, dark] of LOOKS) {
      test(`${name}, ${width} pixels, ${dark ? "dark" : "light"}: it fits and has no barriers`, () =>
        visit(name, { width, dark }, async (page) => {
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `${wide} pixels wide`);
          assert.ok((await page.locator("article h1").count()) > 0, "no heading");
          assert.deepEqual(await barriers(page), []);
        }));
    }
  }

  test("an example's report opens, and its notebook is there", () =>
    visit("examples/index.html", { width: 1280, dark: false }, async (page) => {
      const notebook = await page.locator("article a", { hasText: /^notebook$/ }).first().getAttribute("href");
      const answer = await page.request.get(new URL(notebook, page.url()).href);
      assert.equal(JSON.parse(await answer.text()).nbformat, 4);
      await page.locator("article a", { hasText: /^report$/ }).first().click();
      await until(async () => (await page.locator("svg").count()) > 0, "no chart");
    }));

  test("a key of the scenario file is found", () =>
    visit("index.html", { width: 1280, dark: false }, async (page) => {
      await page.locator("input.md-search__input").click();
      await page.keyboard.type("starvation");
      const results = page.locator(".md-search-result__link");
      await until(async () => (await results.count()) > 0, "nothing found");
      await results.first().click();
      await page.waitForURL(/\.html/);
      assert.match(await page.locator("article").textContent(), /starvation/i);
    }));
});
