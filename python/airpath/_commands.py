"""What the program's other commands say, as Python's objects."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from airpath import _airpath
from airpath._data import announce
from airpath._errors import InputError, Interrupted, RunError
from airpath._folders import Temporary, packed, unpacked
from airpath._frame import Frame
from airpath._progress import Bar, Progress
from airpath._scenario import Scenario

#: Exit codes of the program (crates/cli/src/exit.rs).
_BAD_INPUT, _INTERRUPTED = 2, 130


def call(arguments: Sequence[str], progress: bool | Progress | None = None) -> str:
    """Runs a command of the program and gives what it prints.

    Raises :class:`InputError` where the program's exit code is 2, :class:`Interrupted` for 130,
    and :class:`RunError` for any other but 0; the message is the program's.
    """
    return _call(arguments, progress)[0]


def _call(arguments: Sequence[str], progress: bool | Progress | None = None) -> tuple[str, str]:
    """Output of a command; and what it would print without ``--json``, of commands that have it at hand."""
    with Bar(progress, "runs") as bar:
        code, (out, err, words), raised = _airpath.call(list(arguments), bar.call)
    if raised is not None and not isinstance(raised, KeyboardInterrupt):
        raise raised
    if raised is not None or code == _INTERRUPTED:
        raise Interrupted(_message(err) or "interrupted") from None
    if code == _BAD_INPUT:
        raise InputError(_message(err))
    if code != 0:
        raise RunError(_message(err))
    return out, words


def _message(err: str) -> str:
    # Advice for the terminal is none for Python.
    words = err.strip().removesuffix("For more information, try '--help'.")
    return words.strip().removeprefix("error: ")


def _option(name: str, value: object) -> list[str]:
    """An option as the program takes it; nothing for none."""
    if value is None or value is False:
        return []
    if value is True:
        return [f"--{name}"]
    if isinstance(value, (str, int, float, os.PathLike)):
        return [f"--{name}={os.fspath(value) if isinstance(value, os.PathLike) else value}"]
    if isinstance(value, Iterable):
        return [f"--{name}=" + ",".join(str(item) for item in value)]
    raise TypeError(f"{name} is text, a number or a list, not {value!r}")


class Result:
    """What a command came to: a table of it, all of it, and the program's words."""

    def __init__(self, found: Any, rows: list[dict[str, Any]], about: str, text: str) -> None:
        self.found = found
        """All of it, as the command's ``--json`` has it."""
        self.text = text
        """What the program prints."""
        self._rows = (rows, about)
        self._frame: Frame | None = None

    @property
    def table(self) -> Frame:
        """A row for each."""
        if self._frame is None:
            rows, about = self._rows
            self._frame = Frame(_airpath.table_of(json.dumps(rows), about))
        return self._frame

    def __repr__(self) -> str:
        return self.text or repr(self.table)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>" if self.text else self.table._repr_html_()


class Latency:
    """Latencies of an air interface in closed form: call it, or :meth:`fit` it to measured delays."""

    def __call__(
        self,
        tti: str | Sequence[str] = "1ms",
        *,
        access: str | Sequence[str] = "sr",
        sr: object = None,
        period: object = None,
        bler: object = 0.1,
        harq: str | int = 8,
        steps: Mapping[str, str | float] | None = None,
        convention: str = "table",
    ) -> Result:
        """The latency of an air interface in closed form (docs/latency.md).

        Lists make a grid. Periods and lengths are in transmission time intervals, or times as
        ``"5 ms"``. The table has a row for each setting; times are in ms, those of
        ``downlink_ms``, ``uplink_ms`` and ``round_trip_ms`` are without errors, those of
        ``downlink_with_errors_ms`` and so on with them.

        Raises :class:`InputError`, which names the option.

        >>> import airpath
        >>> found = airpath.latency("1ms", sr=[5, 1])
        >>> found.table["tti_ms"]
        [1.0, 1.0]
        >>> found.table["downlink_ms"][0] < found.table["uplink_ms"][0]
        True
        """
        options = _option("tti", tti) + _option("access", access) + _option("sr", sr)
        options += _option("period", period) + _option("bler", bler) + _option("harq", harq)
        for step, length in (steps or {}).items():
            options.append(f"--step={step}={length}")
        options += _option("convention", convention)
        found = json.loads(call(["latency", *options, "--json"]))
        rows = [_latency_row(setting) for setting in found["settings"]]
        return Result(found, rows, "A setting and its latencies.", call(["latency", *options]))

    def fit(
        self,
        delays: str | os.PathLike[str] | Iterable[float],
        *,
        direction: str = "up",
        tti: str | Sequence[str] | None = None,
        tdd: str | Sequence[str] | None = None,
        access: str | Sequence[str] | None = None,
        sr: object = None,
        period: object = None,
        bler: object = None,
        transmissions: int | None = None,
    ) -> Result:
        """Settings that explain measured delays (docs/latency.md).

        ``delays`` is a file with a column ``delay_ms``, ``delay_us``, ``delay_ns`` or ``delay_s``, or delays
        in ms. Lists say what is tried; without them usual patterns and periods are. The table has a row for
        each setting of the stated set, with its group: the delays cannot tell settings of a group apart. Of
        an unexplained measurement ``found["explained"]`` is false, and the table has the nearest setting.

        Raises :class:`InputError`, which names the line of the file or the option.

        >>> import airpath
        >>> found = airpath.latency.fit([10.5 + n / 10 for n in range(100)], tdd="fdd", access="sr", sr=[5, 10])
        >>> found.found["explained"], found.table["access"][0]
        (True, 'sr 10 TTI')
        """
        options = _option("direction", direction) + _option("tti", tti) + _option("tdd", tdd)
        options += _option("access", access) + _option("sr", sr) + _option("period", period)
        options += _option("bler", bler) + _option("transmissions", transmissions)
        if isinstance(delays, (str, os.PathLike)):
            return _fitted(delays, options)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "delays.csv"
            path.write_text("delay_ms\n" + "".join(f"{float(delay)!r}\n" for delay in delays))
            return _fitted(path, options)


