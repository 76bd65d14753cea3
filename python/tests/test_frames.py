"""Tables reach the libraries of the field, with their nulls and without a copy."""

from __future__ import annotations

import duckdb
import pandas
import polars
import pyarrow
import pytest

import airpath


def test_all_take_the_same(recorded: airpath.Run) -> None:
    for name in ("flows", "links", "bearers", "cells", "ues", "users", "series", "packets"):
        frame = recorded.table(name)
        arrow = pyarrow.table(frame)
        assert arrow.column_names == frame.columns
        assert arrow.num_rows == len(frame) > 0, name
        assert polars.DataFrame(frame).shape == frame.shape
        assert frame.to_pandas().shape == frame.shape
        assert pandas.DataFrame.from_arrow(frame).shape == frame.shape
        count = duckdb.sql("SELECT count(*) FROM frame").fetchall()
        assert count == [(len(frame),)]


def test_the_file_has_the_same(recorded: airpath.Run, tmp_path: object) -> None:
    folder = recorded.save(f"{tmp_path}/out")
    for name in ("flows", "links", "series", "packets", "users"):
        here = recorded.table(name).to_polars()
        file = polars.read_parquet(folder / f"{name}.parquet")
        texts = [column for column, kind in file.schema.items() if kind == polars.String]
        assert here.with_columns(polars.col(texts).cast(polars.String)).equals(file), name


def test_nulls_are_nulls(cell: airpath.Scenario) -> None:
    # A download that has not begun has no goodput, no delay and no end.
    results = airpath.run(cell.set("flow.download.start", "1.9999 s"))
    row = next(row for row in results.flows.rows() if row["name"] == "download")
    assert row["delay_mean_ms"] is None and row["finish_s"] is None
    frame = results.flows.to_polars().filter(polars.col("name") == "download")
    assert frame["delay_mean_ms"].is_null().all()
    arrow = results.flows.to_arrow()
    assert arrow["finish_s"].null_count == len(results.flows)
    assert not arrow.schema.field("name").nullable


def test_units_are_in_the_fields(recorded: airpath.Run) -> None:
    arrow = recorded.flows.to_arrow()
    assert arrow.schema.field("delay_mean_ms").metadata[b"unit"] == b"ms"
    assert b"arrival" in arrow.schema.field("delay_mean_ms").metadata[b"meaning"]
    assert arrow.schema.metadata[b"description"].startswith(b"A flow.")
    assert recorded.packets.units["born_ns"] == "ns"
    assert recorded.flows.description.startswith("A flow.")


def test_memory_is_shared_not_copied(recorded: airpath.Run) -> None:
    first, again = recorded.packets.to_arrow(), recorded.packets.to_arrow()
    assert len(first) > 100
    place = [table["born_ns"].chunk(0).buffers()[1].address for table in (first, again)]
    assert place[0] == place[1]
    here = polars.DataFrame(recorded.packets)["born_ns"].to_arrow().buffers()[1]
    assert here.address == place[0]


def test_a_table_outlives_its_run(cell: airpath.Scenario) -> None:
    arrow = airpath.run(cell).flows.to_arrow()
    assert arrow["name"].to_pylist() == ["download", "voice"]


def test_the_schema_is_handed_out_alone(recorded: airpath.Run) -> None:
    assert pyarrow.schema(recorded.flows) == recorded.flows.to_arrow().schema


def test_values_are_pythons(recorded: airpath.Run) -> None:
    assert recorded.packets["flow"] == recorded.packets.to_arrow()["flow"].to_pylist()
    assert recorded.packets["delivered"] == recorded.packets.to_arrow()["delivered"].to_pylist()
    with pytest.raises(airpath.InputError, match="there are name"):
        recorded.flows["nothing"]
    with pytest.raises(airpath.InputError, match="there are flows"):
        recorded.table("nothing")


def test_a_notebook_shows_rows(recorded: airpath.Run) -> None:
    shown = recorded.flows._repr_html_()
    assert "<td>download</td>" in shown and "2 rows" in shown
    assert "airpath.Frame of 2 rows" in repr(recorded.flows)
