"""Runs: the program's results, kept where they are asked for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

import airpath
from airpath import _progress


def test_a_run_is_the_programs(cell: airpath.Scenario, tmp_path: Path) -> None:
    results = airpath.run(cell)
    file = cell.save(tmp_path / "cell.toml")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "airpath", "run", str(file), "--out", str(out)]
    assert subprocess.run(command, capture_output=True, timeout=120).returncode == 0
    saved = results.save(tmp_path / "saved")
    names = sorted(path.name for path in saved.iterdir())
    theirs = sorted(path.name for path in out.iterdir() if path.name != "timing.json")
    assert names == theirs
    for name in names:
        assert (saved / name).read_bytes() == (out / name).read_bytes(), name
    summary = json.loads((out / "summary.json").read_text())
    assert "flows.parquet" in summary.pop("digests")
    assert results.summary == summary
    assert results.metrics == json.loads((out / "metrics.json").read_text())


def test_the_same_seed_gives_the_same() -> None:
    cell = airpath.Scenario.from_template("lte-20-ues").set("duration", "15 s")
    one, again, other = airpath.run(cell), airpath.run(cell), airpath.run(cell, seed=9)
    assert one.summary == again.summary
    assert other.summary["seed"] == 9
    assert other.metrics != one.metrics


def test_a_run_says_what_the_program_says(cell: airpath.Scenario) -> None:
    results = airpath.run(cell)
    said = airpath.call(["run", *_file(cell)])
    assert repr(results) == said
    assert "<pre>" in results._repr_html_()


def _file(scenario: airpath.Scenario) -> list[str]:
    import tempfile

    folder = tempfile.mkdtemp()
    return [str(scenario.save(Path(folder) / "cell.toml"))]


def test_progress_is_told(cell: airpath.Scenario) -> None:
    told: list[tuple[float, float]] = []
    airpath.run(cell.set("duration", "20 s"), progress=lambda done, all: told.append((done, all)))
    assert told[-1] == (20.0, 20.0)
    assert told == sorted(told)


def test_a_bar_waits_until_something_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[float] = []

    class Drawn:
        def __init__(self, total: float, **_: object) -> None:
            made.append(total)

        def refresh(self) -> None: ...

        def close(self) -> None: ...

    now = [0.0]
    monkeypatch.setattr(_progress, "_tqdm", lambda: Drawn)
    monkeypatch.setattr(_progress.time, "monotonic", lambda: now[0])
    with _progress.Bar(True, "s") as bar:
        assert bar.call is not None
        bar.call(1, 10)
        assert made == []
        now[0] = 2.5
        bar.call(5, 10)
        bar.call(6, 10)
    assert made == [10]


def test_what_a_progress_raises_ends_the_run(cell: airpath.Scenario) -> None:
    def broken(done: float, all: float) -> None:
        raise ZeroDivisionError("of the test")

    with pytest.raises(ZeroDivisionError, match="of the test"):
        airpath.run(cell, progress=broken)


def test_other_threads_go_on(cell: airpath.Scenario) -> None:
    counted, over = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not over.wait(0.001):
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted
    airpath.run(cell.set("duration", "60 s"))
    after = counted
    over.set()
    thread.join()
    assert after > before


def test_ctrl_c_keeps_what_there_is(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import airpath, sys
        cell = airpath.Scenario.from_template("lte-20-ues").set("duration", "10000 s")
        try:
            airpath.run(cell, out=sys.argv[1], progress=lambda done, all: print(done, flush=True))
        except KeyboardInterrupt as stop:
            assert isinstance(stop, airpath.Interrupted), stop
            assert not stop.results.complete
            print("kept", stop.results.summary["duration_s"], len(stop.results.flows), flush=True)
        """
    )
    out = tmp_path / "out"
    command = [sys.executable, "-c", script, str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        while float(run.stdout.readline()) == 0.0:
            pass
        run.send_signal(signal.SIGINT)
        said = run.stdout.read()
        assert run.wait(60) == 0
    kept = said.splitlines()[-1].split()
    assert kept[0] == "kept" and 0.0 < float(kept[1]) < 10_000.0 and int(kept[2]) > 2
    summary = json.loads((out / "summary.json").read_text())
    assert summary["complete"] is False


def test_the_program_ends_at_ctrl_c(tmp_path: Path) -> None:
    cell = airpath.Scenario.from_template("lte-20-ues").set("duration", "10000 s")
    file = cell.save(tmp_path / "cell.toml")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "airpath", "run", str(file), "--out", str(out)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
        # Its handler is there before the folder that it writes into.
        while not any(path.name.startswith(".out") or path == out for path in tmp_path.iterdir()):
            time.sleep(0.01)
        time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        said = run.stderr.read() if run.stderr else ""
        assert run.wait(60) == 130
    assert "Traceback" not in said
    assert (out / "summary.json").exists()


def test_a_folder_of_somebody_else_is_not_touched(cell: airpath.Scenario, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(airpath.InputError, match="mine.txt"):
        airpath.run(cell, out=tmp_path)
    assert os.listdir(tmp_path) == ["mine.txt"]


def test_wrong_options_are_named(cell: airpath.Scenario) -> None:
    with pytest.raises(TypeError, match="seed is a whole number"):
        airpath.run(cell, seed="one")  # type: ignore[arg-type]
    with pytest.raises(airpath.InputError, match="seed is -1"):
        airpath.run(cell, seed=-1)
    with pytest.raises(TypeError, match="out is a path"):
        airpath.run(cell, out=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="progress is a function"):
        airpath.run(cell, progress=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="folder is a path"):
        airpath.run(cell).save(3)  # type: ignore[arg-type]
