// Checks of every page of charts in the folder AIRPATH_PAGES, in the browser AIRPATH_CHROMIUM.
//
// With AIRPATH_TEST_LONG every chart is zoomed and saved, and every page is looked at in each width
// and both colours. Without it:
// - one chart of each kind is zoomed and saved, on the page of kinds, and the first chart of each other page;
// - pages are narrow and light, or wide and dark;
// - pages whose kinds of charts other pages have are left out.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  barriers, charts, pages, pointAt, save, ticks, until, visited, zooms,
} from "./bench.mjs";

const LONG = process.env.AIRPATH_TEST_LONG !== undefined;
const WIDTHS = [390, 820, 1280];
const LOOKS = LONG
  ? WIDTHS.flatMap((width) => [[width, false], [width, true]])
  : [[WIDTHS[0], false], [WIDTHS[2], true]];

/** Pages that only AIRPATH_TEST_LONG opens. */
const LARGE = /^(odd-|gallery|full-report|net-report)/;
/** Charts of a page that are tried one by one. */
const some = async (page) => (await charts(page)).filter((_, n) => LONG || n === 0 || /kinds/.test(page.url()));
const all = (await pages(process.env.AIRPATH_PAGES)).filter(({ name }) => LONG || !LARGE.test(name));
assert.ok(all.length > 0, `no page in ${process.env.AIRPATH_PAGES}`);

for (const { name, url } of all) {
  describe(name, () => {
    for (const [width, dark] of LOOKS) {
      describe(`${width} pixels, ${dark ? "dark" : "light"}`, () => {
        const seen = visited(url, { width, dark });
        looks(name, seen, width, dark);
        if (width === WIDTHS.at(-1) && dark) acts(seen);
        test("no errors, and nothing is asked of a network", () => assert.deepEqual(seen.faults, []));
      });
    }
  });
}

