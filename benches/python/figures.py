"""Figures of the Python package and of campaigns on Dask: `figures.py --help` lists them.

It takes the package as it is installed, built with the profile `release` or `dist`, what
`python/tests/requirements.txt` lists, and a machine with nothing else at work. Each line that it prints is a
figure, with what is asked of it. Docs keep them: docs/python.md and docs/cluster.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import airpath

sys.path.insert(0, str(Path(__file__).parents[2] / "python" / "tests"))
from reno import Reno  # noqa: E402


def best(repeat: int, act: Callable[[], Any]) -> float:
    """The least seconds of several times."""
    times = []
    for _ in range(repeat):
        begun = time.perf_counter()
        act()
        times.append(time.perf_counter() - begun)
    return min(times)


def processor(act: Callable[[], Any]) -> float:
    """Seconds of processor time: of a run, which has one thread at work, others' work adds little to it."""
    begun = time.process_time()
    act()
    return time.process_time() - begun


def cell(seconds: float) -> airpath.Scenario:
    return airpath.Scenario.from_template("lte-6rb").set("duration", f"{seconds:g} s")


def overhead(given: argparse.Namespace) -> None:
    """`airpath.run` beside the program, each its own wall time; the program's start counts for it."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        scenario = cell(given.seconds)
        file.write(str(scenario.text))
        file.flush()
        program = best(given.repeat, lambda: subprocess.run(
            [given.program, "run", file.name, "--quiet"], check=True, stdout=subprocess.DEVNULL))
        module = best(given.repeat, lambda: airpath.run(scenario, progress=False))
    start = best(given.repeat, lambda: subprocess.run(
        [given.program, "--version"], check=True, stdout=subprocess.DEVNULL))
    more = 1e3 * (module - (program - start))
    print(f"the program {1e3 * program:.2f} ms, {1e3 * start:.2f} ms of it its start; airpath.run {1e3 * module:.2f} ms")
    print(f"airpath.run costs {more:+.2f} ms (asked: below 1)")


def frame(given: argparse.Namespace) -> None:
    """A table of packets to Polars: time, and bytes beside those of the table."""
    import polars

    packets = airpath.run(cell(given.seconds).set("output.packets", True), progress=False).packets
    polars.DataFrame(packets)  # what is loaded once
    took = best(given.repeat, lambda: polars.DataFrame(packets))
    size = polars.DataFrame(packets).estimated_size() / packets.nbytes
    scaled = took * 1e6 / max(len(packets), 1)
    print(f"{len(packets)} packets in {1e3 * took:.2f} ms, {1e3 * scaled:.1f} ms for 10^6 (asked: below 50)")
    print(f"{size:.2f} times the table's bytes (asked: below 1.2)")


class Counted:
    """Counts calls of all parts."""

    calls = 0


class CountedReno(Reno):
    """NewReno, with its calls counted."""

    def on_ack(self, ack: airpath.Ack) -> None:
        Counted.calls += 1
        super().on_ack(ack)


class Tail(airpath.Queue):
    """Drop-tail."""

    def on_arrival(self, packet: airpath.Packet, queue: airpath.Backlog) -> airpath.Verdict:
        Counted.calls += 1
        return airpath.Verdict.DROP if queue.packets >= 100 else airpath.Verdict.PASS


class Turns(airpath.Scheduler):
    """Round robin."""

    turn = 0

    def schedule(self, slot: airpath.Slot) -> airpath.Grants:
        Counted.calls += 1
        self.turn += 1
        best = slot.candidates[self.turn % len(slot.candidates)]
        return [(best, best.needed(slot.free))]


class Steady(airpath.Source):
    """A packet each 20 ms."""

    def next(self, now: float) -> tuple[float, int]:
        Counted.calls += 1
        return 0.02, 172


def parts(given: argparse.Namespace) -> None:
    """How much slower a run is with a part in Python than with the built-in one of its kind."""
    kinds: list[tuple[str, str, str, Callable[[], Any]]] = [
        ("flow.download.tcp.controller", "flow.download.tcp.controller", "newreno", CountedReno),
        ("path.s1.queue", "path.s1.queue", "100 packets", Tail),
        ("cell.scheduler", "cell.scheduler", "round-robin", Turns),
        ("flow.voice.rtp", "flow.voice.rtp.interval", "20 ms", Steady),
    ]
    for key, builtin, value, maker in kinds:
        scenario = cell(given.seconds).set(builtin, value)
        theirs, own = [], []
        for _ in range(given.repeat):  # in turn, so that both see the same machine
            theirs.append(processor(lambda scenario=scenario: airpath.run(scenario, progress=False)))  # type: ignore[misc]
            Counted.calls = 0
            own.append(processor(lambda scenario=scenario, key=key, maker=maker: airpath.run(  # type: ignore[misc]
                scenario, progress=False, parts={key: maker})))
        more = (min(own) - min(theirs)) / max(Counted.calls, 1)
        print(f"{key}: {min(own) / min(theirs):.2f} times the run with `{value}`; {Counted.calls} calls of what "
              f"decides in {given.seconds:g} s, {1e6 * more:.1f} us each")


def sweep_time(workers: int, runs: int, seconds: float) -> float:
    """Seconds of a campaign on so many workers of this machine, with their start left out."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            airpath.sweep(cell(seconds), seeds=2 * workers, client=client, progress=False)
            begun = time.perf_counter()
            made = airpath.sweep(cell(seconds), seeds=runs, client=client, progress=False)
            assert not made.failures, made.failures
            return time.perf_counter() - begun


