"""Docstrings as Markdown: examples become blocks of code, and roles become links."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from typing import Any

import griffe

#: A role with a name, as ``:class:`Frame```.
ROLE = re.compile(r":(?:attr|class|func|meth|mod):`([\w.]+)`")
#: An example: from its first line to the blank line behind it.
EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


class Docstrings(griffe.Extension):
    """Rewrites each docstring, when all of the package is known that it may name."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        for obj in inside(pkg):
            if obj.docstring:
                text = EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```", obj.docstring.value)
                obj.docstring.value = ROLE.sub(lambda role, obj=obj: link(obj, role[1]), text)


def inside(obj: griffe.Object) -> Iterator[griffe.Object]:
    """An object and all that is written inside it."""
    yield obj
    for member in obj.members.values():
        if not member.is_alias:
            yield from inside(member)


def link(obj: griffe.Object, name: str) -> str:
    """A link to what this name is where the docstring stands; Python's own have none.

    A name that is nothing leads nowhere, which ends the build.
    """
    if hasattr(builtins, name.partition(".")[0]):
        return f"`{name}`"
    try:
        return f"[`{name}`][{obj.resolve(name)}]"
    except griffe.NameResolutionError:
        return f"[`{name}`][airpath.{name}]"