/** What a page is looked at for in each width and colour. */
function looks(name, seen, width, dark) {
  test("every chart is drawn and said", async () => {
    const found = await charts(seen.page);
    console.log(`${name}: ${found.length} charts ready after ${Math.round(seen.ready)} ms`);
    assert.ok(found.length > 0, "no chart");
    for (const { id, said, marks, blank, fault } of found) {
      assert.equal(fault, "", id);
      assert.equal(blank, 0, `${id} has panels without ticks`);
      assert.ok(marks > 0, `${id} has no marks`);
      assert.ok(said.length > 0, `${id} says nothing`);
    }
  });

  test("it fits and has no barriers", async () => {
    const { page } = seen;
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} pixels wide`);
    const text = await page.evaluate(() => getComputedStyle(document.body).color);
    const light = text.match(/\d+/g).slice(0, 3).reduce((sum, n) => sum + Number(n), 0);
    assert.equal(light > 384, dark, `text is ${text}`);
    assert.deepEqual(await barriers(page), []);
  });
}

/** What is done with a page by mouse and keyboard, one thing after the other. */
function acts(seen) {
  test("buttons change what is seen of charts that can be zoomed", async () => {
    const { page } = seen;
    for (const { id } of await some(page)) {
      const all = await zooms(page, id);
      if (all.length === 0) continue;
      await page.locator(`#${id} [data-tool=in]`).click();
      const view = page.locator(`#${id} .seen`);
      const said = async () => / to /.test(await view.textContent());
      if (all.some(({ axes }) => axes.includes("x"))) await until(said, `${id} does not zoom`);
      await page.locator(`#${id} [data-tool=on]`).click();
      await page.locator(`#${id} [data-tool=whole]`).click();
    }
  });

  test("wheel and drag change what is seen, in linked panels together", async () => {
    const { page } = seen;
    for (const { id, tools, canvas } of await some(page)) {
      const all = await zooms(page, id);
      assert.equal(all.length > 0, tools.includes("whole"), id);
      // A canvas has no elements to ask for its ticks; what its buttons do is seen above.
      if (!canvas) for (const { panels } of all) await drags(page, id, panels);
    }
  });

  test("what is saved is a file of its kind", async () => {
    const { page } = seen;
    const begins = { svg: "<svg", png: "\x89PNG", csv: "", json: "{" };
    for (const { id, tools } of await some(page)) {
      for (const [tool, start] of Object.entries(begins)) {
        assert.ok(tools.includes(tool), `${id} has no ${tool}`);
        const { name, bytes } = await save(page, id, tool);
        assert.match(name, new RegExp(`^${id}\\..*${tool}$`));
        assert.ok(bytes.length > 20, `${name} is empty`);
        assert.ok(bytes.toString("latin1").startsWith(start), `${name} is none`);
      }
    }
  });

  test("a cell that a spreadsheet would run is saved as text, and numbers stay", async () => {
    const { page } = seen;
    const saved = await page.evaluate(() =>
      airpathFiles.csv([["=1+1", "+a", "-3 dB", "@x", "\tx", "\rx", "a=b"], [-1.5, "-1.5", "+2e-3", null, "-", "--1", 0]]));
    assert.equal(saved, "'=1+1,'+a,'-3 dB,'@x,'\tx,\"'\rx\",a=b\n-1.5,-1.5,+2e-3,,'-,'--1,0\n");
  });

  test("every control is reached and used by keyboard", async () => {
    const { page } = seen;
    await page.evaluate(() => document.activeElement.blur());
    const controls = "a[href], button, summary, select, input, [tabindex='0']";
    const count = await page.locator(`:is(${controls}):visible`).count();
    const reached = new Set();
    // The first press goes on from where the mouse was, and the last control leads to the first.
    for (let n = 0; n < count + 5; n += 1) {
      await page.keyboard.press("Tab");
      const { number, outline } = await page.evaluate((controls) => ({
        number: [...document.querySelectorAll(controls)].indexOf(document.activeElement),
        outline: getComputedStyle(document.activeElement).outlineStyle,
      }), controls);
      if (number >= 0) assert.notEqual(outline, "none", `control ${number} has no outline`);
      if (number >= 0) reached.add(number);
    }
    assert.ok(reached.size >= count, `${reached.size} of ${count} controls are reached`);
    const series = page.locator(".series button").first();
    if (await series.count() > 0) {
      await series.focus();
      await page.keyboard.press("Enter");
      assert.equal(await series.getAttribute("aria-pressed"), "true");
    }
    const rows = page.locator("section.chart details summary").first();
    await rows.focus();
    await page.keyboard.press("Enter");
    const table = page.locator("section.chart details table tbody tr");
    await until(async () => (await table.count()) > 0, "the table of data stays empty");
  });
}

/** The wheel and a drag in the first of linked panels move all of them, and the button brings the whole back. */
async function drags(page, id, panels) {
  const now = () => Promise.all(panels.map((panel) => ticks(page, id, panel)));
  const moved = async (from) => {
    const to = await now();
    return to.every((panel, n) => String(panel) !== String(from[n]));
  };
  const whole = await now();
  const { x, y } = await pointAt(page, id, panels[0]);
  await page.keyboard.down("Control");
  for (let n = 0; n < 10; n += 1) await page.mouse.wheel(0, -100);
  await page.keyboard.up("Control");
  await until(() => moved(whole), `${id}: the wheel does not zoom panels ${panels}`);
  const near = await now();
  await page.mouse.down();
  await page.mouse.move(x - 150, y + 100, { steps: 5 });
  await page.mouse.up();
  await until(() => moved(near), `${id}: dragging does not move panels ${panels}`);
  await page.locator(`#${id} [data-tool=whole]`).click();
  // A redrawn axis may have room for more labels; the range between them is what must come back.
  const again = async () => String((await now()).flat().map(range)) === String(whole.flat().map(range));
  await until(again, `${id}: the whole view does not come back`);
}

/** The least and the largest number of an axis' labels; labels that are no numbers as they are. */
function range(labels) {
  const numbers = labels.split(" ").map((text) => Number(text.replaceAll(",", "").replace("\u2212", "-")));
  return numbers.some(Number.isNaN) ? labels : `${Math.min(...numbers)} to ${Math.max(...numbers)}`;
}
