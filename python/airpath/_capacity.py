"""Capacity: the largest number of users of whom enough are satisfied."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any, NamedTuple

from airpath import _airpath
from airpath._cluster import Client, connected, farm
from airpath._errors import InputError
from airpath._progress import Bar, Progress
from airpath._run import given, number, path
from airpath._scenario import Scenario, _Source


class _Question(NamedTuple):
    satisfied: str
    users: str
    of: float
    most: int
    seeds: int
    most_seeds: int


def capacity(
    scenario: Scenario | str | os.PathLike[str],
    satisfied: str,
    users: str,
    *,
    of: float = 0.9,
    most: int = 64,
    seeds: int = 8,
    most_seeds: int | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: bool | Progress | None = None,
    client: Client | str | None = None,
    store: str | None = None,
    unchecked: bool = False,
) -> dict[str, Any]:
    """Finds the largest number of users a cell of whom ``of`` are satisfied.

    ``users`` names a group of UEs, as ``ue.xr``. ``satisfied`` has the criteria of a satisfied UE,
    which each of its streams meets: ``share within 10 ms >= 99%``, or a measure of users and a value,
    with ``and`` between several. A search by bisection makes runs of each number with the same seeds,
    at first ``seeds``, then up to ``most_seeds`` (by default four times as many), until half of the
    95% interval is at most 5%. ``most`` is the largest number of users a cell that is tried.

    The answer is that of ``airpath capacity --json`` (docs/xr.md): ``users_per_cell`` and ``ending``,
    the interval from ``low`` to ``high``, and all ``points``. With ``out`` the runs stay in that
    folder, and a later call goes on with them. ``jobs``, ``client``, ``store`` and ``unchecked`` are
    as of :func:`sweep`.

    Raises :class:`ScenarioError`, :class:`InputError`, :class:`RunError`; Ctrl-C raises
    :class:`Interrupted`.

    >>> import airpath
    >>> wire = airpath.Scenario.from_template("xr-vr").set("duration", "1 s")
    >>> airpath.capacity(wire, "share within 10 ms >= 99%", "ue.glasses")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ...
    airpath.InputError: there is no group of UEs `glasses`: groups are xr, other
    """
    scenario = given(scenario)
    if not 0 < of <= 1:
        raise InputError(f"of is a share above 0, up to 1, not {of!r}")
    first = number("seeds", seeds, 2) or 8
    last = number("most_seeds", most_seeds, 2) or 4 * first
    question = _Question(satisfied, users, of, number("most", most, 1) or 64, first, last)
    source = scenario._source()
    with contextlib.ExitStack() as stack:
        workers = connected(stack, client, store)

        def lend(overrides: list[str], axes: list[str]) -> Any:
            whole = _Source(source.name, source.text, source.folder, overrides)
            return workers and farm(workers, whole, axes, None, path("store", store), unchecked)

        bar = stack.enter_context(Bar(progress, "runs"))
        jobs, connect = number("jobs", jobs, 1), lend if workers else None
        found = _airpath.capacity(source, question, path("out", out), jobs, bar.call, connect)
    answer: dict[str, Any] = json.loads(found)
    return answer
