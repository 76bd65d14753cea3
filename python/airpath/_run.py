"""Runs and their results."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airpath import _airpath
from airpath._errors import InputError, Interrupted, PartError, RunError
from airpath._folders import Temporary, packed
from airpath._frame import Frame
from airpath._parts import Parts, own
from airpath._plot import Plot
from airpath._progress import Bar, Progress
from airpath._scenario import Scenario, templates

#: Tables of a run, in the order in which a person asks for them.
TABLES = (
    "flows",
    "links",
    "bearers",
    "cells",
    "ues",
    "users",
    "series",
    "packets",
    "frames",
    "requests",
    "states",
    "positions",
    "handovers",
    "handover_flows",
    "handover_packets",
    "cell_offsets",
    "legs",
    "secondary_cells",
)


def run(
    scenario: Scenario | str | os.PathLike[str],
    *,
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool | Progress | None = None,
    parts: Parts | None = None,
    budget: float | None = 10.0,
    threads: int | None = None,
) -> Run:
    """Runs a scenario: an object, the path of a file, or the name of a template.

    ``seed`` stands in place of the scenario's. With ``out`` the results folder of
    ``airpath run --out`` is written as well, with its captures. ``progress`` is called with the
    simulated seconds that have passed and all of them, a few times a second; ``True`` shows a bar
    (tqdm), ``None`` does so in notebooks and on terminals if it takes long.

    ``parts`` has parts of your own by the keys in whose place they stand: a :class:`Controller`
    under ``flow.NAME.tcp.controller`` or ``flow.NAME.quic.congestion_control``, a :class:`Queue`
    under ``path.LINK.queue`` (or ``path.LINK.up.queue``), a :class:`Scheduler` under
    ``cell.scheduler``, a :class:`Source` under ``flow.NAME.rtp``; each as a class, or as a function
    that makes one. No call of theirs may take longer than ``budget`` seconds, if that is given. The
    results say nothing of them.

    ``threads`` is the number of threads that share the cells of a network, at most and by default
    one for each core. Results do not depend on it. A run with ``parts`` has one thread.

    Raises :class:`ScenarioError` if the scenario has mistakes, :class:`InputError` if ``out`` holds
    something else, and :class:`RunError` if the run fails. :class:`PartError` says what a part did,
    Ctrl-C raises :class:`Interrupted`; both have what there is until then as their ``results``.

    >>> import airpath
    >>> results = airpath.run("lte-6rb")
    >>> results.complete
    True
    >>> results.flows.shape[0]
    2
    >>> sorted(results.metrics)[:2]
    ['bler_first_rate', 'bler_first_up_rate']
    """
    scenario = given(scenario)
    resolved = scenario._resolve()
    with Bar(progress, "s") as bar:
        outcome, raised = _airpath.run(
            resolved,
            number("seed", seed),
            path("out", out),
            bar.call,
            own(parts, budget),
            number("threads", threads, 1),
        )
    results = Run(outcome, resolved.to_toml())
    if isinstance(raised, KeyboardInterrupt):
        at = results.summary["duration_s"]
        raise Interrupted(f"interrupted at {at} s of simulated time", results) from None
    if isinstance(raised, PartError):
        raised.results = results
    if raised is not None:
        raise raised
    return results


class Run:
    """What a run came to. Tables are laid out when they are asked for.

    ``flows``, ``links``, ``bearers``, ``cells``, ``ues``, ``users``, ``series``, ``packets``,
    ``frames``, ``requests``, ``states``, ``positions``, ``handovers``, ``handover_flows``,
    ``handover_packets``, ``cell_offsets``, ``legs`` and ``secondary_cells`` are each a :class:`Frame`; which rows
    ``series`` and ``packets`` have is a matter of the scenario's ``output``.
    """

    def __init__(self, outcome: _airpath.Outcome | _Copy, resolved: str) -> None:
        self._outcome = outcome
        self._resolved = resolved
        self._frames: dict[str, Frame] = {}
        self._temporary: Temporary | None = None

    @property
    def complete(self) -> bool:
        """Whether it came to its end."""
        return self._outcome.complete

    @property
    def summary(self) -> dict[str, Any]:
        """What ``summary.json`` says (docs/results.md), but for its digests."""
        summary: dict[str, Any] = json.loads(self._outcome.summary())
        return summary

    @property
    def metrics(self) -> dict[str, float]:
        """One number under each name, as ``goodput_bps``; what has no value is not there."""
        metrics: dict[str, float] = json.loads(self._outcome.metrics())
        return metrics

    @property
    def scenario(self) -> Scenario:
        """The scenario as it was run, with every default."""
        return Scenario(self._resolved, name="scenario.toml")

    def table(self, name: str) -> Frame:
        """The table of this name. Raises :class:`InputError` if there is none."""
        if name not in TABLES:
            raise InputError(f"there is no table {name!r}: there are {', '.join(TABLES)}")
        if name not in self._frames:
            table = self._outcome.table(name)
            self._frames[name] = table if isinstance(table, Frame) else Frame(table)
        return self._frames[name]

    @property
    def flows(self) -> Frame:
        """A row for each flow: goodput in bit/s, delays in ms, losses, marks."""
        return self.table("flows")

    @property
    def links(self) -> Frame:
        """A row for each wired link and direction: what waited and what was dropped."""
        return self.table("links")

    @property
    def bearers(self) -> Frame:
        """A row for each bearer: queues, retransmissions, resource blocks."""
        return self.table("bearers")

    @property
    def cells(self) -> Frame:
        """A row for each cell and direction."""
        return self.table("cells")

    @property
    def ues(self) -> Frame:
        """A row for each UE and direction: transmissions, MCS, SINR in dB."""
        return self.table("ues")

    @property
    def users(self) -> Frame:
        """A row for each UE, kind of application and direction, with all measures of users."""
        return self.table("users")

    @property
    def series(self) -> Frame:
        """Values of metrics over time, in long form; of ``output.series``."""
        return self.table("series")

    @property
    def packets(self) -> Frame:
        """A row for each packet that ended; of ``output.packets``. Text columns are lists of
        names with numbers into them (dictionaries)."""
        return self.table("packets")

    @property
    def frames(self) -> Frame:
        """A row for each frame of media; of ``output.frames``."""
        return self.table("frames")

    @property
    def requests(self) -> Frame:
        """A row for each request and its response."""
        return self.table("requests")

    @property
    def states(self) -> Frame:
        """A row for each stay of a UE with RRC in a radio state."""
        return self.table("states")

    @property
    def positions(self) -> Frame:
        """Samples of UEs that move: position in m, speed in km/h, cell, RSRP and geometry; of
        ``output.positions``."""
        return self.table("positions")

    @property
    def handovers(self) -> Frame:
        """A row for each handover, re-establishment in another cell and cell reselection."""
        return self.table("handovers")

    @property
    def handover_flows(self) -> Frame:
        """A row for each handover and flow of its UE: gap in ms, lost packets, timeouts, late
        frames, and the congestion window in bytes before and after."""
        return self.table("handover_flows")

    @property
    def handover_packets(self) -> Frame:
        """Packets around the handover with the longest gap of a flow, with their times in s."""
        return self.table("handover_packets")

    @property
    def cell_offsets(self) -> Frame:
        """A row for each move of the offset of two cells by load: the offset in dB, and both loads."""
        return self.table("cell_offsets")

    @property
    def legs(self) -> Frame:
        """A row for each addition, change and end of a leg of dual connectivity."""
        return self.table("legs")

    @property
    def secondary_cells(self) -> Frame:
        """A row for each secondary cell of a UE that goes from cell to cell, from its addition to its release."""
        return self.table("secondary_cells")

    @property
    def plot(self) -> Plot:
        """Charts, as Altair has them: ``results.plot.queue_delay()``."""
        return Plot([(str(self._written()), None)], self)

    @property
    def folder(self) -> Path | None:
        """The folder that it was written to, if it was."""
        folder = self._outcome.folder
        return Path(folder) if folder is not None else None

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes the folder of ``airpath run --out``, without captures and ``timing.json``.

        Raises :class:`InputError` if the folder holds something else.
        """
        if not isinstance(folder, (str, os.PathLike)):
            raise TypeError(f"folder is a path, not {folder!r}")
        return Path(self._outcome.write(os.fspath(folder), self._resolved))

    def _written(self) -> Path:
        """Its folder; one that is gone with it, if it was not written."""
        if self.folder is not None:
            return self.folder
        if self._temporary is None:
            self._temporary = Temporary()
            self.save(Path(self._temporary.name) / "results")
        return Path(self._temporary.name) / "results"

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy for another process (``pickle``): tables and files, without captures."""
        folder = self._written()
        _airpath.read_table(str(folder), "flows.parquet")  # a damaged folder is refused
        files = dict(packed(folder))
        # Digests are those of the copy's files, without what is left out.
        files["summary.json"] = files["summary.json"].split(b',\n  "digests"')[0] + b"\n}\n"
        copy = _Copy(
            complete=self.complete,
            summary_json=self._outcome.summary(),
            metrics_json=self._outcome.metrics(),
            texts=(self.text(), self.text(all=True)),
            tables={name: self.table(name) for name in TABLES},
            files=list(files.items()),
        )
        return Run, (copy, self._resolved)

    def text(self, *, all: bool = False) -> str:
        """What ``airpath run`` prints; with ``all``, of ``airpath run --all``."""
        return self._outcome.text(all)

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text())}</pre>"


@dataclass(frozen=True)
class _Copy:
    """The outcome of a run of another process."""

    complete: bool
    summary_json: str
    metrics_json: str
    texts: tuple[str, str]
    tables: dict[str, Frame]
    files: list[tuple[str, bytes]]
    folder: None = None

    def summary(self) -> str:
        return self.summary_json

    def metrics(self) -> str:
        return self.metrics_json

    def text(self, all: bool = False) -> str:
        return self.texts[all]

    def table(self, name: str) -> Frame:
        return self.tables[name]

    def write(self, path: str, scenario: str) -> str:
        return _airpath.write_folder(path, self.files)


def given(scenario: Scenario | str | os.PathLike[str]) -> Scenario:
    """A scenario, the file of one, or the name of a template."""
    if isinstance(scenario, Scenario):
        return scenario
    if isinstance(scenario, str) and not os.path.exists(scenario):
        if scenario in (template.name for template in templates()):
            return Scenario.from_template(scenario)
        if not os.path.splitext(scenario)[1] and os.path.basename(scenario) == scenario:
            known = ", ".join(template.name for template in templates())
            raise InputError(f"there is no file {scenario!r}, and no template of this name; there are {known}")
    if isinstance(scenario, (str, os.PathLike)):
        return Scenario.load(scenario)
    raise TypeError(
        f"a scenario is an airpath.Scenario or the path of a file, not {type(scenario).__name__}"
    )


def number(name: str, value: int | None, least: int = 0) -> int | None:
    """A whole number that is at least ``least``, or none."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is a whole number, not {value!r}")
    if not least <= value < 1 << 64:
        raise InputError(f"{name} is {value}: it is at least {least}, and below 2^64")
    return value


def texts(name: str, values: Sequence[str]) -> list[str]:
    """A list of texts."""
    listed = isinstance(values, Sequence) and not isinstance(values, str)
    if not listed or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{name} is a list of texts, not {values!r}")
    return list(values)


def path(name: str, value: str | os.PathLike[str] | None) -> str | None:
    """A path as text, or none."""
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} is a path, not {value!r}")
    return os.fspath(value)


__all__ = ["TABLES", "Run", "RunError", "run"]