#: The latency of an air interface in closed form, and fits to measured delays.
latency = Latency()


def _fitted(path: str | os.PathLike[str], options: Sequence[str]) -> Result:
    command = ["latency", f"--fit={os.fspath(path)}", *options]
    found = json.loads(call([*command, "--json"]))
    rows = [
        {"group": number, **setting}
        for number, group in enumerate(found["groups"])
        for setting in group["settings"]
    ]
    return Result(found, rows, "A setting that explains the delays.", call(command))


def _latency_row(setting: Mapping[str, Any]) -> dict[str, Any]:
    row = {key: value for key, value in setting.items() if not isinstance(value, (list, dict))}
    totals: Mapping[str, Any] = setting["totals"][setting["convention"]]
    for errors, figures in totals.items():
        ending = "" if errors == "no_errors" else "_with_errors"
        row.update({name.removesuffix("_ms") + ending + "_ms": ms for name, ms in figures.items()})
    return row


def calibrate(
    *,
    file: str | os.PathLike[str] | None = None,
    only: str | None = None,
    users: int | None = None,
    seed: int | None = None,
) -> Result:
    """Compares the channel of a network with published calibrations (docs/calibration.md).

    The table has a row for each percentile; values are in dB.

    Raises :class:`InputError` if the rows cannot be read, or there are none of that name.

    >>> import airpath
    >>> found = airpath.calibrate(only="UMi", users=1000)
    >>> found.table.units["measured_db"]
    'dB'
    """
    options = _option("file", file) + _option("only", only) + _option("users", users)
    options += _option("seed", seed)
    rows = json.loads(call(["calibrate", *options, "--json"]))
    return Result(rows, rows, "A percentile, published and measured.", "")


def drop(scenario: Scenario | str | os.PathLike[str], *, seed: int | None = None) -> Result:
    """Where the users of a network are and what they get, before anything runs.

    The table has a row for each UE: places in m, gains in dB, powers in dBm.

    Raises :class:`ScenarioError`, or :class:`InputError` for a scenario without a network.

    >>> import airpath
    >>> dropped = airpath.drop(airpath.Scenario.from_template("network"))
    >>> dropped.table.columns[:3]
    ['name', 'x_m', 'y_m']
    """
    from airpath._run import given

    scenario = given(scenario)
    scenario.validate()
    with tempfile.TemporaryDirectory(prefix="airpath-") as folder:
        options = [*_written(scenario, folder), *_option("seed", seed)]
        found = json.loads(call(["drop", *options, "--json"]))
        text = call(["drop", *options])
    return Result(found, found["ues"], "A UE and its best cell.", text)


def _written(scenario: Scenario, folder: str) -> list[str]:
    """Arguments of a scenario: its file, or one in the folder, and what is set over it."""
    file = Path(scenario.name)
    if not file.is_file() or file.read_text("utf-8") != scenario.text:
        file = Path(folder) / f"{Path(scenario.name).stem}.toml"
        file.write_text(scenario.text, encoding="utf-8")
    return [str(file), *(f"--set={text}" for text in scenario.overrides)]


