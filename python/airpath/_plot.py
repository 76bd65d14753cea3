"""Charts of results, as the program draws them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from airpath import _airpath
from airpath._errors import InputError

if TYPE_CHECKING:
    import altair


@dataclass(frozen=True)
class Chart:
    """A chart, as results have it where Altair is not installed.

    Notebooks show it. ``svg`` is its picture, ``vega_lite`` its specification, ``sentence`` its
    content in words.
    """

    sentence: str
    vega_lite: dict[str, Any]
    svg: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture (``.svg``), or the specification (``.json``)."""
        path = Path(path)
        texts = {".svg": self.svg, ".json": json.dumps(self.vega_lite)}
        if path.suffix not in texts:
            raise InputError(f"{path}: a chart is saved as .svg or .json; other formats need Altair")
        path.write_text(texts[path.suffix], encoding="utf-8")

    def __repr__(self) -> str:
        return f"<airpath.Chart: {self.sentence}>"

    def _repr_mimebundle_(self, *_: Any, **__: Any) -> dict[str, Any]:
        version = self.vega_lite["$schema"].split("/")[-1].split(".")[0]
        bundle = {f"application/vnd.vegalite.{version}+json": self.vega_lite}
        return {**bundle, "image/svg+xml": self.svg, "text/plain": self.sentence}


class _Kind(Protocol):
    def __call__(self, of: str | None = None) -> altair.TopLevelMixin: ...


class Plot:
    """Charts of results: each a method, named as ``airpath plot --what`` has it.

    ``queue_delay``, ``queue``, ``rate``, ``arrivals``, ``cwnd``, ``in_flight``, ``rtt``, ``buffer``,
    ``resource_blocks``, ``marks``, ``cdf``, ``stages``, ``metric``, ``heat``, ``rate_delay`` and ``map``. Some take ``of``, the metric or
    measure that they are about. A chart is Altair's, of the same description as the program's. Without
    Altair it is a :class:`Chart`.

    Raises :class:`InputError` if the results do not have what it needs; the message names the key
    of the scenario that records it.

    >>> import airpath
    >>> cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
    >>> results = airpath.run(cell.set("output.series", "100 ms"))
    >>> chart = results.plot.queue_delay()
    >>> results.plot.svg("stages").startswith("<svg")
    True
    """

    def __init__(
        self,
        folders: list[tuple[str, str | None]],
        of: object = None,
        unchecked: bool = False,
    ) -> None:
        self._folders = folders
        self._unchecked = unchecked
        # Folders that are gone with their results must stay as long as this does.
        self._of = of

    def chart(self, what: str, of: str | None = None) -> altair.TopLevelMixin:
        """The chart of this name; a :class:`Chart` without Altair.

        Notebooks get it as Vega-Lite and as a static picture, and show what they can: neither takes
        a network. A chart that was changed, or made under another renderer of Altair's, is shown as
        Altair does.
        """
        return _altair(*self._made(what, of)[1:])

    def vega_lite(self, what: str, of: str | None = None) -> dict[str, Any]:
        """The chart as a Vega-Lite specification, for which nothing is needed."""
        specification: dict[str, Any] = json.loads(self._made(what, of)[2])
        return specification

    def svg(self, what: str, of: str | None = None) -> str:
        """The chart as a static picture (SVG)."""
        return self._made(what, of)[3]

    def sentence(self, what: str, of: str | None = None) -> str:
        """What it shows, in a sentence."""
        return self._made(what, of)[1]

    def all(self) -> list[altair.TopLevelMixin]:
        """Every chart that the results allow."""
        made = _airpath.charts(self._folders, None, None, self._unchecked)
        return [_altair(*one[1:]) for one in made]

    def _made(self, what: str, of: str | None) -> tuple[str, str, str, str]:
        if not isinstance(what, str) or not isinstance(of, str | None):
            raise TypeError(f"charts and what they are of have names, not {what!r}, {of!r}")
        return _airpath.charts(self._folders, what.replace("_", "-"), of, self._unchecked)[0]

    def __getattr__(self, name: str) -> _Kind:
        if name.startswith("_"):
            raise AttributeError(name)
        if name.replace("_", "-") not in charts():
            known = ", ".join(one.replace("-", "_") for one in charts())
            raise AttributeError(f"there is no chart {name!r}: there are {known}")

        def kind(of: str | None = None) -> altair.TopLevelMixin:
            return self.chart(name, of)

        kind.__name__ = name
        kind.__doc__ = charts()[name.replace("_", "-")]
        return kind

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("charts are drawn from folders of this process: pickle the results, and take their plot")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name.replace("-", "_") for name in charts())]

    def __repr__(self) -> str:
        lines = [f"{name.replace('-', '_'):16} {shows}" for name, shows in charts().items()]
        return "\n".join(lines)


