"""The other commands, and charts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import altair
import pytest

import airpath


def program(*arguments: str) -> str:
    command = [sys.executable, "-m", "airpath", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_latency_is_the_programs() -> None:
    found = airpath.latency(["1ms", "mu1/2sym"], access=["sr", "instant"], sr=1)
    options = ["--tti=1ms,mu1/2sym", "--access=sr,instant", "--sr=1"]
    assert found.found == json.loads(program("latency", *options, "--json"))
    assert repr(found) == program("latency", *options)
    assert len(found.table) == 4
    # TR 36.881: half a TTI of waiting, and so on; the table's own sums are tested in Rust.
    assert all(down > 0 for down in found.table["downlink_ms"])
    with pytest.raises(airpath.InputError, match="--tti") as error:
        airpath.latency("1 parsec")
    assert "--help" not in str(error.value)


def test_delays_are_explained_by_their_settings(tmp_path: Path) -> None:
    # A request each 10 ms and 10.5 ms from there: 10.5 to 20.5 ms, all alike.
    file = tmp_path / "delays.csv"
    file.write_text("delay_us\n" + "".join(f"{10_500 + 25 * n}\n" for n in range(400)))
    found = airpath.latency.fit(file, tdd="fdd", access="sr", sr=[5, 10, 20])
    assert found.found["explained"] and found.found["samples"] == 400
    assert set(found.table["access"]) == {"sr 10 TTI"}
    assert repr(found) == program("latency", f"--fit={file}", "--tdd=fdd", "--access=sr", "--sr=5,10,20")
    file.write_text("delay_ms\n1\n-1\n")
    with pytest.raises(airpath.InputError, match="line 3: -1 is negative"):
        airpath.latency.fit(file)


def test_a_study_is_reproduced() -> None:
    found = airpath.reproduce("short-tti", seeds=2)
    assert found.found == json.loads(program("reproduce", "short-tti", "--seeds", "2", "--json"))
    assert repr(found) == program("reproduce", "short-tti", "--seeds", "2")
    assert len(found.table) == len(found.found)
    with pytest.raises(airpath.InputError, match="there are .*short-tti"):
        airpath.reproduce("nothing")


def test_a_study_on_a_network_is_judged_from_its_tables(tmp_path: Path) -> None:
    found = airpath.reproduce("l4s-5g", part="rtt", from_tables=True, page=tmp_path)
    options = ["--part=rtt", "--from-tables"]
    assert found.found == json.loads(program("reproduce", "l4s-5g", *options, "--json"))
    assert {row["reading"] for row in airpath.reproduce("l4s-5g", part="rtt", reading="first").found} == {"first"}
    # Where the page went is said, and how else it could be written is not.
    assert repr(found).splitlines()[:10] == program("reproduce", "l4s-5g", *options).splitlines()[:10]
    assert (tmp_path / "studies" / "l4s-5g-network.md").is_file()
    assert (tmp_path / "img" / "l4s-5g-rtt.svg").read_text("utf-8").startswith("<svg")


def test_tables_that_are_not_there_are_an_error_with_the_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRPATH_STUDIES", str(tmp_path))
    with pytest.raises(airpath.InputError, match="--from-tables=DIR, or a folder"):
        airpath.reproduce("l4s-5g", part="rtt")


def test_a_study_of_a_folder_is_judged_by_its_values(tmp_path: Path) -> None:
    study = Path(__file__).parents[2] / "crates" / "study" / "tests" / "fifth"
    made = airpath.reproduce(study, seeds=20, out=tmp_path / "made")
    read = airpath.reproduce(study, from_tables=tmp_path / "made")
    assert made.found == read.found
    assert [row["verdict"] for row in made.found if row["id"] == "F-6"] == ["not made"] * 2


def test_a_capture_is_analysed(cell: airpath.Scenario, tmp_path: Path) -> None:
    airpath.run(cell.set("output.pcap", ["server"]), out=tmp_path / "run")
    capture = tmp_path / "run" / "capture-server.pcapng"
    found = airpath.analyse(capture, window=[0.5])
    assert "tcp" in found.flows["protocol"]
    assert found.flows.units["duration_s"] == "s"
    assert len(found.windows) > 0
    assert found.summary["packets"] > 100
    # One flow shares no link.
    assert found.links == [] and "down_link" in found.flows.columns
    assert found.folder is None and "results in" not in repr(found)
    chosen = airpath.analyse(capture, select="tcp", start=0.1, end=0.5)
    assert set(chosen.flows["protocol"]) == {"tcp"}
    assert 0 < chosen.summary["packets"] < found.summary["packets"]
    more = airpath.analyse(capture, decapsulate=True, notes=2).flows
    assert set(more["tunnels"]) == {None} and "down_notes" in more.columns
    with pytest.raises(airpath.InputError, match="column 6"):
        airpath.analyse(capture, select="port x")
    bad = tmp_path / "bad.pcap"
    bad.write_bytes(b"no capture at all")
    with pytest.raises(airpath.AirpathError, match="bad.pcap"):
        airpath.analyse(bad)
    with pytest.raises(TypeError, match="a capture is the path"):
        airpath.analyse(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="window is a list of seconds"):
        airpath.analyse(bad, window=0.5)  # type: ignore[arg-type]


def test_users_are_dropped() -> None:
    network = airpath.Scenario.from_template("network")
    found = airpath.drop(network, seed=3)
    assert found.found["seed"] == 3
    assert len(found.table) == len(found.found["ues"])
    cell = airpath.drop(airpath.Scenario.from_template("lte-20-ues"))
    assert len(cell.table) == 20
    with pytest.raises(airpath.InputError, match="has no cell"):
        airpath.drop(airpath.Scenario.from_template("wires-dualpi2"))


def test_a_calibration_is_compared() -> None:
    found = airpath.calibrate(only="UMi", users=1000)
    assert len(found.table) > 0
    assert set(found.table["scenario"]) == {"UMi"}
    with pytest.raises(airpath.InputError):
        airpath.calibrate(only="Moon")


def test_charts_are_the_programs(recorded: airpath.Run) -> None:
    specification = recorded.plot.vega_lite("queue_delay")
    assert recorded.plot.svg("stages").startswith("<svg")
    for chart in recorded.plot.all():
        assert isinstance(chart, altair.TopLevelMixin)
    drawn = recorded.plot.queue_delay().to_dict(validate=False)
    # Altair adds what its theme says, and changes nothing else.
    assert {key: drawn[key] for key in specification if key != "config"} == {
        key: specification[key] for key in specification if key != "config"
    }
    with pytest.raises(AttributeError, match="there are queue_delay"):
        _ = recorded.plot.nothing
    with pytest.raises(airpath.InputError):
        recorded.plot.map()


def test_notebooks_show_charts_without_a_network(recorded: airpath.Run) -> None:
    chart = recorded.plot.stages()
    bundle = chart._repr_mimebundle_()
    assert bundle["application/vnd.vegalite.v6+json"] == recorded.plot.vega_lite("stages")
    assert bundle["image/svg+xml"] == recorded.plot.svg("stages")
    assert bundle["text/plain"] == recorded.plot.sentence("stages")


def test_a_chart_that_was_changed_is_shown_as_it_is(recorded: airpath.Run) -> None:
    chart = recorded.plot.stages()
    assert "image/svg+xml" not in chart.properties(title="other")._repr_mimebundle_()
    chart["title"] = "another"
    assert "image/svg+xml" not in chart._repr_mimebundle_()
    with altair.renderers.enable("mimetype"):
        assert "image/svg+xml" not in recorded.plot.stages()._repr_mimebundle_()


def test_what_was_not_recorded_is_named(cell: airpath.Scenario) -> None:
    with pytest.raises(airpath.InputError, match="series"):
        airpath.run(cell.set("output.series", "off")).plot.queue_delay()


def test_results_are_drawn_side_by_side(recorded: airpath.Run, wire: airpath.Scenario) -> None:
    campaign = airpath.sweep(wire, vary={"path.sgi.delay": ["5 ms", "10 ms"]}, seeds=2)
    assert isinstance(campaign.plot.metric("goodput_bps"), altair.TopLevelMixin)
    assert airpath.plot(recorded, campaign).vega_lite("rate_delay")


def test_results_are_called_by_their_names(recorded: airpath.Run, tmp_path: Path) -> None:
    folder = recorded.save(tmp_path / "kept")
    drawn = airpath.plot(recorded, folder, **{"as it was": recorded}).svg("stages")
    for name in ("run 1: voice", "kept: voice", "as it was: voice"):
        assert name in drawn
    assert "/" not in airpath.plot(recorded, recorded).sentence("stages")