def export(
    scenario: Scenario | str | os.PathLike[str],
    *,
    formats: str | Sequence[str] = (),
    out: str | os.PathLike[str] | None = None,
    ue: str | None = None,
    length: str | None = None,
    seed: int | None = None,
    judge: bool | None = None,
    progress: bool | Progress | None = None,
) -> Result:
    """Records the path of a UE for tools that replay one, and says how wrong that is (docs/traces.md).

    ``formats`` are of ``"mahimahi"``, ``"cellreplay"``, ``"rattan"`` and ``"netem"``, by default all; their
    files go to the folder ``out``. ``scenario`` may be a results folder, whose scenario is run again. ``ue`` is
    a group of UEs, by default the first, and ``length`` a time as ``"60 s"``, by default the scenario's. With
    ``judge``, the default without ``out``, the table has a row for each application and replay: its value in the
    cell and over the replay, and the difference as a share.

    Raises :class:`ScenarioError`, or :class:`InputError` for a UE that is not there or a folder with files of
    others.

    >>> import airpath
    >>> found = airpath.export(airpath.Scenario.from_template("lte-6rb"), length="2 s")
    >>> sorted(set(found.table["application"]))
    ['bulk', 'call', 'game', 'page', 'request']
    """
    from airpath._run import given

    options = _option("out", out) + _option("ue", ue) + _option("for", length) + _option("seed", seed)
    options += _option("judge", out is None if judge is None else judge)
    for name in [formats] if isinstance(formats, str) else formats:
        if name not in (known := ("mahimahi", "cellreplay", "rattan", "netem")):
            raise InputError(f"there is no format {name!r}; there are: {', '.join(known)}")
        options.append(f"--{name}")
    with tempfile.TemporaryDirectory(prefix="airpath-") as folder:
        if isinstance(scenario, (str, os.PathLike)) and Path(scenario).is_dir():
            where = [os.fspath(scenario)]
        else:
            scenario = given(scenario)
            scenario.validate()
            where = _written(scenario, folder)
        said, words = _call(["export", *where, *options, "--json"], progress)
    found = json.loads(said)
    rows = [
        {**{key: one[key] for key in ("application", "measure", "unit", "cell")}, **replay}
        for one in found["judged"]
        for replay in one["replays"]
    ]
    return Result(found, rows, "An application over a replay of the path.", words)


def reproduce(
    study: str | os.PathLike[str],
    *,
    part: str | None = None,
    reading: str | None = None,
    seeds: int | None = None,
    out: str | os.PathLike[str] | None = None,
    from_tables: str | os.PathLike[str] | bool = False,
    quick: bool = False,
    runs: int | None = None,
    trace: str | os.PathLike[str] | None = None,
    page: str | os.PathLike[str] | None = None,
    progress: bool | Progress | None = None,
    unchecked: bool = False,
) -> Result:
    """Reproduces a published study, or one in a folder: which of its findings hold here (docs/studies).

    The table has a row for each claim and reading. Options are those of ``airpath reproduce``;
    ``reading`` is ``"first"``, ``"second"`` or ``"both"``. Tables of experiments on a network are
    files of the package ``airpath-data``. The variable ``AIRPATH_STUDIES`` or ``from_tables`` names
    another folder (docs/commands.md).
    With ``page`` its page goes to the folder ``studies`` there, and its pictures to ``img``.
    ``progress`` is as of :func:`run`, of runs. With ``unchecked`` folders with a damaged file are
    read.

    Raises :class:`InputError` for a study or part that is not there, and :class:`Interrupted`; with
    ``out`` finished runs are kept, and the same call goes on.

    >>> import airpath
    >>> found = airpath.reproduce("short-tti", seeds=2)
    >>> len(found.table) > 10
    True
    """
    if study not in studies() and not os.path.isdir(study):
        raise InputError(f"there is no study {study!r}: there are {', '.join(studies())}")
    announce()
    options = _option("part", part) + _option("reading", reading)
    options += _option("seeds", seeds) + _option("out", out)
    options += _option("from-tables", from_tables) + _option("quick", quick)
    options += _option("runs", runs) + _option("trace", trace)
    options += _option("page", page) + _option("unchecked", unchecked)
    said, words = _call(["reproduce", os.fspath(study), *options, "--json"], progress)
    found = json.loads(said)
    rows = found if isinstance(found, list) else found.get("rows", [])
    return Result(found, [_scalars(row) for row in rows], "A claim of a study and how it fares.", words)


def _scalars(row: Mapping[str, Any]) -> dict[str, Any]:
    plain = (str, int, float, bool, type(None))
    return {k: v if isinstance(v, plain) else json.dumps(v) for k, v in row.items()}


