"""Tables as they are handed out."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airpath import _airpath
from airpath._errors import InputError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: Rows and columns that a notebook shows.
_ROWS, _COLUMNS = 10, 14


class Frame:
    """A table with named columns, handed out through Arrow's PyCapsule interface.

    ``polars.DataFrame(frame)``, ``pyarrow.table(frame)``, ``pandas.DataFrame.from_arrow(frame)``
    and DuckDB (``FROM frame``) take it without a copy. A missing value is null. Names of columns
    end with their unit (``_ms``, ``_bps``), which is also in the metadata of their fields.

    >>> import airpath
    >>> run = airpath.run(airpath.Scenario.from_template("lte-6rb").set("duration", "2 s"))
    >>> run.flows.columns[:3]
    ['name', 'kind', 'ue']
    >>> run.flows["name"]
    ['download', 'voice']
    >>> run.flows.units["goodput_bps"]
    'bit/s'
    """

    def __init__(self, native: _airpath.Frame) -> None:
        self._native = native
        self._fields = native.fields

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return [name for name, _, _ in self._fields]

    @property
    def units(self) -> dict[str, str]:
        """Unit by column; columns without one are left out."""
        return {name: unit for name, unit, _ in self._fields if unit}

    @property
    def meanings(self) -> dict[str, str]:
        """What the values of each column say, where that is known."""
        return {name: meaning for name, _, meaning in self._fields if meaning}

    @property
    def description(self) -> str:
        """What a row is."""
        return self._native.description

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self), len(self._fields)

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        return self._native.nbytes

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, column: str) -> list[Any]:
        """Values of a column as Python's; ``None`` where there is none.

        Raises :class:`InputError` if there is no such column.
        """
        if column not in self.columns:
            raise InputError(f"there is no column {column!r}: there are {', '.join(self.columns)}")
        return self._native.values(column, 0, len(self))

    def rows(self, start: int = 0, end: int | None = None) -> Iterator[dict[str, Any]]:
        """Rows from one number to another, each a dictionary."""
        end = len(self) if end is None else min(end, len(self))
        columns = [self._native.values(name, start, end) for name in self.columns]
        for values in zip(*columns, strict=True):
            yield dict(zip(self.columns, values, strict=True))

    def to_arrow(self) -> pyarrow.Table:
        """The table as pyarrow's, without a copy. Needs pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as pandas'. Needs pandas and pyarrow."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The table as Polars'. Needs Polars."""
        import polars

        return polars.DataFrame(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.description, _airpath.columns_kept(self._native))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __repr__(self) -> str:
        rows, columns = self.shape
        names = ", ".join(self.columns[:_COLUMNS]) + (", …" if columns > _COLUMNS else "")
        return f"<airpath.Frame of {rows} rows, {columns} columns: {names}>"

    def _repr_html_(self) -> str:
        rows, columns = self.shape
        shown = self.columns[:_COLUMNS]
        # A column that says nothing in the rows that are shown is left to whoever asks for it.
        head = {name: self._native.values(name, 0, _ROWS) for name in self.columns}
        said = [name for name in head if any(value is not None for value in head[name])]
        shown = said[:_COLUMNS] or shown
        title = "".join(f'<th title="{html.escape(self.meanings.get(n, ""))}">{html.escape(n)}</th>' for n in shown)
        cells = zip(*(head[name] for name in shown), strict=True)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(value))}</td>" for value in row) + "</tr>"
            for row in cells
        )
        about = f"{rows} rows, {columns} columns" + (f": {self.description}" if self.description else "")
        return f"<table><thead><tr>{title}</tr></thead><tbody>{body}</tbody></table><p>{html.escape(about)}</p>"


def _restored(description: str, columns: list[Any]) -> Frame:
    """A table that came from another process."""
    return Frame(_airpath.frame_of_kept(description, columns))


def _shown(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
