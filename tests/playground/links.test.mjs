// The parts of the playground that need no browser: links, and suggestions by the schema.

import assert from "node:assert/strict";
import { test } from "node:test";

import { read, write } from "../../site/playground/link.js";
import { complete, help } from "../../site/playground/schema.js";

test("a link brings back what was put into it, and a long scenario is refused", async () => {
  const state = { text: 'title = "Größe <script>"\n', second: "seed=18446744073709551615" };
  const fragment = await write(state);
  assert.match(fragment, /^#s=[A-Za-z0-9_-]+$/);
  assert.deepEqual(await read(fragment), state);
  let noise = "";
  for (let n = 1; noise.length < 60_000; n = (n * 48271) % 2147483647) noise += n.toString(36);
  assert.equal(await write({ text: noise }), undefined);
  assert.equal(await read("#other"), undefined);
  await assert.rejects(read(`${fragment.slice(0, 20)}`));
  const bomb = await write({ text: "a".repeat(1 << 21) });
  await assert.rejects(read(bomb), /too long/);
});

const duration = { type: "string", examples: ["25 ms"], description: "A delay." };
const controller = { type: "string", oneOf: [{ const: "cubic", description: "RFC 9438." }, { const: "prague" }] };
const flow = { type: "object", properties: { name: {}, tcp: { type: "object", properties: { controller } } } };
const schema = {
  properties: {
    duration,
    seed: { type: "integer", default: 1 },
    path: { type: "object", properties: { s1: { type: "object", properties: { delay: duration } } } },
    flow: { type: "array", items: flow },
  },
};
const words = (text) => complete(schema, text, text.length).list.map((one) => one.text);

test("keys, values and tables are suggested where they may be", () => {
  assert.deepEqual(words("du"), ["duration"]);
  assert.deepEqual(words("[path.s1]\nde"), ["delay"]);
  assert.deepEqual(words("path.s1.de"), ["delay"]);
  assert.deepEqual(words("[[flow]]\n[flow.tcp]\ncontroller = "), ['"cubic"', '"prague"']);
  assert.deepEqual(words("[f"), ["[flow.tcp]"]);
  assert.deepEqual(words("[[f"), ["[[flow]]"]);
  assert.deepEqual(words("[p"), ["[path]", "[path.s1]"]);
  assert.deepEqual(words("# du"), []);
  assert.deepEqual(words("[nowhere]\nx"), []);
});

test("help names the key by its path and what its values mean", () => {
  const text = "[path.s1]\ndelay = 1\n[[flow]]\ntcp.controller = 1\n";
  assert.equal(help(schema, text, 1).path, "path.s1.delay");
  assert.equal(help(schema, text, 1).about, "A delay.");
  assert.deepEqual(help(schema, text, 3).values, [{ text: '"cubic"', about: "RFC 9438." }]);
  assert.equal(help(schema, text, 4), undefined);
});
