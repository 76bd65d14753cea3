"""Scenarios: what is simulated."""

from __future__ import annotations

import html
import json
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from airpath import _airpath
from airpath._errors import InputError, ScenarioError

#: A key that TOML takes without quotes.
_BARE = re.compile(r"[A-Za-z0-9_-]+")


class Scenario:
    """A scenario: a text, and what is set over it.

    It is edited as attributes or by path, and is checked when it is run, or by
    :meth:`validate`. Reading gives what is written, or else the default. Quantities are text
    with their unit, as in the file.

    >>> import airpath
    >>> cell = airpath.Scenario.from_template("lte-6rb")
    >>> cell.duration = "2 s"
    >>> cell.flow.download.start = "20 ms"
    >>> cell["path.sgi.rate"] = "50 Mbit/s"
    >>> cell.flow.download.start
    '20 ms'
    >>> cell.validate()
    """

    _name: str
    _text: str
    _folder: str
    _overrides: list[str]

    def __init__(
        self,
        text: str,
        *,
        name: str = "scenario",
        folder: str | os.PathLike[str] = "",
        overrides: tuple[str, ...] | list[str] = (),
    ) -> None:
        """A scenario from the text of a file (TOML).

        ``name`` is what messages call it, files that it names lie relative to ``folder``, and
        ``overrides`` are as ``--set`` takes them (``path.sgi.rate=5 Mbit/s``).
        """
        if not isinstance(text, str):
            raise TypeError(f"the text of a scenario is a str, not {type(text).__name__}")
        put = object.__setattr__
        put(self, "_name", name)
        put(self, "_text", text)
        put(self, "_folder", os.fspath(folder))
        put(self, "_overrides", list(overrides))
        put(self, "_read", None)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scenario:
        """Reads a file.

        Raises :class:`InputError` if it cannot be read; mistakes in it are found by
        :meth:`validate`, or when it is run.
        """
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"a scenario is the path of a file, not {path!r}")
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: {error}") from error
        return cls(text, name=str(path), folder=path.parent)

    @classmethod
    def from_template(cls, name: str) -> Scenario:
        """A scenario that comes with airpath, as ``airpath new`` lists them.

        >>> import airpath
        >>> airpath.Scenario.from_template("wires-dualpi2").seed
        1
        """
        if not isinstance(name, str):
            raise TypeError(f"the name of a template is text, not {name!r}")
        for template in templates():
            if template.name == name.removesuffix(".toml"):
                return cls(template.text, name=template.name)
        known = ", ".join(template.name for template in templates())
        raise InputError(f"no template is called {name!r}; there are {known}")

    @classmethod
    def from_dict(cls, keys: Mapping[str, Any], *, name: str = "dict") -> Scenario:
        """A scenario from the tables and keys of a file.

        Lines in messages are those of :attr:`text`, which is made of it. Raises
        :class:`TypeError`, which names the key, for a value that no file can have.
        """
        if not isinstance(keys, Mapping):
            raise TypeError(f"a scenario is a mapping, not {type(keys).__name__}")
        return cls(_airpath.toml(json.dumps(_plain(keys, ""))), name=name)

    @property
    def name(self) -> str:
        """What messages call it."""
        return self._name

    @property
    def text(self) -> str:
        """The text as it was given, without what is set over it."""
        return self._text

    @property
    def overrides(self) -> list[str]:
        """What is set over the text, in order, as ``--set`` takes it."""
        return list(self._overrides)

    def copy(self) -> Scenario:
        """Another scenario that says the same."""
        return Scenario(
            self._text, name=self._name, folder=self._folder, overrides=self._overrides
        )

    __copy__ = copy

    def set(self, path: str, value: Any) -> Scenario:
        """Sets a key and gives the scenario itself.

        ``path`` is as ``flow.download.tcp.controller``; items of lists are named, or numbered
        from 0. ``value`` is text with its unit, a number, a truth value, a list or a dictionary.
        """
        self[path] = value
        return self

    def unset(self, path: str) -> Scenario:
        """Takes a key, or an item of a list, out of the text and gives the scenario itself.

        The key then has its default. ``path`` is as :meth:`set` takes it.
        """
        if not isinstance(path, str) or not path:
            raise TypeError(f"a path is text, as 'path.sgi.rate', not {path!r}")
        self._overrides.append(f"unset {path}")
        object.__setattr__(self, "_read", None)
        return self

    def __setitem__(self, path: str, value: Any) -> None:
        if not isinstance(path, str) or not path:
            raise TypeError(f"a path is text, as 'path.sgi.rate', not {path!r}")
        self._overrides.append(f"{path}={_toml(value, path)}")
        object.__setattr__(self, "_read", None)

    def __getitem__(self, path: str) -> Any:
        """What is written under a path, or its default.

        Raises :class:`KeyError` if there is nothing.
        """
        found = self._find(path.split("."))
        if found is None:
            raise KeyError(path)
        return _view(self, path, found)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        try:
            return self[key]
        except KeyError:
            raise AttributeError(f"the scenario has no key {key!r}") from None

    def __setattr__(self, key: str, value: Any) -> None:
        if key.startswith("_") or hasattr(type(self), key):
            raise AttributeError(f"{key!r} is no key of a scenario")
        self[key] = value

    def __dir__(self) -> list[str]:
        keys = self._documents()[0]
        return [*super().__dir__(), *keys]

    def validate(self) -> None:
        """Checks it as ``airpath check`` does.

        Raises :class:`ScenarioError` with everything that is wrong: the same messages, files and
        lines as the program's.

        >>> import airpath
        >>> cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 parsecs")
        >>> try:
        ...     cell.validate()
        ... except airpath.ScenarioError as error:
        ...     print(error.problems[0].position)
        --set:1
        """
        self._resolve()

    def resolved(self) -> dict[str, Any]:
        """All keys with every default that follows from them."""
        keys: dict[str, Any] = json.loads(self._resolve().to_json())
        return keys

    def to_toml(self) -> str:
        """All keys as the text of a file."""
        return self._resolve().to_toml()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes that to a file, which must not be there."""
        path = Path(path)
        text = self.to_toml()
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
        return path

    def _source(self) -> _Source:
        return _Source(self._name, self._text, self._folder, self._overrides)

    def _resolve(self) -> _airpath.Resolved:
        resolved = _airpath.resolve(self._source())
        for text in resolved.warnings:
            warnings.warn(f"{self._name}: {text}", FutureWarning, stacklevel=3)
        return resolved

    def _documents(self) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """What is written; and, once it is asked for and if it has no mistake, all there is."""
        if self._read is None:
            written = json.loads(_airpath.written(self._source()))
            object.__setattr__(self, "_read", [written, None])
        read: Any = self._read
        return read[0], read[1]

    def _find(self, steps: list[str]) -> Any:
        written, whole = self._documents()
        found = _walk(written, steps)
        if found is not None:
            return found
        if whole is None:
            try:
                whole = self.resolved()
            except ScenarioError:
                return None
            self._read[1] = whole
        return _walk(whole, steps)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scenario):
            return NotImplemented
        return self._resolve().digest() == other._resolve().digest()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        over = f", {len(self._overrides)} keys set" if self._overrides else ""
        return f"<airpath.Scenario {self._name}{over}>"

    def _repr_html_(self) -> str:
        try:
            ues, flows = self._resolve().counts()
        except ScenarioError as error:
            return f"<pre>{html.escape(str(error))}</pre>"
        title = self.resolved().get("title", "")
        over = "".join(f"<li><code>{html.escape(text)}</code></li>" for text in self._overrides)
        many = [f"{n} {what}{'' if n == 1 else 's'}" for n, what in ((ues, "UE"), (flows, "flow"))]
        said = f"{', '.join(many)}, {self.duration} of simulated time"
        return (
            f"<p><b>{html.escape(self._name)}</b> {html.escape(str(title))}<br>{said}</p>"
            + (f"<ul>{over}</ul>" if over else "")
        )


class _Source:
    """A scenario as the native module takes it."""

    __slots__ = ("folder", "name", "overrides", "text")

    def __init__(self, name: str, text: str, folder: str, overrides: list[str]) -> None:
        self.name = name
        self.text = text
        self.folder = folder
        self.overrides = overrides


class Section:
    """A table or a list within a scenario: its items are attributes, or items.

    Setting one sets it in the scenario.
    """

    def __init__(self, scenario: Scenario, path: str) -> None:
        object.__setattr__(self, "_scenario", scenario)
        object.__setattr__(self, "_path", path)

    _scenario: Scenario
    _path: str

    def _under(self, key: str | int) -> str:
        return f"{self._path}.{key}"

    def value(self) -> Any:
        """A copy of it as Python's dictionaries and lists."""
        return json.loads(json.dumps(self._scenario._find(self._path.split("."))))

    def __getitem__(self, key: str | int) -> Any:
        return self._scenario[self._under(key)]

    def __setitem__(self, key: str | int, value: Any) -> None:
        self._scenario[self._under(key)] = value

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        try:
            return self[key]
        except KeyError:
            raise AttributeError(f"`{self._path}` has no {key!r}") from None

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def append(self, item: Mapping[str, Any]) -> None:
        """Adds an item to a list, as a flow."""
        found = self.value()
        if not isinstance(found, list):
            raise TypeError(f"`{self._path}` is no list")
        self._scenario[self._path] = [*found, item]

    def __iter__(self) -> Iterator[Any]:
        found = self.value()
        return iter(found if isinstance(found, list) else list(found))

    def __len__(self) -> int:
        return len(self.value())

    def __contains__(self, key: object) -> bool:
        return key in self.value()

    def __dir__(self) -> list[str]:
        found = self.value()
        names = [item.get("name", "") for item in found] if isinstance(found, list) else found
        return [*super().__dir__(), *names]

    def __repr__(self) -> str:
        return f"<{self._path}: {json.dumps(self.value(), ensure_ascii=False)}>"


