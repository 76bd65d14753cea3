"""Report cards of congestion controllers."""

from __future__ import annotations

import html
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, cast

from airpath import _airpath
from airpath._commands import _INTERRUPTED, _message, _option
from airpath._errors import InputError, Interrupted, RunError
from airpath._frame import Frame
from airpath._parts import Controller
from airpath._progress import Bar, Progress

#: A controller: a name of airpath's, or a class of one's own, or a function that makes one.
Evaluated: TypeAlias = str | Callable[[], Controller]

#: Exit codes of the program with a card: no criterion fails, a run failed, one fails or became worse.
_MADE = (0, 1, 3)
#: Columns of :attr:`Card.verdicts`: the keys of a verdict in the card.
_COLUMNS = (
    "controller", "criterion", "verdict", "mean", "half", "unit", "at_least", "at_most",
    "fulfilled", "sentence", "at", "quantity", "ours", "reason",
)  # fmt: skip


def evaluate(
    controllers: Evaluated | Sequence[Evaluated] | Mapping[str, Evaluated],
    *,
    suite: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = "all",
    quick: bool = False,
    full: bool = False,
    seeds: int | None = None,
    against: Card | str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    reports: str | None = None,
    progress: bool | Progress | None = None,
    budget: float | None = 10.0,
) -> Card:
    """Evaluates congestion controllers by suites of cases (docs/evaluate.md).

    ``controllers`` are names, as ``"cubic"``, and controllers of your own: subclasses of :class:`Controller`, or functions that
    make one. A dict gives them other names. ``suite`` has names of suites, and paths of cases. ``against`` is an earlier card or
    its file. Other options are those of ``airpath evaluate``; ``progress`` and ``budget`` are as of :func:`run`.

    A controller that raises or gives an impossible answer makes the verdicts of that case "not made", with the message as
    their reason. The suite goes on.

    Raises :class:`InputError` for a controller, a suite, a case or a card with a fault, and :class:`Interrupted`. With ``out``
    finished runs of airpath's controllers are kept, and the same call goes on.

    >>> import airpath
    >>> class Fixed(airpath.Controller):
    ...     def on_ack(self, ack: airpath.Ack) -> None:
    ...         self.cwnd = 20 * self.segment
    ...     def on_loss(self, loss: airpath.Loss) -> None:
    ...         pass
    >>> card = airpath.evaluate({"fixed": Fixed}, suite="cubic", quick=True)  # doctest: +SKIP
    >>> card.verdicts.to_pandas()  # doctest: +SKIP
    """
    names, own = _listed(controllers)
    if reports is not None and out is None:
        raise InputError("reports are written to a folder: name it by out")
    suites = [suite] if isinstance(suite, (str, os.PathLike)) else list(suite)
    options = ["--suite=" + ",".join(os.fspath(one) for one in suites)]
    options += _option("quick", quick) + _option("full", full) + _option("seeds", seeds)
    options += _option("out", out) + _option("reports", reports)
    with TemporaryDirectory(prefix="airpath-") as folder, Bar(progress, "cases") as bar:
        if isinstance(against, Card):
            earlier = Path(folder) / "card.json"
            earlier.write_text(against.to_json(), encoding="utf-8")
            against = earlier
        options += _option("against", against)
        code, (text, err, words), raised = _airpath.evaluate(
            ["evaluate", *names, *options, "--json"], own, budget, bar.call
        )
    if raised is not None and not isinstance(raised, KeyboardInterrupt):
        raise raised
    if raised is not None or code == _INTERRUPTED:
        raise Interrupted(_message(err) or "interrupted") from None
    if code not in _MADE:
        raise InputError(_message(err))
    if not text:
        raise RunError(_message(err))
    return Card(text, words, Path(out) if out is not None else None)