def workers(given: argparse.Namespace) -> None:
    """Two workers beside one."""
    one, two = (sweep_time(n, given.runs, given.seconds) for n in (1, 2))
    print(f"{given.runs} runs: one worker {one:.1f} s, two {two:.1f} s: {one / two:.2f} times as fast (asked: 1.8)")


def batches(given: argparse.Namespace) -> None:
    """A campaign of short runs on one worker, beside the same runs in a loop here."""
    runs = [airpath.run(cell(given.seconds), seed=seed, progress=False) for seed in range(1, 4)]
    assert all(run.complete for run in runs)
    alone = statistics.median(best(1, lambda: airpath.run(cell(given.seconds), progress=False)) for _ in range(given.repeat))
    took = sweep_time(1, given.runs, given.seconds)
    print(f"{given.runs} runs of {1e3 * alone:.2f} ms in {took:.1f} s: {100 * (took / (given.runs * alone) - 1):+.0f}% (asked: below 20)")


def memory(given: argparse.Namespace) -> None:
    """Memory of Dask's scheduler, a process of its own, while a campaign of many runs goes on."""
    import psutil
    from distributed import Client

    from airpath import _cluster

    if given.batch is not None:
        _cluster._BATCH = given.batch
    dask = [sys.executable, "-m"]
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/scheduler.json"
        common = ["--scheduler-file", file, "--no-dashboard"]
        processes = [subprocess.Popen([*dask, "distributed.cli.dask_scheduler", "--port", "0", *common], stderr=subprocess.DEVNULL)]
        for _ in range(given.workers):
            processes.append(subprocess.Popen([*dask, "distributed.cli.dask_worker", *common, "--nthreads", "1", "--no-nanny",
                                               "--local-directory", folder], stderr=subprocess.DEVNULL))
        scheduler = psutil.Process(processes[0].pid)
        seen: dict[int, float] = {}

        def told(done: float, all: float) -> None:
            tenth = int(10 * done / all) if all else 0
            if tenth not in seen:
                seen[tenth] = scheduler.memory_info().rss / 1e6

        try:
            with Client(scheduler_file=file) as client:
                client.wait_for_workers(given.workers)
                begun = time.perf_counter()
                made = airpath.sweep(cell(given.seconds), seeds=given.runs, client=client, progress=told)
                took = time.perf_counter() - begun
                assert not made.failures, made.failures
        finally:
            for process in processes:
                process.kill()
                process.wait()
    course = ", ".join(f"{10 * tenth}%: {seen[tenth]:.0f}" for tenth in sorted(seen))
    print(f"{given.runs} runs in {took:.0f} s; the scheduler's MB by runs done: {course} (asked: flat)")


def chart(given: argparse.Namespace) -> None:
    """From `pip install` of a wheel or a folder into a new environment to a chart in a notebook.

    Of a wheel, downloads come before. Of a folder they are counted, as pip then fetches what builds it, too.
    """
    import nbclient
    import nbformat

    text = (
        "import airpath\n"
        "results = airpath.run(airpath.Scenario.from_template('lte-6rb'))\n"
        "results.plot.queue_delay()"
    )
    with tempfile.TemporaryDirectory() as folder:
        python = f"{folder}/venv/bin/python"
        whole, pip = f"{given.what}[notebook]", [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        apart: list[str] = []
        if given.what.endswith(".whl"):
            subprocess.run([*pip, "download", "--dest", f"{folder}/wheels", whole], check=True)
            apart = ["--no-index", "--find-links", f"{folder}/wheels"]
        begun = [time.perf_counter()]
        subprocess.run([sys.executable, "-m", "venv", f"{folder}/venv"], check=True)
        begun.append(time.perf_counter())
        subprocess.run([python, *pip[1:], "install", *apart, whole], check=True)
        begun.append(time.perf_counter())
        subprocess.run([python, "-m", "ipykernel", "install", "--prefix", folder, "--name", "fresh"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.environ["JUPYTER_PATH"] = f"{folder}/share/jupyter"
        begun.append(time.perf_counter())
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text)])
        nbclient.NotebookClient(notebook, kernel_name="fresh").execute()
        begun.append(time.perf_counter())
        assert "image/svg+xml" in notebook.cells[0].outputs[-1].data, notebook.cells[0].outputs
    venv, installed, _, shown = (after - before for before, after in zip(begun, begun[1:]))
    print(f"pip install {installed:.1f} s, notebook to its chart {shown:.1f} s: {installed + shown:.1f} s "
          f"(asked: below 20 from a wheel, 300 with the build); the environment before it {venv:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # What each asks for: simulated seconds, times that it is measured, and runs of a campaign.
    asked = {
        overhead: (5, 20, 0),
        frame: (600, 5, 0),
        parts: (20, 10, 0),
        workers: (100, 0, 100),
        batches: (5, 20, 10_000),
        memory: (5, 0, 100_000),
        chart: (0, 0, 0),
    }
    kinds = parser.add_subparsers(required=True)
    for act, (seconds, repeat, runs) in asked.items():
        kind = kinds.add_parser(act.__name__, help=act.__doc__)
        kind.add_argument("--seconds", type=float, default=seconds, help="of simulated time of a run")
        kind.add_argument("--repeat", type=int, default=repeat)
        kind.add_argument("--runs", type=int, default=runs)
        kind.add_argument("--program", default="target/release/airpath")
        if act is memory:
            kind.add_argument("--workers", type=int, default=2)
            kind.add_argument("--batch", type=float, help="seconds that a batch should take, if not the usual")
        if act is chart:
            kind.add_argument("what", help="a wheel, or the folder of the project")
        kind.set_defaults(act=act)
    given = parser.parse_args()
    given.act(given)


if __name__ == "__main__":
    main()
