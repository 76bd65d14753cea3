"""Campaigns and comparisons."""

from __future__ import annotations

import contextlib
import html
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from airpath import _airpath
from airpath._cluster import Client, connected, farm
from airpath._commands import call
from airpath._errors import InputError
from airpath._folders import Temporary, packed, unpacked
from airpath._frame import Frame
from airpath._plot import Plot
from airpath._progress import Bar, Progress
from airpath._run import Run, given, number, path, texts
from airpath._scenario import Scenario, _toml

#: Runs of each scenario that is compared, if nothing is said.
_RUNS = 20


def sweep(
    scenario: Scenario | str | os.PathLike[str],
    *,
    vary: Mapping[str, Sequence[Any]] | Sequence[str] = (),
    seeds: int | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: bool | Progress | None = None,
    client: Client | str | None = None,
    store: str | None = None,
    unchecked: bool = False,
) -> Sweep:
    """Runs a campaign: each arm of a scenario with several seeds, on all cores.

    What is varied is in the scenario's table ``sweep``, or in ``vary``: values by key, or texts as
    ``--vary`` takes them. ``seeds`` is how often each arm runs. With ``out`` the results folder of
    ``airpath sweep --out`` stays, finished runs survive an interruption, and the same call goes on;
    without it the folder is gone with the result. ``jobs`` is the number of threads. ``progress``
    is as of :func:`run`, of runs.

    With ``client``, a ``distributed.Client`` of Dask or the address of a scheduler, its workers make
    the runs; the tables are the same, byte for byte. Records come back over the network, or workers
    write them to ``store``, a folder or address that fsspec knows and all can reach
    (docs/cluster.md).

    A damaged file in ``out`` or ``store`` raises :class:`InputError`, which names the file, and nothing
    is overwritten. With ``unchecked`` the file is read all the same.

    Raises :class:`ScenarioError`, :class:`InputError`, :class:`RunError`; Ctrl-C raises
    :class:`Interrupted`. A run that fails is in :attr:`Sweep.failures`.

    >>> import airpath
    >>> wire = airpath.Scenario.from_template("wires-dualpi2").set("duration", "1 s")
    >>> campaign = airpath.sweep(wire, vary={"path.sgi.delay": ["5 ms", "10 ms"]}, seeds=2)
    >>> campaign.arms
    ['5 ms', '10 ms']
    >>> campaign.runs.shape[0]
    4
    """
    scenario = given(scenario)
    temporary = None if out is not None else Temporary()
    folder = path("out", out) or str(Path(temporary.name if temporary else "") / "results")
    axes = _axes(vary)
    runs, jobs = number("seeds", seeds, 1), number("jobs", jobs, 1)
    source = scenario._source()
    with contextlib.ExitStack() as stack:
        workers = connected(stack, client, store)
        elsewhere = workers and farm(workers, source, axes, runs, path("store", store), unchecked)
        bar = stack.enter_context(Bar(progress, "runs"))
        said = _airpath.sweep(source, folder, axes, runs, jobs, bar.call, elsewhere, unchecked)
    return Sweep(Path(folder), json.loads(said), temporary, unchecked)


def _axes(vary: Mapping[str, Sequence[Any]] | Sequence[str]) -> list[str]:
    if isinstance(vary, str):
        return [vary]
    if not isinstance(vary, Mapping):
        if not isinstance(vary, Sequence):
            raise TypeError(f"vary is a dict of keys and values, or a list of texts, not {vary!r}")
        return [str(axis) for axis in vary]
    axes = []
    for key, values in vary.items():
        if isinstance(values, str) or not isinstance(values, Sequence):
            raise TypeError(f"vary[{key!r}] is a list of values, not {values!r}")
        axes.append(f"{key}=" + ",".join(_toml(value, key) for value in values))
    return axes


#: Metrics that a notebook shows of a sweep.
_MAIN = ("goodput_bps", "queue_delay_p95_ms", "delay_mean_ms", "loss_rate")


