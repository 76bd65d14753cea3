"""Copies of results and scenarios: in this process, in another one, and in forks."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import polars
import pyarrow
import pytest

import airpath
from airpath import _airpath
from airpath._run import TABLES

VARY = {"path.sgi.delay": ["5 ms", "20 ms"]}


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def files(folder: Path) -> dict[str, bytes]:
    every = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in every}


def python(script: str, *arguments: str, flags: tuple[str, ...] = ()) -> str:
    """What a script prints in a process of its own, where a warning of a resource is an error."""
    command = [sys.executable, "-W", "error::ResourceWarning", *flags, "-c", textwrap.dedent(script), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0 and run.stderr == "", run.stderr
    return run.stdout


@pytest.mark.parametrize("way", [again, copy.deepcopy, copy.copy, lambda run: again(again(run))])
def test_a_run_is_copied_whole(recorded: airpath.Run, way: Any, tmp_path: Path) -> None:
    twin = way(recorded)
    assert type(twin) is airpath.Run and twin is not recorded
    assert twin.complete and twin.folder is None
    assert (twin.summary, twin.metrics) == (recorded.summary, recorded.metrics)
    assert (repr(twin), twin.text(all=True)) == (repr(recorded), recorded.text(all=True))
    assert twin._repr_html_() == recorded._repr_html_()
    assert twin.scenario == recorded.scenario
    for name in TABLES:
        assert twin.table(name).to_arrow().equals(recorded.table(name).to_arrow(), check_metadata=True), name
    assert twin.plot.svg("stages") == recorded.plot.svg("stages")
    assert twin.plot.vega_lite("queue_delay") == recorded.plot.vega_lite("queue_delay")
    one, other = recorded.save(tmp_path / "one"), twin.save(tmp_path / "other")
    assert files(one) == files(other)
    compared = airpath.compare(recorded, twin, all=True).metrics
    assert compared["first_estimate"] == compared["second_estimate"]
    with pytest.raises(airpath.InputError, match="there is no table"):
        twin.table("nothing")


def test_a_run_of_a_folder_is_copied_without_its_captures(cell: airpath.Scenario, tmp_path: Path) -> None:
    run = airpath.run(cell.set("output.pcap", ["server"]), out=tmp_path / "out")
    stream = pickle.dumps(run)
    table = tmp_path / "out" / "users.parquet"
    table.write_bytes(table.read_bytes() + b"\n")
    with pytest.raises(airpath.InputError, match="users.parquet is damaged"):
        pickle.dumps(run)
    (tmp_path / "out").rename(tmp_path / "elsewhere")
    twin = pickle.loads(stream)
    saved = twin.save(tmp_path / "twin")
    left_out = {"timing.json", "capture-server.pcapng"}
    here = {name for name in files(saved) if "/" not in name}
    assert here == {path.name for path in (tmp_path / "elsewhere").iterdir() if path.is_file()} - left_out
    assert twin.plot.sentence("stages")


def test_a_copy_is_read_in_another_process(recorded: airpath.Run, tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(pickle.dumps(recorded))
    out = python(
        """
        import pickle, sys
        from pathlib import Path
        run = pickle.loads(Path(sys.argv[1], "run").read_bytes())
        run.save(Path(sys.argv[1], "other"))
        print(run.plot.svg("stages"), end="")
        """,
        str(tmp_path),
    )
    assert out == recorded.plot.svg("stages")
    assert files(tmp_path / "other") == files(recorded.save(tmp_path / "own"))


def test_a_table_of_each_type_is_copied() -> None:
    rows = [
        {"whole": 1, "number": 0.5, "text": "a", "truth": True, "none": None},
        {"whole": None, "number": None, "text": None, "truth": None, "none": None},
        {"whole": -(1 << 62), "number": 1e300, "text": "\u00e9\n", "truth": False, "none": None},
    ]
    frame = airpath.Frame(_airpath.table_of(json.dumps(rows), "A row of the test."))
    for twin in (again(frame), copy.deepcopy(frame)):
        assert list(twin.rows()) == list(frame.rows())
        assert twin.description == "A row of the test."
        assert pyarrow.table(twin).equals(pyarrow.table(frame), check_metadata=True)


def test_dictionaries_truths_and_nulls_are_copied(recorded: airpath.Run) -> None:
    packets = recorded.packets
    kinds = {str(field.type).split("<")[0] for field in packets.to_arrow().schema}
    assert {"dictionary", "int64", "bool"} <= kinds, kinds
    twin = again(packets)
    assert twin.to_arrow().equals(packets.to_arrow(), check_metadata=True)
    assert twin.to_arrow().schema == packets.to_arrow().schema
    assert polars.DataFrame(twin).equals(polars.DataFrame(packets))
    assert (twin.units, twin.meanings, twin["flow"]) == (packets.units, packets.meanings, packets["flow"])


def test_an_empty_table_is_copied(cell: airpath.Scenario) -> None:
    run = airpath.run(cell)
    assert len(run.packets) == 0 and run.packets.columns
    for frame in (run.packets, run.requests, airpath.Frame(_airpath.table_of("[]", ""))):
        twin = again(frame)
        assert (twin.shape, twin.columns) == (frame.shape, frame.columns)
        assert twin.to_arrow().equals(frame.to_arrow(), check_metadata=True)


@pytest.mark.parametrize(
    "arrays",
    [
        [],
        [("Int32", 1, None, [b"0000"])],
        [("UInt32", 1, None, [b"0000"])],
        [("Int64", 2, None, [b"12345678"])],
        [("Int64", 9, b"1", [bytes(72)])],
        [("Utf8", 1, None, [b"\0\0\0\0\x02\0\0\0", b"\xff\xff"])],
        [("UInt32", 1, None, [b"\1\0\0\0"]), ("Utf8", 1, None, [b"\0\0\0\0\1\0\0\0", b"a"])],
    ],
    ids=["none", "type", "keys", "short", "bits", "text", "key"],
)
def test_columns_that_are_none_are_refused(arrays: list[Any]) -> None:
    with pytest.raises(airpath.InputError):
        _airpath.frame_of_kept("", [("a", "", "", False, arrays)])


def test_a_campaign_is_copied_whole(wire: airpath.Scenario, tmp_path: Path) -> None:
    campaign = airpath.sweep(wire, vary=VARY, seeds=2, out=tmp_path / "out")
    stream = pickle.dumps(campaign)
    before = files(tmp_path / "out")
    (tmp_path / "out").rename(tmp_path / "elsewhere")
    twin = pickle.loads(stream)
    assert twin.folder is None and twin.arms == ["5 ms", "20 ms"]
    assert (repr(twin), twin.resumed, twin.notes, twin.failures) == (repr(again(twin)), 0, [], [])
    assert {name for name in before if name != "timing.json"} == set(files(twin._folder))
    compared = airpath.compare(f"{tmp_path / 'elsewhere'}:5 ms", f"{twin._folder}:5 ms")
    assert set(compared.metrics["finding"]) == {"same"}
    assert twin.plot.sentence("metric", "goodput_bps")
    # A damaged file is not mended by a copy.
    table = tmp_path / "elsewhere" / "users.csv"
    table.write_bytes(table.read_bytes() + b"\n")
    (tmp_path / "elsewhere").rename(tmp_path / "out")
    with pytest.raises(airpath.InputError, match="users.csv is damaged"):
        again(campaign).table("runs")


def test_what_commands_came_to_is_copied(cell: airpath.Scenario, wire: airpath.Scenario, tmp_path: Path) -> None:
    airpath.run(cell.copy().set("output.pcap", ["server"]), out=tmp_path / "run")
    analysis = airpath.analyse(tmp_path / "run" / "capture-server.pcapng")
    compared = airpath.compare(wire, wire.copy(), seeds=2)
    for made in (analysis, compared, airpath.latency(), airpath.calibrate(only="UMi", users=1000)):
        assert repr(again(made)) == repr(made)
    twin = again(analysis)
    assert twin.folder is None and twin.summary == analysis.summary
    assert twin.flows.to_arrow().equals(analysis.flows.to_arrow())
    assert again(compared).metrics.to_arrow().equals(compared.metrics.to_arrow())
    assert again(airpath.latency()).table.to_arrow().equals(airpath.latency().table.to_arrow())


def test_scenarios_are_copied(cell: airpath.Scenario) -> None:
    cell.path.s1["rate"] = "7 Mbit/s"
    for twin in (again(cell), copy.deepcopy(cell)):
        assert twin == cell and twin.overrides == cell.overrides
        twin.duration = "3 s"
        assert twin != cell
    assert again(cell.flow).value() == cell.flow.value()
    assert again(airpath.templates()[0]).text == airpath.templates()[0].text


def test_charts_are_copied_with_their_results_alone(recorded: airpath.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match="pickle the results"):
        pickle.dumps(recorded.plot)
    monkeypatch.setitem(sys.modules, "altair", None)
    chart: Any = recorded.plot.stages()
    assert again(chart) == chart


def test_errors_are_copied(cell: airpath.Scenario) -> None:
    with pytest.raises(airpath.ScenarioError) as wrong:
        cell.set("duration", "2 parsecs").validate()
    twin = again(wrong.value)
    assert (str(twin), twin.problems, twin.report) == (str(wrong.value), wrong.value.problems, wrong.value.report)
    part = airpath.PartError("a part")
    part.results = airpath.run("lte-6rb")
    assert again(part).results.summary == part.results.summary
    assert again(airpath.Interrupted("now", part.results)).results.metrics == part.results.metrics


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes_make_runs(cell: airpath.Scenario, way: str) -> None:
    cells = [cell.copy().set("seed", seed) for seed in (1, 2, 3)]
    here = airpath.sweep(cell, seeds=3)  # threads are there before a fork
    with multiprocessing.get_context(way).Pool(2) as pool:
        made = pool.map_async(airpath.run, cells).get(timeout=240)
    assert [run.summary["seed"] for run in made] == [1, 2, 3]
    assert [run.metrics["goodput_bps"] for run in made] == here.runs["goodput_bps"]
    assert made[0].flows.to_arrow().equals(airpath.run(cells[0]).flows.to_arrow())


def test_a_fork_has_threads_of_its_own(wire: airpath.Scenario, tmp_path: Path) -> None:
    script = """
        import os, signal, sys, airpath
        wire = airpath.Scenario.from_template("wires-dualpi2").set("duration", "500 ms")
        made = airpath.sweep(wire, seeds=4, out=sys.argv[1] + "/here")
        temporary = airpath.sweep(wire, seeds=2)
        for level in ("child", "grandchild"):
            child = os.fork()
            if child:
                _, status = os.waitpid(child, 0)
                assert temporary.runs.shape[0] == 2, level
                if level == "grandchild":
                    os._exit(os.waitstatus_to_exitcode(status))
                sys.exit(os.waitstatus_to_exitcode(status))
            signal.alarm(100)  # a fork that waits for threads it does not have is ended
            airpath.sweep(wire, seeds=4, out=sys.argv[1] + "/" + level)
            assert airpath.plot(made).svg("metric", "goodput_bps").startswith("<svg")
            assert airpath.compare(wire, wire.copy(), seeds=2, jobs=2).metrics.shape[0] > 0
        os._exit(0)
        """
    python(script, str(tmp_path))
    for level in ("child", "grandchild"):
        assert files(tmp_path / level)["runs.parquet"] == files(tmp_path / "here")["runs.parquet"]


def test_folders_go_without_a_warning(tmp_path: Path) -> None:
    script = """
        import os, pickle, airpath
        wire = airpath.Scenario.from_template("wires-dualpi2").set("duration", "500 ms")
        run, campaign = airpath.run(wire), airpath.sweep(wire, seeds=2)
        run.plot.svg("stages")
        twin = pickle.loads(pickle.dumps(campaign))
        print(run._written(), campaign._folder, twin._folder, sep="\\n")
        if os.fork() == 0:
            raise SystemExit  # a fork does not take folders away
        os.wait()
        assert run._written().is_dir() and campaign._folder.is_dir()
        """
    folders = [Path(line) for line in python(script).splitlines()]
    assert len(folders) == 3 and not any(folder.parent.exists() for folder in folders)


def test_charts_need_nothing_else() -> None:
    # Without `site` there are no packages but the one under test.
    script = """
        import os, sys, airpath
        try:
            import altair
        except ImportError:
            chart = airpath.run("lte-6rb").plot.stages()
            print(type(chart) is airpath.Chart, "image/svg+xml" in chart._repr_mimebundle_())
        """
    assert python(script, flags=("-S",)) == "True True\n"
    assert os.environ["PYTHONPATH"], "the package is found by its path"


def test_a_chart_without_altair_is_shown_and_saved(
    recorded: airpath.Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = recorded.plot.queue_delay()._repr_mimebundle_()
    monkeypatch.setitem(sys.modules, "altair", None)
    chart: Any = recorded.plot.queue_delay()
    assert type(chart) is airpath.Chart
    assert chart._repr_mimebundle_() == whole
    assert (chart.svg, chart.vega_lite) == (recorded.plot.svg("queue_delay"), recorded.plot.vega_lite("queue_delay"))
    assert chart.sentence in repr(chart)
    chart.save(tmp_path / "a.svg")
    chart.save(tmp_path / "a.json")
    assert (tmp_path / "a.svg").read_text("utf-8") == chart.svg
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == chart.vega_lite
    with pytest.raises(airpath.InputError, match="a.png.*need Altair"):
        chart.save(tmp_path / "a.png")
    assert all(type(one) is airpath.Chart for one in recorded.plot.all())


def test_a_template_is_run_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    template = airpath.run("lte-6rb")
    assert template.scenario == airpath.Scenario.from_template("lte-6rb")
    assert airpath.sweep("wires-dualpi2", seeds=1).runs.shape[0] == 1
    assert airpath.drop("network").table.shape[0] > 0
    monkeypatch.chdir(tmp_path)
    with pytest.raises(airpath.InputError, match="no file 'lte-7rb', and no template.*lte-6rb, lte-20-ues"):
        airpath.run("lte-7rb")
    with pytest.raises(airpath.InputError, match="lte-6rb.toml"):
        airpath.run("lte-6rb.toml")
    with pytest.raises(airpath.InputError, match="nowhere"):
        airpath.run("nowhere/lte-6rb")
    # A file of this name counts.
    text = airpath.Scenario.from_template("lte-6rb").set("seed", 77).to_toml()
    (tmp_path / "lte-6rb").write_text(text)
    assert airpath.run("lte-6rb").summary["seed"] == 77
