"""The program ``airpath``, from the same module."""

from __future__ import annotations

import signal
import sys
from typing import Any


def main() -> int:
    """Runs the program with the arguments of this process; gives its exit code."""
    from airpath import _airpath
    from airpath._data import announce

    announce()
    # Signals are the program's own: it ends a run at Ctrl-C and writes what there is.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    again = [sys.executable, "-m", "airpath"]
    return _airpath.main(["airpath", *sys.argv[1:]], again, _connect, _controller)


def _connect(
    address: str,
    store: str | None,
    source: tuple[str, str, str, list[str]],
    vary: list[str],
    runs: int | None,
    unchecked: bool,
) -> Any:
    """What makes the runs of ``airpath sweep --dask ADDRESS``."""
    from airpath._cluster import client_of, farm, listed

    client, _ = client_of(address)
    return farm(client, listed(*source), vary, runs, store, unchecked)


def _controller(text: str) -> Any:
    """The controller of ``airpath evaluate FILE.py:CLASS``."""
    from airpath._evaluate import from_file, given

    return given(None, from_file(text))
