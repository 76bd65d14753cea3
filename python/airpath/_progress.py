"""Progress of what takes long."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

#: What is told how far something is: ``progress(done, all)``.
Progress = Callable[[float, float], None]

#: Seconds before a bar appears.
_PATIENCE = 2.0


class Bar:
    """A bar of tqdm's that appears when something takes long."""

    def __init__(self, wanted: bool | Progress | None, unit: str) -> None:
        self._bar: Any = None
        self._unit = unit
        self._begun = time.monotonic()
        self.call: Progress | None = None
        if callable(wanted):
            self.call = wanted
        elif wanted is not None and not isinstance(wanted, bool):
            raise TypeError(f"progress is a function, True, False or None, not {wanted!r}")
        elif wanted or (wanted is None and _watched()):
            self.call = self._show if _tqdm() is not None else None

    def _show(self, done: float, all_: float) -> None:
        if all_ <= 0:
            return
        if self._bar is None and time.monotonic() - self._begun < _PATIENCE:
            return
        if self._bar is None:
            digits = "{n:.0f}/{total:.0f}" if self._unit == "runs" else "{n:.1f}/{total:.0f}"
            self._bar = _tqdm()(
                total=all_,
                leave=False,
                unit=self._unit,
                bar_format="{percentage:3.0f}% {bar} " + digits + " {unit}, {remaining} left",
            )
        self._bar.total = all_
        self._bar.n = done
        self._bar.refresh()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _tqdm() -> Any:
    try:
        with warnings.catch_warnings():
            # Without ipywidgets a notebook has a bar of text, which is no reason for a warning.
            warnings.filterwarnings("ignore", message="IProgress not found")
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


def _watched() -> bool:
    """Whether somebody looks: in a notebook, or at a terminal."""
    return "ipykernel" in sys.modules or sys.stderr.isatty()
