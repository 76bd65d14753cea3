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


def test_the_stages_of_a_dropped_packet_add_up_to_its_age() -> None:
    cell = airpath.Scenario(
        """
        duration = "3 s"
        path.sgi = { delay = "5 ms" }
        cell = { resource_blocks = 6 }
        ue = [{ name = "phone", snr = "10 dB" }]
        bearer = [{ name = "data", default = true, queue = "20 packets", uplink_queue = "20 packets" }]
        flow = [
            { name = "down", kind = "rtp", direction = "down", rtp = { payload = "1000 B", interval = "2 ms" } },
            { name = "up", kind = "rtp", direction = "up", rtp = { payload = "1000 B", interval = "2 ms" } },
        ]
        output.packets = true
        """
    )
    run = airpath.run(cell)
    packets = run.packets
    stages = [name for name in packets.columns if name.endswith("_ns") and name not in ("born_ns", "ended_ns")]
    assert len(stages) == 13
    spent = [sum(row) for row in zip(*(packets[name] for name in stages))]
    assert spent == [end - born for born, end in zip(packets["born_ns"], packets["ended_ns"])]
    lost = {
        (flow, node)
        for flow, node, cause in zip(packets["flow"], packets["node"], packets["dropped"])
        if cause is not None
    }
    assert lost == {("down", "cell"), ("up", "phone")}
    # The table of flows says the same in the mean.
    for flow in ("down", "up"):
        own = [
            time / 1e6
            for time, name, cause in zip(spent, packets["flow"], packets["dropped"])
            if name == flow and cause is not None
        ]
        row = run.flows["name"].index(flow)
        means = [run.flows["lost_" + name.replace("_ns", "_ms")][row] for name in stages]
        assert abs(sum(means) - sum(own) / len(own)) < 1e-6


def test_packets_that_a_sender_declared_lost_are_in_flows_of_media(recorded: airpath.Run) -> None:
    # A short queue drops packets in order, so none of those declared lost arrives.
    game = airpath.Scenario.from_template("remote-control").set("duration", "3 s")
    flows = airpath.run(game.set("bearer.game.queue", "20 packets")).flows
    table = flows.to_polars()
    declared, arrived = table["declared_lost_packets"], table["declared_lost_arrived_packets"]
    assert declared.sum() > 0 and arrived.sum() == 0
    assert declared.null_count() == arrived.null_count() > 0
    assert flows.units["declared_lost_packets"] == "packets"
    assert "declared_lost_packets" not in recorded.flows.columns
