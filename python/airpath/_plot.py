"""Charts of results, as the program draws them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

from airpath import _airpath
from airpath._errors import InputError

if TYPE_CHECKING:
    import altair


class _Kind(Protocol):
    def __call__(self, of: str | None = None) -> altair.TopLevelMixin: ...


class Plot:
    """Charts of results: each a method, named as ``airpath plot --what`` has it.

    ``queue_delay``, ``queue``, ``rate``, ``arrivals``, ``cwnd``, ``in_flight``, ``rtt``, ``buffer``,
    ``resource_blocks``, ``marks``, ``cdf``, ``stages``, ``metric``, ``heat``, ``rate_delay`` and ``map``. Some take ``of``, the metric or
    measure that they are about. A chart is Altair's, of the same description as the program's.

    Raises :class:`InputError` if the results do not have what it needs; the message names the key
    of the scenario that records it.

    >>> import airpath
    >>> cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
    >>> results = airpath.run(cell.set("output.series", "100 ms"))
    >>> chart = results.plot.queue_delay()
    >>> results.plot.svg("stages").startswith("<svg")
    True
    """

    def __init__(self, folders: list[str], of: object = None) -> None:
        self._folders = folders
        # Folders that are gone with their results must stay as long as this does.
        self._of = of

    def chart(self, what: str, of: str | None = None) -> altair.TopLevelMixin:
        """The chart of this name. Needs Altair."""
        return _altair(self.vega_lite(what, of))

    def vega_lite(self, what: str, of: str | None = None) -> dict[str, Any]:
        """The same as a Vega-Lite specification, for which nothing is needed."""
        specification: dict[str, Any] = json.loads(self._made(what, of)[2])
        return specification

    def svg(self, what: str, of: str | None = None) -> str:
        """The same as a static picture (SVG)."""
        return self._made(what, of)[3]

    def sentence(self, what: str, of: str | None = None) -> str:
        """What it shows, in a sentence."""
        return self._made(what, of)[1]

    def all(self) -> list[altair.TopLevelMixin]:
        """Every chart that the results allow. Needs Altair."""
        made = _airpath.charts(self._folders, None, None)
        return [_altair(json.loads(one[2])) for one in made]

    def _made(self, what: str, of: str | None) -> tuple[str, str, str, str]:
        if not isinstance(what, str) or not isinstance(of, str | None):
            raise TypeError(f"charts and what they are of have names, not {what!r}, {of!r}")
        return _airpath.charts(self._folders, what.replace("_", "-"), of)[0]

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

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name.replace("-", "_") for name in charts())]

    def __repr__(self) -> str:
        lines = [f"{name.replace('-', '_'):16} {shows}" for name, shows in charts().items()]
        return "\n".join(lines)


def charts() -> dict[str, str]:
    """Names of charts, each with what it shows."""
    return dict(_airpath.chart_names())


def plot(*folders: object) -> Plot:
    """Charts of results folders side by side: of runs, of campaigns, and ``DIR:ARM``.

    Also of :class:`Run` and :class:`Sweep` themselves.
    """
    from airpath._campaign import Sweep
    from airpath._run import Run

    if not folders:
        raise InputError("name what to plot: results, or their folders")
    names = []
    for one in folders:
        names.append(str(one._written()) if isinstance(one, (Run, Sweep)) else str(one))
    return Plot(names, folders)


def _altair(specification: dict[str, Any]) -> altair.TopLevelMixin:
    """A specification as Altair has it: a class for each way to put charts together."""
    import altair

    classes: dict[str, Any] = {
        "vconcat": altair.VConcatChart,
        "hconcat": altair.HConcatChart,
        "concat": altair.ConcatChart,
        "layer": altair.LayerChart,
        "facet": altair.FacetChart,
    }
    kind: Any = next((made for key, made in classes.items() if key in specification), altair.Chart)
    chart: altair.TopLevelMixin = kind.from_dict(specification, validate=False)
    return chart
