"""Campaigns on Dask: a real scheduler and real workers, on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import distributed
import pytest

import airpath
from airpath import _cluster

WIRE = airpath.Scenario.from_template("wires-dualpi2").set("duration", "1 s")
VARY = {"path.sgi.delay": ["5 ms", "10 ms"]}
#: Runs that take a while, for those that do not go to their end.
LONG = airpath.Scenario.from_template("wires-dualpi2").set("duration", "60 s")


class Cluster:
    """A scheduler and workers as processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0",
                                    "--no-dashboard", "--scheduler-file", str(file))
        deadline = time.monotonic() + 60
        while not file.exists():
            assert time.monotonic() < deadline, "the scheduler does not start"
            time.sleep(0.05)
        self.file = file
        self.workers = [self.worker() for _ in range(2)]

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]],
            cwd=self.folder, stdout=quiet, stderr=quiet,
        )
        self.processes.append(process)
        return process

    def worker(self) -> subprocess.Popen[bytes]:
        return self.start("worker", "--scheduler-file", str(self.file), "--nthreads", "1",
                          "--no-nanny", "--no-dashboard", "--local-directory", str(self.folder))

    def client(self) -> _cluster.Client:
        connect: _cluster.Client = distributed.Client
        client = connect(scheduler_file=str(self.file), timeout=30, set_as_default=False)
        client.wait_for_workers(2, timeout=60)
        return client

    def stop(self) -> None:
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    folder = tmp_path / "dask"
    folder.mkdir()
    made = Cluster(folder)
    yield made
    made.stop()


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_tables_are_those_of_a_local_sweep(cluster: Cluster, tmp_path: Path) -> None:
    local = airpath.sweep(WIRE, vary=VARY, seeds=4, out=tmp_path / "local")
    store = f"file://{tmp_path}/store"
    with cluster.client() as client:
        back = airpath.sweep(WIRE, vary=VARY, seeds=4, out=tmp_path / "back", client=client)
        kept = airpath.sweep(WIRE, vary=VARY, seeds=4, out=tmp_path / "kept", client=client,
                             store=store)
        address = client.scheduler.address
    assert local.failures == back.failures == kept.failures == []
    expected = content(tmp_path / "local")
    assert "runs.parquet" in expected
    assert content(tmp_path / "back") == expected
    assert content(tmp_path / "kept") == expected
    assert len(list((tmp_path / "store").glob("*.json"))) == 8
    # What is stored is not made again, by an address as by a client.
    for process in cluster.workers:
        process.kill()
    again = airpath.sweep(WIRE, vary=VARY, seeds=4, out=tmp_path / "again", client=address,
                          store=store)
    assert content(tmp_path / "again") == expected
    assert again.runs.shape[0] == 8


def test_the_scheduler_keeps_nothing_of_batches_that_are_done(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cluster, "_BATCH", 0.0)  # each run is a batch
    monkeypatch.setattr(_cluster, "_KEPT", 5)

    def kept(dask_scheduler: distributed.Scheduler) -> tuple[int, int]:
        from dask.utils import key_split

        spans = dask_scheduler.extensions["spans"].spans.values()
        own = [span for span in spans if span.name == ("airpath",)]
        assert own, "submissions have no span"
        return sum(len(span.metadata["collections"]) for span in own), key_split.cache_info().currsize

    with cluster.client() as client:
        made = airpath.sweep(WIRE, vary=VARY, seeds=10, client=client, out=tmp_path / "far", progress=False)
        assert not made.failures
        lines, names = client.run_on_scheduler(kept)
    assert lines <= 6, "a line of each of the last batches"
    assert names <= 10


def test_a_worker_may_die(cluster: Cluster, tmp_path: Path) -> None:
    def kill() -> None:
        time.sleep(1)
        os.kill(cluster.workers[0].pid, signal.SIGKILL)

    with cluster.client() as client:
        killer = threading.Thread(target=kill)
        killer.start()
        theirs = airpath.sweep(LONG, vary=VARY, seeds=4, out=tmp_path / "theirs", client=client)
        killer.join()
    assert cluster.workers[0].wait() != 0
    airpath.sweep(LONG, vary=VARY, seeds=4, out=tmp_path / "local")
    assert theirs.failures == []
    assert content(tmp_path / "theirs") == content(tmp_path / "local")


def test_when_the_scheduler_dies_the_same_call_goes_on(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cluster, "_PATIENCE", 2.0)
    out = tmp_path / "out"
    done = threading.Event()

    def told(now: float, all: float) -> None:
        if now >= 2 and not done.is_set():
            done.set()
            cluster.scheduler.kill()

    client = cluster.client()
    with pytest.raises(airpath.RunError, match="the same call goes on"):
        airpath.sweep(LONG, vary=VARY, seeds=10, out=out, client=client, progress=told)
    assert done.is_set()
    client.close(timeout=1)
    resumed = airpath.sweep(LONG, vary=VARY, seeds=10, out=out)
    assert 2 <= resumed.resumed < 20
    assert resumed.runs.shape[0] == 20


