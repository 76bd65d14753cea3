// Completion and help of a scenario's text, by its JSON Schema.
//
// The schema has no references. A position in the text has a path of keys, which leads to a part of the
// schema. Values of several forms (anyOf) are looked through in their order.

const HEADER = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}/;
const KEY = /^(\s*)([A-Za-z0-9_.-]*)(\s*=\s*)?/;

// The parts of a schema that a value may have, lists replaced by their items.
function forms(schema) {
  if (!schema) return [];
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(forms);
  return [schema, ...inner, ...(schema.items ? forms(schema.items) : [])];
}

// The schema of a key below a schema.
function below(schema, key) {
  return forms(schema).map((form) => form.properties?.[key]).find(Boolean);
}

function follow(schema, path) {
  return path.reduce((found, key) => found && below(found, key), schema);
}

const keysOf = (text) => text.split(".").map((key) => key.trim()).filter(Boolean);

// Table that holds a line: the keys of the last header above it.
function tableAt(lines, number) {
  for (let line = number; line >= 0; line -= 1) {
    const header = HEADER.exec(lines[line]);
    if (header) return keysOf(header[1]);
  }
  return [];
}

// Values that a schema allows, as TOML, each with its description.
function values(schema) {
  const found = new Map();
  for (const form of forms(schema)) {
    const words = form.enum ?? ("const" in form ? [form.const] : form.examples ?? []);
    for (const word of words) found.set(JSON.stringify(word), form.description ?? "");
    if (form.type === "boolean") ["true", "false"].forEach((word) => found.set(word, ""));
  }
  if (schema && "default" in schema && typeof schema.default !== "object") {
    found.set(JSON.stringify(schema.default), "the default");
  }
  return [...found].map(([text, about]) => ({ text, about }));
}

// Keys of a table that a schema allows, each with its description.
function keys(schema) {
  const found = new Map();
  for (const form of forms(schema)) {
    for (const [key, own] of Object.entries(form.properties ?? {})) {
      if (!found.has(key)) found.set(key, own);
    }
  }
  return [...found].map(([text, own]) => ({ text, about: own.description ?? "", own }));
}

// Headers of tables: `[a.b]` or `[[a]]`, by the tables of the schema down to two levels below the top.
function headers(schema) {
  const found = [];
  const visit = (part, path) => {
    for (const { text, about, own } of keys(part)) {
      const all = forms(own);
      const list = own.type === "array" && own.items?.type === "object";
      if (!all.some((form) => form.properties)) continue;
      const name = [...path, text].join(".");
      found.push({ text: list ? `[[${name}]]` : `[${name}]`, about });
      if (path.length < 2) visit(own, [...path, text]);
    }
  };
  visit(schema, []);
  return found;
}

// Suggestions at an offset: the range that one replaces, and the list.
export function complete(schema, text, offset) {
  const before = text.slice(0, offset).split("\n");
  const number = before.length - 1;
  const line = before[number];
  const at = (length, list) => {
    const typed = line.slice(line.length - length).toLowerCase();
    const fits = ({ text: word }) => word.toLowerCase().startsWith(typed) && word.toLowerCase() !== typed;
    return { start: offset - length, end: offset, list: list.filter(fits) };
  };
  if (/^\s*#/.test(line)) return at(0, []);
  if (/^\s*\[/.test(line)) return at(line.trimStart().length, headers(schema));
  const table = follow(schema, tableAt(before, number));
  const [, , key, equals] = KEY.exec(line);
  if (equals) {
    const value = line.slice(line.indexOf("=") + 1).trimStart();
    return at(value.length, values(follow(table, keysOf(key))));
  }
  const parts = key.split(".");
  const last = parts.pop();
  return at(last.length, keys(follow(table, parts)).map(({ text: word, about }) => ({ text: word, about })));
}

// Help on the key of a line: its path, its description, and what it may be.
export function help(schema, text, number) {
  const lines = text.split("\n");
  const line = lines[number] ?? "";
  const header = HEADER.exec(line);
  const [, , key, equals] = KEY.exec(line);
  if (!header && !equals) return undefined;
  const path = header ? keysOf(header[1]) : [...tableAt(lines, number), ...keysOf(key)];
  const found = follow(schema, path);
  if (!found) return undefined;
  const words = header ? [] : values(found).filter(({ about }) => about && about !== "the default");
  return { path: path.join("."), about: found.description ?? "", values: words };
}
