"""Figures of the Python package and of campaigns on Dask: `figures.py overhead|frame|parts|workers|batches`.

It takes the package as it is installed, built with the profile `release` or `dist`, what
`python/tests/requirements.txt` lists, and a machine with nothing else at work. Each line that it prints is a
figure, with what is asked of it. Docs keep them: docs/python.md and docs/cluster.md.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import Any

import airpath


def best(repeat: int, act: Callable[[], Any]) -> float:
    """The least seconds of several times."""
    times = []
    for _ in range(repeat):
        begun = time.perf_counter()
        act()
        times.append(time.perf_counter() - begun)
    return min(times)


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


class Fixed(airpath.Controller):
    """The simplest controller: a fixed window."""

    def on_ack(self, ack: airpath.Ack) -> None:
        self.cwnd = 20 * self.segment

    def on_loss(self, loss: airpath.Loss) -> None:
        pass


class Tail(airpath.Queue):
    """Drop-tail."""

    def on_arrival(self, packet: airpath.Packet, queue: airpath.Backlog) -> airpath.Verdict:
        return airpath.Verdict.DROP if queue.packets >= 100 else airpath.Verdict.PASS


class Greedy(airpath.Scheduler):
    """All to the candidate that can carry most."""

    def schedule(self, slot: airpath.Slot) -> airpath.Grants:
        return [(max(slot.candidates, key=lambda one: one.bytes(slot.resource_blocks)), slot.free)]


class Steady(airpath.Source):
    """A packet each 20 ms."""

    def next(self, now: float) -> tuple[float, int]:
        return 0.02, 200


def parts(given: argparse.Namespace) -> None:
    """How much slower a run is with a part in Python, of each kind."""
    plain = cell(given.seconds)
    base = best(given.repeat, lambda: airpath.run(plain, progress=False))
    kinds: dict[str, Callable[[], Any]] = {
        "flow.download.tcp.controller": Fixed,
        "path.s1.queue": Tail,
        "cell.scheduler": Greedy,
        "flow.voice.rtp": Steady,
    }
    for key, maker in kinds.items():
        own = best(given.repeat, lambda key=key, maker=maker: airpath.run(  # type: ignore[misc]
            plain, progress=False, parts={key: maker}))
        print(f"{key}: {own / base:.2f} times the run without it")


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # What each asks for: simulated seconds, times that it is measured, and runs of a campaign.
    asked = {overhead: (5, 20, 0), frame: (600, 5, 0), parts: (20, 5, 0), workers: (100, 0, 100), batches: (5, 20, 10_000)}
    kinds = parser.add_subparsers(required=True)
    for act, (seconds, repeat, runs) in asked.items():
        kind = kinds.add_parser(act.__name__, help=act.__doc__)
        kind.add_argument("--seconds", type=float, default=seconds, help="of simulated time of a run")
        kind.add_argument("--repeat", type=int, default=repeat)
        kind.add_argument("--runs", type=int, default=runs)
        kind.add_argument("--program", default="target/release/airpath")
        kind.set_defaults(act=act)
    given = parser.parse_args()
    given.act(given)


if __name__ == "__main__":
    main()