def studies() -> dict[str, str]:
    """Studies that can be reproduced: name and title.

    >>> import airpath
    >>> "short-tti" in airpath.studies()
    True
    """
    lines = call(["reproduce"]).splitlines()
    pairs = (line.split(maxsplit=1) for line in lines if line.startswith("  "))
    return {name: title for name, title in pairs}


def analyse(
    *captures: str | os.PathLike[str],
    client: str | Sequence[str] = (),
    port: int | None = None,
    select: str | None = None,
    start: float | str | None = None,
    end: float | str | None = None,
    decapsulate: bool = False,
    notes: int | None = None,
    window: Sequence[float] = (),
    radio: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool | Progress | None = None,
) -> Analysis:
    """Analyses captures: why was this flow slow? (docs/analysis.md)

    Captures are pcap or pcapng files, also ``.gz`` and ``.zst``; several are parts of one.
    ``client`` says where clients are, as ``"10.0.0.0/8"``; ``window`` are widths of windows of
    bandwidth in seconds. ``select`` is a filter of packets, as ``"host 10.0.0.1 and port 443"``.
    ``start`` and ``end`` limit the time: seconds since the first packet, or a time as
    ``"2026-11-26T13:44:50Z"``. ``decapsulate`` looks through VXLAN, Geneve, GRE, ERSPAN and MPLS
    pseudowires; the column ``tunnels`` names them. ``signs`` has what looks like a radio. ``notes`` is the
    number of packets that the columns ``up_notes`` and ``down_notes`` name of each kind. With ``out`` the folder of ``airpath analyse --out`` stays.

    Raises :class:`InputError` for a file that is no capture.

    >>> import airpath, tempfile
    >>> cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
    >>> cell = cell.set("output.pcap", ["server"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = airpath.run(cell, out=folder + "/run")
    ...     found = airpath.analyse(folder + "/run/capture-server.pcapng")
    >>> found.flows["protocol"][0]
    'tcp'
    """
    if not captures:
        raise InputError("name at least one capture")
    for capture in captures:
        if not isinstance(capture, (str, os.PathLike)):
            raise TypeError(f"a capture is the path of a file, not {capture!r}")
    if isinstance(window, str) or not isinstance(window, Sequence):
        raise TypeError(f"window is a list of seconds, not {window!r}")
    temporary = None if out is not None else Temporary()
    folder = Path(out) if out is not None else Path(temporary.name if temporary else "") / "results"
    nets = [client] if isinstance(client, str) else client
    options = [f"--client={net}" for net in nets] + [f"--window={width}" for width in window]
    options += _option("port", port) + _option("radio", radio) + _option("threads", threads)
    options += _option("select", select) + _option("from", start) + _option("to", end)
    options += _option("decapsulate", decapsulate) + _option("notes", notes)
    files = [os.fspath(capture) for capture in captures]
    text = call(["analyse", *files, *options, f"--out={folder}"], progress)
    return Analysis(folder, text, temporary)


class Analysis:
    """What captures say."""

    def __init__(
        self, folder: Path, text: str, temporary: Temporary | None
    ) -> None:
        self._folder, self._temporary = folder, temporary
        self.text = text if temporary is None else text.split("\nresults in ")[0]
        """What the program prints."""

    def _table(self, name: str) -> Frame:
        return Frame(_airpath.read_table(str(self._folder), name))

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy for another process (``pickle``)."""
        return _restored, (packed(self._folder), self.text)

    @property
    def folder(self) -> Path | None:
        """Its folder, if it stays."""
        return None if self._temporary is not None else self._folder

    @property
    def summary(self) -> dict[str, Any]:
        """Sums over all flows and hosts, warnings, and what could not be read."""
        summary: dict[str, Any] = json.loads((self._folder / "summary.json").read_text("utf-8"))
        return summary

    @property
    def flows(self) -> Frame:
        """A row for each flow; ``up_`` and ``down_`` are the directions of the client."""
        return self._table("flows.parquet")

    @property
    def hosts(self) -> Frame:
        """A row for each client."""
        return self._table("hosts.parquet")

    @property
    def links(self) -> list[dict[str, Any]]:
        """Links that several flows share, with rate, queue and shares; ``up_link`` of flows names them."""
        links: list[dict[str, Any]] = self.summary["links"]
        return links

    @property
    def windows(self) -> Frame:
        """A row for each window of bandwidth; none without ``window``."""
        return self._table("bandwidth.parquet")

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def _restored(files: list[tuple[str, bytes]], text: str) -> Analysis:
    """An analysis that came from another process."""
    folder, temporary = unpacked(files)
    return Analysis(folder, text, temporary)