class Card:
    """Verdicts of controllers on the criteria of cases."""

    def __init__(self, text: str, words: str = "", folder: Path | None = None) -> None:
        self._text = text
        self._found: dict[str, Any] = json.loads(text)
        self.text = words
        """What the program prints."""
        self.folder = folder
        """The folder with the card, its page and the reports of its runs, if it was written."""
        self._frames: dict[str, Frame] = {}

    @classmethod
    def load(cls, file: str | os.PathLike[str]) -> Card:
        """Reads a card that :meth:`to_json` or ``airpath evaluate --json`` wrote."""
        text = Path(file).read_text("utf-8")
        try:
            card = cls(text)
        except json.JSONDecodeError as error:
            raise InputError(f"{os.fspath(file)}: no card ({error})") from None
        if not isinstance(card._found, dict) or "cases" not in card._found:
            raise InputError(f"{os.fspath(file)}: no card; make one with airpath evaluate --json")
        return card

    def to_json(self) -> str:
        """The card as ``airpath evaluate --json`` prints it, which ``against`` takes."""
        return self._text

    @property
    def controllers(self) -> list[str]:
        """Names of the controllers."""
        return list(self._found["controllers"])

    @property
    def verdicts(self) -> Frame:
        """A row for each criterion and controller: verdict, mean over seeds with half of its 95% interval, bounds, statement
        and reason."""
        if "verdicts" not in self._frames:
            rows = [
                {"suite": case["suite"], "case": case["case"], **{key: own[key] for key in _COLUMNS}}
                for case in self._found["cases"]
                for own in case["judged"]
            ]
            self._frames["verdicts"] = _frame(rows, "A criterion and a controller.")
        return self._frames["verdicts"]

    @property
    def changes(self) -> Frame | None:
        """A row for each criterion that became better or worse than in the earlier card; none without one."""
        rows = self._found.get("changes")
        if rows is None:
            return None
        if "changes" not in self._frames:
            self._frames["changes"] = _frame(rows, "A criterion that became better or worse.")
        return self._frames["changes"]

    @property
    def exit_code(self) -> int:
        """Exit code of the program: 1 if a run failed, 3 if a criterion fails or became worse, else 0."""
        verdicts = [own["verdict"] for case in self._found["cases"] for own in case["judged"]]
        worse = any(row["changed"] == "worse" for row in self._found.get("changes") or [])
        return 1 if "not made" in verdicts else 3 if worse or "fails" in verdicts else 0

    def __repr__(self) -> str:
        return self.text or f"Card({', '.join(self.controllers)})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Card, (self._text, self.text, self.folder)


def _frame(rows: Sequence[Mapping[str, Any]], about: str) -> Frame:
    return Frame(_airpath.table_of(json.dumps(rows), about))


#: A controller of one's own as the module takes it: name, keys with values in TOML, maker.
Given: TypeAlias = tuple[str, list[tuple[str, str]], Callable[[], Controller]]


def _listed(controllers: Any) -> tuple[list[str], list[Given]]:
    """Names as the program takes them, and controllers of one's own."""
    if isinstance(controllers, Mapping):
        pairs = list(controllers.items())
    elif isinstance(controllers, str) or callable(controllers):
        pairs = [(None, controllers)]
    elif isinstance(controllers, Sequence):
        pairs = [(None, one) for one in controllers]
    else:
        raise TypeError(f"controllers are names and classes, or a dict of them, not {controllers!r}")
    if not pairs:
        raise InputError("name at least one controller")
    names: list[str] = []
    own: list[Given] = []
    for name, one in pairs:
        if name is not None and (not isinstance(name, str) or not name or set(name) & set("=:")):
            raise InputError(f"a controller is named {name!r}: text without = and :")
        if isinstance(one, str):
            names.append(one if name in (None, one) else f"{name}={one}")
            continue
        own.append(given(name, one))
        names.append(own[-1][0])
    return names, own


def given(name: str | None, maker: Any) -> Given:
    """A controller of one's own, named as its class by default."""
    if not callable(maker):
        raise TypeError(f"a controller is a name, a class, or a function that makes one, not {maker!r}")
    keys = getattr(maker, "flow_keys", {})
    if not isinstance(keys, Mapping):
        raise TypeError(f"flow_keys is a dict of keys and values, not {keys!r}")
    # Plain values are the same text in JSON and in TOML.
    toml = [(str(key), json.dumps(value, ensure_ascii=False)) for key, value in keys.items()]
    usual = getattr(maker, "__name__", type(maker).__name__).strip("<>")
    return (usual if name is None else name, toml, cast("Callable[[], Controller]", maker))


def from_file(text: str) -> Any:
    """The class or function of ``FILE.py:NAME``."""
    path, _, name = text.rpartition(":")
    file = Path(path)
    if not file.is_file() or file.suffix != ".py":
        raise ValueError(f"{text}: there is no file {path}; a controller in Python is FILE.py:CLASS")
    # Modules beside the file are found, as a script finds them.
    sys.path.insert(0, str(file.resolve().parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ValueError(f"{text}: {path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ValueError(f"{text}: {path} raises {type(error).__name__}: {error}") from error
    if not hasattr(module, name):
        known = [
            key
            for key, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, Controller) and value is not Controller
        ]
        raise ValueError(f"{text}: {path} has no {name}; its controllers: {', '.join(known) or 'none'}")
    return getattr(module, name)