class Sweep:
    """What a campaign came to."""

    def __init__(
        self,
        folder: Path,
        said: Mapping[str, Any],
        temporary: Temporary | None = None,
        unchecked: bool = False,
    ) -> None:
        self._folder = folder
        self._unchecked = unchecked
        self._temporary = temporary
        self._said = said
        self._frames: dict[str, Frame] = {}

    @property
    def folder(self) -> Path | None:
        """Its folder, if it stays."""
        return None if self._temporary is not None else self._folder

    @property
    def summary(self) -> dict[str, Any]:
        """What its ``summary.json`` says (docs/campaigns.md)."""
        summary: dict[str, Any] = json.loads((self._folder / "summary.json").read_text("utf-8"))
        return summary

    @property
    def arms(self) -> list[str]:
        """Names of its arms."""
        return [arm["name"] for arm in self.summary["arms"]]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Runs that failed: arm, seed, and why."""
        return list(self.summary["failures"])

    @property
    def resumed(self) -> int:
        """Runs that were kept from before and not made again."""
        return int(self._said.get("resumed", 0))

    @property
    def notes(self) -> list[str]:
        """What else there is to know: runs that could not be kept, for example."""
        return list(self._said.get("notes", []))

    def table(self, name: str) -> Frame:
        """``intervals``, ``runs`` or ``users``."""
        if name not in ("intervals", "runs", "users"):
            raise InputError(f"there is no table {name!r}: there are intervals, runs, users")
        if name not in self._frames:
            table = _airpath.read_table(str(self._folder), f"{name}.parquet", self._unchecked)
            self._frames[name] = Frame(table)
        return self._frames[name]

    @property
    def intervals(self) -> Frame:
        """A row for each arm and metric: mean over runs and its 95% interval."""
        return self.table("intervals")

    @property
    def runs(self) -> Frame:
        """A row for each run, a column for each metric."""
        return self.table("runs")

    @property
    def users(self) -> Frame:
        """A row for each user of each run."""
        return self.table("users")

    @property
    def plot(self) -> Plot:
        """Charts, as Altair has them: ``campaign.plot.metric("goodput_bps")``."""
        return Plot([(str(self._folder), None)], self, self._unchecked)

    def _written(self) -> Path:
        return self._folder

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy for another process (``pickle``), with all files but ``timing.json``."""
        return _restored, (packed(self._folder), dict(self._said), self._unchecked)

    def __repr__(self) -> str:
        arms = self.summary["arms"]
        runs = sum(len(arm["seeds"]) for arm in arms)
        failed = f", {len(self.failures)} runs failed" if self.failures else ""
        return f"<airpath.Sweep of {len(arms)} arms, {runs} runs{failed}: {', '.join(self.arms[:8])}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("arm", "metric", "runs", "mean", "95% interval"))
        body = ""
        for row in self.intervals.rows():
            if row["metric"] in _MAIN:
                cells = (row["arm"], row["metric"], row["runs"], *_shown(row))
                body += "<tr>" + "".join(f"<td>{html.escape(str(text))}</td>" for text in cells) + "</tr>"
        return f"<p>{html.escape(repr(self))}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _restored(files: list[tuple[str, bytes]], said: dict[str, Any], unchecked: bool) -> Sweep:
    """A campaign that came from another process."""
    folder, temporary = unpacked(files)
    return Sweep(folder, said, temporary, unchecked)


def _shown(row: Mapping[str, Any]) -> tuple[str, str]:
    """Mean and interval as a person reads them: rates in Mbit/s."""
    unit, scale = ("Mbit/s", 1e6) if row["unit"] == "bit/s" else (row["unit"], 1)
    unit = "" if unit in (None, "1") else f" {unit}"
    if row["mean"] is None:
        return "", ""
    mean = f"{row['mean'] / scale:.4g}{unit}"
    if row["low"] is None or row["high"] is None:
        return mean, ""
    return mean, f"{row['low'] / scale:.4g} to {row['high'] / scale:.4g}{unit}"


