"""Exceptions of the package. Each message says what is wrong, where, and what is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from airpath._run import Run


class AirpathError(Exception):
    """Whatever airpath refuses or cannot do."""


class InputError(AirpathError, ValueError):
    """What was given is wrong: a name, a folder, an option."""


class Problem(NamedTuple):
    """One thing that is wrong with a scenario."""

    position: str | None
    """The file or override and the line, as ``cell.toml:12``."""
    message: str
    """What is wrong, with the key."""
    allowed: str | None
    """What is allowed instead."""


class ScenarioError(InputError):
    """A scenario has mistakes. Its text has one line for each, as the program's."""

    def __init__(
        self,
        message: str,
        problems: list[tuple[str | None, str, str | None]] | None = None,
        report: str = "",
    ) -> None:
        super().__init__(message)
        self.problems: list[Problem] = [Problem(*problem) for problem in problems or []]
        """The mistakes, at least one."""
        self.report = report or message
        """The mistakes as the program prints it, with the lines of the file."""


class RunError(AirpathError, RuntimeError):
    """A run failed, or its results cannot be written."""


class PartError(AirpathError):
    """A part that is written in Python raised, or gave what cannot be. The message names the
    part, the method, and the simulated time; what it raised is ``__cause__``, with its traceback."""

    results: Run | None = None
    """What the run came to until then; none if it did not begin."""


class Interrupted(AirpathError, KeyboardInterrupt):
    """Ctrl-C, with what there is so far."""

    def __init__(self, message: str = "interrupted", results: Run | None = None) -> None:
        super().__init__(message)
        self.results = results
        """What the run came to until then; none of a campaign, whose finished runs are in its
        folder: the same call goes on."""