class Template:
    """A scenario that comes with airpath."""

    def __init__(self, name: str, summary: str, text: str) -> None:
        self.name = name
        self.summary = summary
        self.text = text

    def __repr__(self) -> str:
        return f"<{self.name}: {self.summary}>"


def templates() -> list[Template]:
    """All scenarios that come with airpath.

    >>> import airpath
    >>> airpath.templates()[0].name
    'lte-6rb'
    """
    return [Template(*template) for template in _airpath.templates()]


def schema() -> dict[str, Any]:
    """The JSON Schema of scenario files."""
    keys: dict[str, Any] = json.loads(_airpath.schema())
    return keys


def _walk(document: Any, steps: list[str]) -> Any:
    for step in steps:
        if isinstance(document, dict):
            document = document.get(step)
        elif isinstance(document, list):
            named = (item for item in document if isinstance(item, dict) and item.get("name") == step)
            numbered = document[int(step)] if step.isdigit() and int(step) < len(document) else None
            document = next(named, numbered)
        else:
            return None
    return document


def _view(scenario: Scenario, path: str, found: Any) -> Any:
    tables = isinstance(found, list) and any(isinstance(item, dict) for item in found)
    return Section(scenario, path) if isinstance(found, dict) or tables else found


def _plain(value: Any, path: str) -> Any:
    """A value as JSON has it; says where one is that no file can have."""
    if isinstance(value, Section):
        value = value.value()
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"`{path or 'the scenario'}` has the key {key!r}: keys are text")
        return {key: _plain(item, f"{path}.{key}" if path else key) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}.{n}") for n, item in enumerate(value)]
    if isinstance(value, (str, bool, int, float)):
        return value
    raise TypeError(
        f"`{path}` cannot be {value!r} ({type(value).__name__}): "
        "values are text with a unit, numbers, True or False, lists and dictionaries"
    )


def _toml(value: Any, path: str) -> str:
    """A value as TOML has it on one line."""

    def text(of: str) -> str:
        return json.dumps(of, ensure_ascii=False).replace("\x7f", "\\u007f")

    def write(plain: Any) -> str:
        if isinstance(plain, dict):
            keys = ((key if _BARE.fullmatch(key) else text(key), write(v)) for key, v in plain.items())
            return "{" + ", ".join(f"{key} = {v}" for key, v in keys) + "}"
        if isinstance(plain, list):
            return "[" + ", ".join(write(item) for item in plain) + "]"
        if isinstance(plain, bool):
            return "true" if plain else "false"
        if isinstance(plain, str):
            return text(plain)
        return repr(plain)

    return write(_plain(value, path))
