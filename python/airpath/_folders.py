"""Folders of results: those that are gone with their owner, and contents for another process."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path

#: Names of what a copy leaves out: measured times, captures and their profile, and pages.
_LEFT_OUT = ("timing.json", "wireshark/*", "*.pcapng", "*.html")


class Temporary:
    """A folder that is gone with its owner, or as Python ends."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="airpath-")
        weakref.finalize(self, _remove, self.name, os.getpid())


def _remove(folder: str, owner: int) -> None:
    """Removes a folder, unless a fork of the process does so whose folder it is."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def packed(folder: Path) -> list[tuple[str, bytes]]:
    """Files of a results folder by name, for a copy in another process."""
    files = ((file.relative_to(folder), file) for file in sorted(folder.rglob("*")) if file.is_file())
    kept = (one for one in files if not any(one[0].match(left) for left in _LEFT_OUT))
    return [(name.as_posix(), file.read_bytes()) for name, file in kept]


def unpacked(files: Sequence[tuple[str, bytes]]) -> tuple[Path, Temporary]:
    """A folder with such files, and its owner."""
    temporary = Temporary()
    folder = Path(temporary.name) / "results"
    for name, content in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder, temporary