def charts() -> dict[str, str]:
    """Names of charts, each with what it shows."""
    return dict(_airpath.chart_names())


def plot(*results: object, unchecked: bool = False, **named: object) -> Plot:
    """Charts of results side by side: each a :class:`Run`, a :class:`Sweep`, or a folder.

    A folder may be ``DIR:ARM`` for an arm of a campaign. What is given with a name is called so:
    ``airpath.plot(cubic=one, prague=other).cdf()``. Folders are called as they are, and runs that
    have none by their number. With ``unchecked`` folders with a damaged file are read.

    >>> import airpath
    >>> cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
    >>> slow, fast = airpath.run(cell), airpath.run(cell.set("path.s1.rate", "20 Mbit/s"))
    >>> airpath.plot(slow=slow, fast=fast).sentence("stages").split(":")[0]
    'A packet of fast'
    """
    if not results and not named:
        raise InputError("name what to plot: results, or their folders")
    unnamed = [(_folder(one), _number(one, place)) for place, one in enumerate(results, 1)]
    folders = unnamed + [(_folder(one), name) for name, one in named.items()]
    return Plot(folders, (results, named), unchecked)


def _folder(one: object) -> str:
    from airpath._campaign import Sweep
    from airpath._run import Run

    return str(one._written()) if isinstance(one, (Run, Sweep)) else str(one)


def _number(one: object, place: int) -> str | None:
    """What is called by its place: what has no folder of its own."""
    from airpath._campaign import Sweep
    from airpath._run import Run

    return f"run {place}" if isinstance(one, (Run, Sweep)) and one.folder is None else None


def _altair(sentence: str, specification: str, svg: str) -> altair.TopLevelMixin:
    """A specification as Altair has it: a class for each way to put charts together."""
    whole = json.loads(specification)
    made = Chart(sentence, whole, svg)
    if find_spec("altair") is None:
        plain: Any = made
        return plain  # type: ignore[no-any-return]
    import altair

    classes: dict[str, Any] = {
        "vconcat": altair.VConcatChart,
        "hconcat": altair.HConcatChart,
        "concat": altair.ConcatChart,
        "layer": altair.LayerChart,
        "facet": altair.FacetChart,
    }
    kind: Any = next((own for key, own in classes.items() if key in whole), altair.Chart)
    chart: altair.TopLevelMixin = _made_of(kind, whole)
    before = _content(chart)

    def shown(*args: Any, **keys: Any) -> Any:
        if altair.renderers.active != "default" or _content(chart) != before:
            return kind._repr_mimebundle_(chart, *args, **keys)
        return made._repr_mimebundle_()

    # An attribute of this object alone: copies, which differ, are shown by Altair.
    object.__setattr__(chart, "_repr_mimebundle_", shown)
    return chart


def _made_of(kind: Any, whole: Mapping[str, Any]) -> altair.TopLevelMixin:
    """Altair finds the class of each object by checking it against what it may be, which takes
    seconds for rows of data: they are put in as they are."""
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        chart = kind.from_dict({k: v for k, v in whole.items() if k != "data"}, validate=False)
    if "data" in whole:
        chart["data"] = whole["data"]
    made: altair.TopLevelMixin = chart
    return made


def _content(chart: altair.TopLevelMixin) -> Any:
    made: Any = chart
    return made.to_dict(validate=False)
