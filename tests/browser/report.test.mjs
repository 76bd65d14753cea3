// Checks of what only reports have: picking names, cards, the timeline and a packet's way.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { browser, open, pages, until, visited } from "./bench.mjs";

const all = await pages(process.env.AIRPATH_PAGES);
const reports = [];
for (const page of all) {
  const text = await readFile(fileURLToPath(page.url), "utf8");
  if (text.includes("<body class=\"report\">")) reports.push({ ...page, text });
}
assert.ok(reports.length > 0, "no report");

const named = ({ name }) => name.startsWith("odd-");
for (const { name, url, text } of reports.filter((page) => process.env.AIRPATH_TEST_LONG !== undefined || !named(page))) {
  describe(name, () => {
    // One visit for all: a name is picked last, since it stays picked.
    const visit = visited(url);

    test("what was asked comes before the answer, and that before all else", async () => {
      const { page } = visit;
      const titles = await page.locator(".part h2").allTextContents();
      assert.equal(titles[0], "What was asked");
      assert.match(titles[1], /answer|limits/);
      assert.ok((await page.locator(".findings li").count()) > 0, "no sentence answers");
    });

    test("tables scroll inside their frames, and their first column stays", async () => {
      const { page } = visit;
      const wrong = await page.evaluate(() => {
        for (const part of document.querySelectorAll("details")) part.open = true;
        const width = document.documentElement.clientWidth;
        const all = [];
        for (const frame of document.querySelectorAll(".grid .rows")) {
          const box = frame.getBoundingClientRect();
          if (box.width === 0) continue;
          if (box.right > width + 1) all.push("beyond the page");
          if (frame.scrollWidth <= frame.clientWidth) continue;
          if (!/auto|scroll/.test(getComputedStyle(frame).overflowX)) all.push("cut");
          frame.scrollLeft = frame.scrollWidth;
          for (const row of frame.querySelectorAll("tr")) {
            const first = row.cells[0].getBoundingClientRect();
            if (Math.abs(first.left - box.left) > 3) all.push("the first column goes");
          }
          frame.scrollLeft = 0;
        }
        if (document.documentElement.scrollWidth > width + 1) all.push("the page scrolls");
        return [...new Set(all)];
      });
      assert.deepEqual(wrong, []);
    });

    const packets = /"packets\.id":\{[^}]*"rows":[1-9]/.test(text);
    if (text.includes("class=\"component timeline\"") && !packets) {
      test("a timeline without packets says so, and tells of blocks", async () => {
        const { page } = visit;
        const told = () => page.locator(".timeline .way").textContent();
        assert.match(await told(), /Nothing is picked/);
        const canvas = page.locator(".timeline canvas.cells");
        await canvas.evaluate((element) => element.scrollIntoView({ block: "center" }));
        const box = await canvas.boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + 100);
        await until(async () => /^A transport block/.test(await told()), "no block");
      });
    }

    if (text.includes("class=\"component timeline\"") && packets) {
      test("a click on a block tells of it, and a click on its packet tells the packet's way", async () => {
        const { page } = visit;
        const told = () => page.locator(".timeline .way").textContent();
        await page.locator(".timeline .way button", { hasText: "Block 1" }).first().click();
        await until(async () => /^A transport block/.test(await told()), "no block");
        const packet = page.locator(".timeline .way .chips button").first();
        await packet.click();
        await until(async () => /^The way of packet/.test(await told()), "no packet");
        const canvas = page.locator(".timeline canvas.cells");
        await page.locator(".timeline button", { hasText: "Let it go" }).click();
        await canvas.evaluate((element) => element.scrollIntoView({ block: "center" }));
        const box = await canvas.boundingBox();
        // The lane of packets is below that of the queue.
        await page.mouse.click(box.x + box.width / 2, box.y + 105);
        await until(async () => /^The way of packet/.test(await told()), "the mouse finds no packet");
        const last = await page.locator(".timeline .seen").textContent();
        await page.keyboard.down("Control");
        await page.mouse.wheel(0, -300);
        await page.keyboard.up("Control");
        const moved = async () => await page.locator(".timeline .seen").textContent() !== last;
        await until(moved, "the wheel does not zoom");
      });

      test("what is seen of the timeline is saved", async () => {
        const { page } = visit;
        for (const [what, start] of [["PNG", "\x89PNG"], ["CSV", "on the air"]]) {
          const download = page.waitForEvent("download");
          await page.locator(`.timeline button[aria-label^="${what}"]`).click();
          const bytes = await readFile(await (await download).path());
          assert.ok(bytes.toString("latin1").startsWith(start), what);
        }
      });

      test("the timeline is moved and zoomed, and tells a packet's way, by keyboard", async () => {
        const { page } = visit;
        const canvas = page.locator(".timeline canvas.cells");
        const seen = () => page.locator(".timeline .seen").textContent();
        const told = () => page.locator(".timeline .way").textContent();
        assert.match(await told(), /^The way of packet/);
        assert.match(await told(), /transport block/);
        await canvas.focus();
        for (const key of ["+", "ArrowRight", "Home", "-"]) {
          const last = await seen();
          await page.keyboard.press(key);
          if (key !== "-") await until(async () => await seen() !== last, `${key} does nothing`);
        }
        const first = await told();
        await page.keyboard.press("ArrowDown");
        await until(async () => await told() !== first, "there is no next packet");
        await page.keyboard.press("Enter");
        await until(async () => !(await seen()).includes("(2 s)"), "Enter does not zoom to the packet");
        await page.keyboard.press("Escape");
        await until(async () => (await told()).includes("Nothing is picked"), "Escape keeps it");
      });
    }

    test("a table is sorted and saved", async () => {
      const { page } = visit;
      const head = page.locator("section.grid th button").first();
      if (await head.count() === 0) return;
      await head.click();
      assert.equal(await head.locator("..").getAttribute("aria-sort"), "descending");
      const download = page.waitForEvent("download");
      await page.locator("section.grid button", { hasText: "Save as CSV" }).first().click();
      assert.match((await download).suggestedFilename(), /\.csv$/);
    });

    if (text.includes("id=\"names\"")) {
      test("a picked name lets all else fade, by keyboard", async () => {
        const { page } = visit;
        const chip = page.locator("#names button").first();
        if (await chip.count() > 0) {
          await chip.focus();
          await page.keyboard.press("Enter");
          assert.equal(await chip.getAttribute("aria-pressed"), "true");
        } else {
          const word = await page.locator("#names-list option").first().getAttribute("value");
          await page.locator("#names-word").fill(word);
        }
        const status = page.locator("#names [role=status]");
        await until(async () => /are picked/.test(await status.textContent()), "nothing is said");
      });
    }

    test("no errors, and nothing is asked of a network", () => assert.deepEqual(visit.faults, []));
  });
}

const odd = reports.filter(named);
assert.equal(odd.length, 4, "reports with odd names: of a run, a campaign, a comparison, an analysis");
for (const { name, url } of odd) {
  test(`names that are HTML are shown and not run: ${name}`, async () => {
    const one = await browser();
    const { page, faults, close } = await open(one, url);
    // What is shown when it is asked for is there too: all rows, and each card.
    for (const button of await page.getByText("Show more rows").all()) {
      if (await button.isVisible()) await button.click();
    }
    const text = await page.evaluate(() => document.body.innerText);
    assert.match(text, /<img[ /]src=x/);
    assert.equal(await page.evaluate(() => window.ran), undefined, "it ran");
    assert.equal(await page.locator("img").count(), 0, "it is an element");
    assert.deepEqual(faults, []);
    await close();
    await one.close();
  });
}
