"""The runs of a campaign on Dask.

The sweep itself goes on here: it says which runs are wanted, keeps each as it comes, and writes the
tables. Workers make runs, in batches that take seconds, and give back or store their records. Nothing
that a run comes to depends on where or how often it is made.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import queue
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from airpath import _airpath
from airpath._errors import InputError, RunError

#: Of Dask, whose types are not all written.
Client: TypeAlias = Any
Future: TypeAlias = Any
#: An arm, by place, and a seed.
Task: TypeAlias = tuple[int, int]
#: What a run came to: its place, whether it was made, and its record or why not.
Made: TypeAlias = tuple[int, bool, str]

#: What a batch should take, in seconds: long beside the milliseconds that the scheduler needs for it.
_BATCH = 3.0
#: Batches under way for each thread of a worker: what is there when one is done.
_AHEAD = 2
#: Between two looks at signals, in seconds.
_LOOK = 0.2
#: Name of the span of submissions, apart from those of others who use the scheduler.
_SPAN = "airpath"
#: Batches after which the scheduler gives back the memory that it keeps for each.
_KEPT = 500
#: How long the scheduler may be out of reach, in seconds.
_PATIENCE = 10.0


#: A record in the store: the SHA-256 of its JSON, and the JSON.
_RECORD = '{"sha256":"%s","record":%s}'
#: Location of the JSON in it.
_JSON = slice(86, -1)


class _Damaged(InputError):
    """A record of the store is not the one that was written."""

    def __init__(self, path: str) -> None:
        fault = "is damaged: its SHA-256 is not that of its record"
        super().__init__(
            f"{path} {fault}; remove it and its run is made again, or read it all the same with "
            "unchecked=True"
        )
        self.damaged = (path, fault)


class Work(NamedTuple):
    """What a worker needs to know of a campaign."""

    build: str
    source: _Source
    vary: tuple[str, ...]
    runs: int | None
    store: str | None


class _Source(NamedTuple):
    """A scenario as the module takes it, hashable."""

    name: str
    text: str
    folder: str
    overrides: tuple[str, ...]


class _Listed:
    """A scenario with a list of overrides, as the module wants it."""

    def __init__(self, source: _Source) -> None:
        self.name, self.text, self.folder = source.name, source.text, source.folder
        self.overrides = list(source.overrides)


@functools.lru_cache(maxsize=4)
def _plan(work: Work) -> _airpath.Plan:
    return _airpath.Plan(_Listed(work.source), list(work.vary), work.runs)


def make(work: Work, tasks: Sequence[tuple[int, Task]]) -> tuple[float, list[tuple[int, bool, str | None]]]:
    """Makes a batch of runs on a worker: how long it took, and what each came to. What is stored is
    not given back."""
    if work.build != _airpath.BUILD:
        raise InputError(
            f"{_here()} has another build of airpath: {_airpath.BUILD}, and the campaign "
            f"{work.build}; install the same on all"
        )
    try:
        plan = _plan(work)
    except InputError as error:
        raise InputError(f"{_here()} cannot read the campaign: {error}") from None
    begun = time.monotonic()
    made: list[tuple[int, bool, str | None]] = []
    for place, (arm, seed) in tasks:
        whole, text = plan.make(arm, seed)
        if whole and work.store is not None:
            record = _RECORD % (_sum(text), text)
            _keep(_path(work.store, plan.keys()[arm], seed), record)
            made.append((place, True, None))
        else:
            made.append((place, whole, text))
    return time.monotonic() - begun, made


def _here() -> str:
    from distributed import get_worker

    return f"the worker at {get_worker().address}"


def _path(store: str, key: str, seed: int) -> str:
    return f"{store.rstrip('/')}/{_airpath.BUILD[:12]}-{key}-{seed}.json"


def _keep(path: str, text: str) -> None:
    """Writes a record to the store; whatever is wrong with that names the worker and the place."""
    try:
        _write(path, text)
    except Exception as error:  # each file system has its own
        raise InputError(f"{_here()} cannot write {path}: {_why(error)}") from None


def _kept(path: str, unchecked: bool) -> str | None:
    """A record from the store, seen from here; none if it is not there."""
    try:
        content = _read(path)
    except Exception as error:
        raise InputError(f"{path} cannot be read from here: {_why(error)}") from error
    if content is None:
        return None
    text = content.decode(errors="replace")
    if not unchecked and _RECORD % (_sum(text[_JSON]), text[_JSON]) != text:
        raise _Damaged(path)
    return text[_JSON]


def _sum(record: str) -> str:
    return hashlib.sha256(record.encode()).hexdigest()


def _why(error: Exception) -> str:
    """What an error says; some have no words but their name."""
    return str(error) or type(error).__name__


def _write(path: str, text: str) -> None:
    """Written beside and moved, so that what is there is whole; object stores write whole."""
    import fsspec

    system, name = fsspec.core.url_to_fs(path)
    if "file" in (system.protocol if isinstance(system.protocol, tuple) else (system.protocol,)):
        system.makedirs(name.rsplit("/", 1)[0], exist_ok=True)
        beside = f"{name}.{time.time_ns():x}.part"
        system.pipe_file(beside, text.encode())
        system.mv(beside, name)
    else:
        system.pipe_file(name, text.encode())


def _read(path: str) -> bytes | None:
    import fsspec

    system, name = fsspec.core.url_to_fs(path)
    try:
        content: bytes = system.cat_file(name)
    except FileNotFoundError:
        return None
    return content


def _forget() -> Callable[..., None]:
    """Frees what Dask's scheduler keeps for each submission as long as it lives: a line in the record of the
    span, and its name in a cache. The inner function travels as code: a scheduler may lack airpath."""

    def forget(dask_scheduler: Any) -> None:
        from dask.utils import key_split

        key_split.cache_clear()
        for span in dask_scheduler.extensions["spans"].spans.values():
            if span.name[-1] == _SPAN and span.metadata is not None:
                del span.metadata["collections"][1:]

    return forget


class Farm:
    """Makes runs on the workers of a client."""

    def __init__(self, client: Client, work: Work, unchecked: bool) -> None:
        self._client = client
        self._work = work
        self._unchecked = unchecked
        self._asked = 0.0
        self._known: int | None = None
        self._sent = 0

    def __call__(self, tasks: Sequence[Task]) -> Iterator[Made | None]:
        waiting = [(place, (arm, seed)) for place, (arm, seed) in enumerate(tasks)]
        if self._work.store is not None:
            waiting = yield from self._stored(waiting)
        yield from self._make(waiting)

    def _stored(
        self, tasks: list[tuple[int, Task]]
    ) -> Generator[Made | None, None, list[tuple[int, Task]]]:
        """What an earlier call had made; returns the rest."""
        keys = _plan(self._work).keys()
        left = []
        for place, (arm, seed) in tasks:
            text = _kept(_path(self._work.store or "", keys[arm], seed), self._unchecked)
            if text is None:
                left.append((place, (arm, seed)))
            else:
                yield place, True, text
        return left

    def _make(self, waiting: list[tuple[int, Task]]) -> Iterator[Made | None]:
        waiting.reverse()  # taken from the end
        batches: dict[Future, list[tuple[int, Task]]] = {}
        ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
        pace, waits = _Pace(), _Patience()
        try:
            while waiting or batches:
                threads = self._threads()
                if threads is None or self._client.status != "running":
                    if waits.for_scheduler():
                        raise self._gone()
                elif threads == 0:
                    if waits.for_workers():
                        warnings.warn(
                            f"Dask's scheduler at {self._address()} has no workers: the sweep waits "
                            "for them",
                            stacklevel=2,
                        )
                else:
                    waits.over()
                    while waiting and len(batches) < threads * (1 + _AHEAD):
                        size = pace.size(len(waiting), threads)
                        batch = [waiting.pop() for _ in range(size)]
                        future = self._submit(batch)
                        batches[future] = batch
                        future.add_done_callback(ended.put)
                try:
                    future = ended.get(timeout=_LOOK)
                except queue.Empty:
                    yield None
                    continue
                yield from self._take(future, batches.pop(future), waiting, pace)
        finally:
            if self._client.status == "running":  # else it would wait for the scheduler
                self._client.cancel(list(batches))

    def _submit(self, batch: list[tuple[int, Task]]) -> Future:
        import distributed

        self._sent += 1
        if self._sent % _KEPT == 0:
            with contextlib.suppress(Exception):  # another Dask keeps other things: it grows, no more
                self._client.run_on_scheduler(_forget())
        with distributed.span(_SPAN):
            return self._client.submit(make, self._work, batch, pure=False)

    def _take(
        self, future: Future, batch: list[tuple[int, Task]], waiting: list[tuple[int, Task]], pace: _Pace
    ) -> Iterator[Made | None]:
        from distributed import KilledWorker

        if future.status in ("cancelled", "lost"):
            waiting.extend(reversed(batch))
            yield None
            return
        try:
            took, made = future.result(timeout=_PATIENCE)
        except KilledWorker as error:
            if len(batch) > 1:  # one of them may be the cause
                pace.single()
                waiting.extend(reversed(batch))
                return
            yield batch[0][0], False, f"every worker that made it died: {error}"
            return
        except (InputError, RunError):
            raise
        except ModuleNotFoundError as error:
            raise InputError(f"a worker lacks {error.name}: install airpath on all workers") from error
        except OSError as error:
            raise self._gone() from error
        pace.saw(took, len(batch))
        yield from self._fetched(made, dict(batch))

    def _fetched(
        self, made: list[tuple[int, bool, str | None]], tasks: dict[int, Task]
    ) -> Iterator[Made]:
        for place, whole, text in made:
            if text is None:
                arm, seed = tasks[place]
                path = _path(self._work.store or "", _plan(self._work).keys()[arm], seed)
                text = _kept(path, self._unchecked)
                if text is None:
                    raise RunError(f"a worker wrote {path}, which cannot be seen from here")
            yield place, whole, text

    def _threads(self) -> int | None:
        """Of all workers; None if the scheduler does not answer. Asked once a second."""
        now = time.monotonic()
        if now >= self._asked + 1.0:
            self._asked = now
            try:
                ask = self._client.scheduler.ncores
                self._known = sum(self._client.sync(ask, callback_timeout=2).values())
            except Exception:  # whatever it is that is broken
                self._known = None
        return self._known

    def _address(self) -> str:
        return str(getattr(self._client.scheduler, "address", "an unknown address"))

    def _gone(self) -> RunError:
        return RunError(
            f"Dask's scheduler at {self._address()} has been out of reach for {_PATIENCE:.0f} s; "
            "finished runs are kept where the sweep has its folder, and the same call goes on"
        )


class _Patience:
    """How long there was nobody to make runs."""

    def __init__(self) -> None:
        self._scheduler = self._workers = time.monotonic()
        self._said = False

    def over(self) -> None:
        """Workers are there."""
        self._scheduler = self._workers = time.monotonic()
        self._said = False

    def for_scheduler(self) -> bool:
        """The scheduler is out of reach: whether that is too long."""
        return time.monotonic() - self._scheduler > _PATIENCE

    def for_workers(self) -> bool:
        """The scheduler has no workers, which may come later: whether to say so, which is once."""
        self._scheduler = time.monotonic()
        if self._said or time.monotonic() - self._workers <= _PATIENCE:
            return False
        self._said = True
        return True


class _Pace:
    """How many runs a batch has, from how long they take."""

    def __init__(self) -> None:
        self._seconds: float | None = None
        self._most = 10_000

    def saw(self, seconds: float, runs: int) -> None:
        """A batch took so long. Old ones count less and less."""
        one = seconds / runs
        self._seconds = one if self._seconds is None else 0.7 * self._seconds + 0.3 * one

    def single(self) -> None:
        """From now on each run is a batch, so that one that kills its worker is found."""
        self._most = 1

    def size(self, left: int, threads: int) -> int:
        """Runs of the next batch: a few seconds of them, and at the end equal parts."""
        if self._seconds is None:
            return 1
        by_time = int(_BATCH / max(self._seconds, 1e-6))
        part = -(-left // (2 * threads))
        return max(1, min(by_time, part, self._most, left))


def client_of(client: Any) -> tuple[Client, bool]:
    """A client, or that of the scheduler at an address; whether it was made here."""
    try:
        import distributed.comm
    except ImportError as error:
        raise InputError(
            "campaigns on a cluster need Dask: pip install distributed fsspec"
        ) from error
    kind: Any = distributed.Client
    comm: Any = distributed.comm
    if isinstance(client, distributed.Client):
        return client, False
    if not isinstance(client, str):
        raise TypeError(f"client is a distributed.Client or the address of a scheduler, not {client!r}")
    try:
        # A client of an address that cannot be one stays half made, and its end takes 20 s.
        comm.get_address_host_port(client, strict=False)
        return kind(client, timeout=_PATIENCE, set_as_default=False), True
    except (OSError, ValueError) as error:
        raise InputError(f"no scheduler of Dask answers at {client}: {error}") from error


def connected(
    stack: contextlib.ExitStack, client: Client | str | None, store: str | None
) -> Client | None:
    """A client, closed with the stack if it was made here; none without one. Only its workers have a store."""
    if client is None:
        if store is not None:
            raise InputError("store is where workers of a client write: name a client, or leave it out")
        return None
    found, ours = client_of(client)
    if ours:
        stack.callback(found.close, timeout=1)
    return found


def listed(name: str, text: str, folder: str, overrides: list[str]) -> _Listed:
    """A scenario as the program knows it."""
    return _Listed(_Source(name, text, folder, tuple(overrides)))


def farm(
    client: Client,
    source: Any,
    vary: list[str],
    runs: int | None,
    store: str | None,
    unchecked: bool = False,
) -> Farm:
    """What makes the runs of a campaign."""
    hashable = _Source(source.name, source.text, source.folder, tuple(source.overrides))
    return Farm(client, Work(_airpath.BUILD, hashable, tuple(vary), runs, store), unchecked)
