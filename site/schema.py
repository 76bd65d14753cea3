"""The schema of scenario files as pages: each table a section, each key an entry with its values.

A table that comes again elsewhere, as the options of TCP do, is written once and named from there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

Schema = dict[str, Any]

#: Units of a quantity stand at the end of its pattern.
UNITS = re.compile(r"\(([^()\\]+)\)\)?\$?$")
#: What is text to Markdown in descriptions, outside of code.
SPECIAL = re.compile(r"[*_<>\[\]{}|\\]")


class Place(NamedTuple):
    """Where a table is written: page, anchor, and the path that it has in a file."""

    page: str
    anchor: str
    name: str


def pages(schema: Schema) -> dict[str, str]:
    """Markdown by name of the page; the first is the one that leads to the others."""
    book = Book()
    top = schema["properties"]
    deep = {key: value for key, value in top.items() if any(tables(value))}
    for key, value in deep.items():
        book.page = f"{key}.md"
        book.text[book.page] = [f"# {key}", ""]
        book.values(value, key)
        book.sections()
    book.page = "index.md"
    index = [f"# Every key of the scenario file\n\n{plain(schema['description'])} It is what `airpath schema` prints.\n"]
    for key, value in top.items():
        link = f"[`{key}`]({key}.md)" if key in deep else f"`{key}`{{ #{key} }}"
        kind = "" if key in deep else f": {book.values(value, key)}"
        index.append(f"{link}{kind}\n:   {plain(value.get('description', ''))}\n")
    return {"index.md": "\n".join(index)} | {name: "\n".join(lines) for name, lines in book.text.items()}


class Book:
    """What is written so far, and which tables are still to be."""

    def __init__(self) -> None:
        self.page = ""
        self.text: dict[str, list[str]] = {}
        self.known: dict[str, Place] = {}
        self.waiting: list[tuple[str, Place, Schema]] = []

    def sections(self) -> None:
        """Writes the tables that wait, each in front of those inside it and those behind it."""
        while self.waiting:
            (title, place, table), *rest = self.waiting
            self.waiting = []
            self.text[self.page] += [f"## {title} {{ #{place.anchor} }}", "", plain(table.get("description", "")), ""]
            required = table.get("required", [])
            for key, value in table["properties"].items():
                self.text[self.page] += self.entry(place, key, value, key in required)
            self.waiting += rest

    def entry(self, inside: Place, key: str, value: Schema, required: bool) -> list[str]:
        """A key: its values, what it says, and what each of its words means."""
        name, anchor = f"{inside.name}.{key}", f"{inside.anchor.removeprefix('table-')}.{key}"
        must = " (required)" if required else ""
        words = [f"    - `{quoted(word)}`: {plain(said)}" for word, said in described(value)]
        return [
            f"`{key}`{{ #{anchor} }}{must}: {self.values(value, name)}",
            f":   {plain(value.get('description', '')) or 'As above.'}",
            "",
            *words,
            *([""] if words else []),
        ]

    def values(self, value: Schema, name: str) -> str:
        """What may stand there, in words. Tables inside are written later, or named."""
        for union in ("anyOf", "oneOf"):
            if union in value:
                return " or ".join(dict.fromkeys(self.values(one, name) for one in value[union]))
        if "const" in value:
            return f"`{quoted(value['const'])}`"
        if "enum" in value:
            return ", ".join(f"`{quoted(word)}`" for word in value["enum"])
        if value.get("type") == "array":
            return f"list of {self.values(value['items'], name)}" if "items" in value else "list"
        if value.get("type") == "object":
            return self.table(value, name)
        return scalar(value)

    def table(self, value: Schema, name: str) -> str:
        """A link to where a table is written; it is put there if it is new."""
        if "properties" not in value:
            inner = value.get("additionalProperties")
            return f"table of {self.values(inner, name)}" if isinstance(inner, dict) else "table of keys"
        kind = next((f'{key} = {quoted(at["const"])}' for key, at in value["properties"].items() if "const" in at), None)
        same = json.dumps({key: at for key, at in value.items() if key not in ("description", "default")})
        first = same not in self.known
        if first:
            self.known[same] = Place(self.page, self.anchor(name, kind), name)
            self.waiting.append((f"`{name}`" + (f" with `{kind}`" if kind else ""), self.known[same], value))
        place = self.known[same]
        where = ("" if place.page == self.page else place.page) + f"#{place.anchor}"
        elsewhere = "" if first else f", as `{place.name}` has it"
        return f"[table{f' with `{kind}`' if kind else ''}]({where}){elsewhere}"


    def anchor(self, name: str, kind: str | None) -> str:
        """An anchor of its own for a table: its name, its kind, and a number if that is not enough."""
        words = re.findall(r'"(.*)"', kind or "")
        anchor, count = "-".join(["table", name, *words]), 2
        taken = {place.anchor for place in self.known.values()}
        while anchor in taken:
            anchor, count = f"{anchor.rstrip('0123456789')}{count}", count + 1
        return anchor


def tables(value: Schema) -> Iterator[Schema]:
    """The tables in a value, at any depth."""
    if "properties" in value:
        yield value
    for inner in [*value.get("anyOf", []), *value.get("oneOf", []), value.get("items"), value.get("additionalProperties")]:
        if isinstance(inner, dict):
            yield from tables(inner)


def described(value: Schema) -> Iterator[tuple[Any, str]]:
    """Words that may stand there, with what each means."""
    for one in [*value.get("oneOf", []), *value.get("anyOf", [])]:
        if "const" in one and "description" in one:
            yield one["const"], one["description"]
        yield from described(one)


def scalar(value: Schema) -> str:
    """A value that is no table, in words."""
    kind = value.get("type", "string")
    if kind == "boolean":
        return "`true` or `false`"
    if kind in ("number", "integer"):
        return ("whole number" if kind == "integer" else "number") + bounds(value)
    units = UNITS.search(value.get("pattern", ""))
    if "examples" in value:
        example = f"`{quoted(value['examples'][0])}`"
        return f"quantity as {example}" + (f" ({units[1].replace('|', ', ')})" if units else "")
    return f"text of the form `{value['pattern']}`" if "pattern" in value else "text"


def bounds(value: Schema) -> str:
    """The range of a number, where its description doesn't say it."""
    if "Allowed:" in value.get("description", ""):
        return ""
    words = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most", "exclusiveMaximum": "below"}
    said = [f"{words[key]} {value[key]:g}" for key in words if key in value]
    return " " + ", ".join(said) if said else ""


def quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def plain(text: str) -> str:
    """Text for Markdown: only code is more than its letters."""
    parts = text.replace("\n", " ").split("`")
    outside = [SPECIAL.sub(lambda char: f"&#{ord(char[0])};", part) for part in parts[::2]]
    code = [f"`{part}`" for part in parts[1::2]]
    return "".join(part for pair in zip(outside, [*code, ""]) for part in pair)