def test_workers_of_another_build_are_refused(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(airpath._airpath, "BUILD", "another build")
    with cluster.client() as client:
        with pytest.raises(airpath.InputError, match="another build of airpath"):
            airpath.sweep(WIRE, vary=VARY, seeds=2, out=tmp_path / "out", client=client)


def test_files_that_a_worker_cannot_read_are_named(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "cell.trace"
    trace.write_text("".join(f"{ms}\n" for ms in range(1, 1001)))
    wire = airpath.Scenario(
        f'''
        duration = "1 s"
        radio = "none"
        path.sgi = {{ capacity = "{trace}", queue = "40 packets" }}
        ue = [{{ name = "host" }}]
        flow = [{{ name = "a", kind = "tcp", direction = "down", tcp = {{}} }}]
        '''
    )
    usual = _cluster.Farm._make

    def without(self: _cluster.Farm, tasks: list[tuple[int, _cluster.Task]]) -> object:
        trace.unlink()
        return usual(self, tasks)

    monkeypatch.setattr(_cluster.Farm, "_make", without)
    with cluster.client() as client:
        with pytest.raises(airpath.InputError, match="the worker at .* cannot read .*path.sgi.capacity"):
            airpath.sweep(wire, seeds=2, client=client)


def test_a_sweep_waits_for_workers(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cluster, "_PATIENCE", 1.0)
    for process in cluster.workers:
        process.kill()
        process.wait()

    def start() -> None:
        time.sleep(3)
        cluster.worker()

    client = distributed.Client(scheduler_file=str(cluster.file), set_as_default=False)
    starter = threading.Thread(target=start)
    with client, pytest.warns(UserWarning, match="has no workers: the sweep waits"):
        starter.start()
        made = airpath.sweep(WIRE, vary=VARY, seeds=2, out=tmp_path / "out", client=client)
        starter.join()
    assert made.failures == []
    assert made.runs.shape[0] == 4


def test_a_store_that_cannot_be_written_is_named(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    usual = _cluster.Farm._make

    def occupied(self: _cluster.Farm, tasks: list[tuple[int, _cluster.Task]]) -> object:
        store.write_text("no folder")
        return usual(self, tasks)

    monkeypatch.setattr(_cluster.Farm, "_make", occupied)
    with cluster.client() as client:
        with pytest.raises(airpath.InputError, match="the worker at .* cannot write .*/store/.*json"):
            airpath.sweep(WIRE, seeds=2, client=client, store=str(store))
        with pytest.raises(airpath.InputError, match="nowhere://store/.* cannot be read from here"):
            airpath.sweep(WIRE, seeds=2, client=client, store="nowhere://store")
    with pytest.raises(airpath.InputError, match="name a client"):
        airpath.sweep(WIRE, seeds=2, store=str(store))


def test_a_damaged_record_in_the_store_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    store, file = tmp_path / "store", WIRE.save(tmp_path / "wire.toml")
    with cluster.client() as client:
        airpath.sweep(file, seeds=2, out=tmp_path / "first", client=client, store=str(store))
        record = sorted(store.glob("*.json"))[0]
        whole = record.read_bytes()
        for place in (1, 20, 80, 100, len(whole) - 1):
            record.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:])
            with pytest.raises(airpath.InputError, match=f"{record.name} is damaged"):
                airpath.sweep(file, seeds=2, out=tmp_path / "second", client=client, store=str(store))
        record.write_bytes(whole[:20] + bytes([whole[20] ^ 1]) + whole[21:])
        program = [sys.executable, "-m", "airpath", "sweep", str(file), "--seeds", "2"]
        program += ["--out", str(tmp_path / "third"), "--store", str(store)]
        program += ["--dask", client.scheduler.address]
        ran = subprocess.run(program, capture_output=True, text=True, timeout=120)
        assert ran.returncode == 2 and f"{record.name} is damaged" in ran.stderr, ran.stderr
        # Only the digest is damaged, so the tables are the same.
        airpath.sweep(file, seeds=2, out=tmp_path / "second", client=client, store=str(store), unchecked=True)
        ran = subprocess.run([*program, "--unchecked"], capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, ran.stderr
    assert content(tmp_path / "second") == content(tmp_path / "third") == content(tmp_path / "first")


def test_the_program_does_the_same(cluster: Cluster, tmp_path: Path) -> None:
    file = WIRE.save(tmp_path / "wire.toml")
    with cluster.client() as client:
        address = client.scheduler.address
    program = [sys.executable, "-m", "airpath", "sweep", str(file), "--seeds", "3"]
    for out, more in (("theirs", ["--dask", address]), ("local", [])):
        command = [*program, "--out", str(tmp_path / out), *more]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, ran.stderr
    assert content(tmp_path / "theirs") == content(tmp_path / "local")
    nobody = subprocess.run([*program, "--dask", "tcp://127.0.0.1:9"], capture_output=True, text=True)
    assert nobody.returncode == 2
    assert "no scheduler of Dask answers" in nobody.stderr


def test_addresses_where_nobody_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cluster, "_PATIENCE", 1.0)
    with pytest.raises(airpath.InputError, match="no scheduler of Dask answers"):
        airpath.sweep(WIRE, client="tcp://127.0.0.1:9")
    with pytest.raises(airpath.InputError, match="no scheduler of Dask answers at nowhere://x"):
        airpath.sweep(WIRE, client="nowhere://x")
    with pytest.raises(TypeError, match="the address of a scheduler"):
        airpath.sweep(WIRE, client=7)


def test_batches_take_seconds_and_share_the_end() -> None:
    pace = _cluster._Pace()
    assert pace.size(1000, 4) == 1
    pace.saw(0.1, 10)  # 10 ms each
    assert pace.size(100_000, 4) == 300
    assert pace.size(100, 4) == 13
    assert pace.size(3, 4) == 1
    pace.single()
    assert pace.size(100_000, 4) == 1