def compare(
    first: Scenario | Run | Sweep | str | os.PathLike[str],
    second: Scenario | Run | Sweep | str | os.PathLike[str],
    *,
    names: tuple[str, str] | None = None,
    seeds: int | None = None,
    metrics: Sequence[str] = (),
    all: bool = False,
    margin: float | None = None,
    jobs: int | None = None,
    progress: bool | Progress | None = None,
    unchecked: bool = False,
) -> Comparison:
    """Compares two scenarios, which are run with the same seeds, or two results.

    A result is a :class:`Run`, a :class:`Sweep` of one arm, or a folder, ``DIR:ARM`` for an arm
    of a campaign. ``metrics`` names what is compared, ``all`` compares all there is. With ``margin``
    (0.1 for 10%) it is also said what is equal within that. Statistics are those of
    docs/compare.md. With ``unchecked`` folders with a damaged file are read.

    Raises :class:`InputError` if there is nothing to compare, :class:`ScenarioError`, and
    :class:`RunError`.

    >>> import airpath
    >>> wire = airpath.Scenario.from_template("wires-dualpi2").set("duration", "1 s")
    >>> slow = wire.copy().set("path.sgi.rate", "20 Mbit/s")
    >>> compared = airpath.compare(wire, slow, names=("fast", "slow"), seeds=3)
    >>> compared.first, compared.second
    ('fast', 'slow')
    >>> compared.metrics["metric"][0]
    'goodput_bps'
    """
    for side in (first, second):
        if not isinstance(side, (Scenario, Run, Sweep, str, os.PathLike)):
            raise TypeError(f"a scenario, a result or a folder is compared, not {side!r}")
    metrics = texts("metrics", metrics)
    if margin is not None and (isinstance(margin, bool) or not isinstance(margin, (int, float))):
        raise TypeError(f"margin is a number, as 0.1 for 10%, not {margin!r}")
    if names is not None and len(texts("names", names)) != 2:
        raise TypeError(f"names is a pair of texts, not {names!r}")
    if isinstance(first, Scenario) != isinstance(second, Scenario):
        raise InputError("compare two scenarios, or two results: one of each is neither")
    if not isinstance(first, Scenario) or not isinstance(second, Scenario):
        results = [one for one in (first, second) if not isinstance(one, Scenario)]
        sides = [str(one._written()) if isinstance(one, (Run, Sweep)) else os.fspath(one) for one in results]
        given_flags = ["--all"] * all + ["--unchecked"] * unchecked
        return _compare_results(sides, seeds, metrics, given_flags, margin, jobs, progress)
    runs = number("seeds", seeds, 1) or _RUNS
    words = names or (first.name, second.name)
    if names is None and words[0] == words[1]:
        words = (f"{first.name} (first)", f"{second.name} (second)")
    both = [one._resolve() for one in (first, second)]
    begin = int(first.resolved()["seed"])
    asked = _Asked(list(range(begin, begin + runs)), list(metrics), all, margin, number("jobs", jobs, 1))
    with Bar(progress, "runs") as bar:
        found, text, failures = _airpath.compare(
            (words[0], both[0]), (words[1], both[1]), asked, bar.call
        )
    return Comparison(json.loads(found), text, json.loads(failures))


def _compare_results(
    sides: list[str],
    seeds: int | None,
    metrics: Sequence[str],
    flags: list[str],
    margin: float | None,
    jobs: int | None,
    progress: bool | Progress | None,
) -> Comparison:
    options = [f"--metric={metric}" for metric in metrics] + flags
    options += [f"--margin={margin}"] if margin is not None else []
    options += [f"--seeds={seeds}"] if seeds is not None else []
    options += [f"--jobs={jobs}"] if jobs is not None else []
    found = json.loads(call(["compare", *sides, *options, "--json"], progress))
    return Comparison(found, call(["compare", *sides, *options], False) if not seeds else "", [])


class _Asked:
    """What a comparison is of, as the native module takes it."""

    def __init__(
        self,
        seeds: list[int],
        metrics: list[str],
        all: bool,
        margin: float | None,
        jobs: int | None,
    ) -> None:
        self.seeds = seeds
        self.metrics = metrics
        self.all = all
        self.margin = margin
        self.jobs = jobs


class Comparison:
    """What the second of two has over the first."""

    def __init__(self, found: Mapping[str, Any], text: str, failures: list[dict[str, Any]]) -> None:
        self.found: Mapping[str, Any] = found
        """All of it, as ``airpath compare --json`` has it."""
        self.failures = failures
        """Runs that failed: arm, seed, and why."""
        self._text = text

    @property
    def first(self) -> str:
        """Name of the first."""
        return str(self.found["first"])

    @property
    def second(self) -> str:
        """Name of the second."""
        return str(self.found["second"])

    @property
    def metrics(self) -> Frame:
        """A row for each metric: both means, their difference, its interval and p."""
        about = f"{self.second} compared with {self.first}"
        rows = [_flat(row) for row in self.found["metrics"]]
        return Frame(_airpath.table_of(json.dumps(rows), about))

    def __repr__(self) -> str:
        return self._text or f"<airpath.Comparison of {self.first} and {self.second}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Objects in a row become columns of their own."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            flat.update({f"{key}_{name}": item for name, item in _flat(value).items()})
        else:
            flat[key] = value
    return flat
