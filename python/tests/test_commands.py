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
    with pytest.raises(airpath.InputError, match="--tti"):
        airpath.latency("1 parsec")


def test_a_study_is_reproduced() -> None:
    found = airpath.reproduce("short-tti", seeds=2)
    assert found.found == json.loads(program("reproduce", "short-tti", "--seeds", "2", "--json"))
    assert len(found.table) == len(found.found)
    with pytest.raises(airpath.InputError, match="there are .*short-tti"):
        airpath.reproduce("nothing")


def test_a_capture_is_analysed(cell: airpath.Scenario, tmp_path: Path) -> None:
    airpath.run(cell.set("output.pcap", ["server"]), out=tmp_path / "run")
    capture = tmp_path / "run" / "capture-server.pcapng"
    found = airpath.analyse(capture, window=[0.5])
    assert "tcp" in found.flows["protocol"]
    assert found.flows.units["duration_s"] == "s"
    assert len(found.windows) > 0
    assert found.summary["packets"] > 100
    assert found.folder is None and "results in" not in repr(found)
    bad = tmp_path / "bad.pcap"
    bad.write_bytes(b"no capture at all")
    with pytest.raises(airpath.AirpathError, match="bad.pcap"):
        airpath.analyse(bad)


def test_users_are_dropped() -> None:
    network = airpath.Scenario.from_template("network")
    found = airpath.drop(network, seed=3)
    assert found.found["seed"] == 3
    assert len(found.table) == len(found.found["ues"])
    with pytest.raises(airpath.InputError, match="network"):
        airpath.drop(airpath.Scenario.from_template("lte-6rb"))


def test_a_calibration_is_compared() -> None:
    found = airpath.calibrate(only="UMi", users=1000)
    assert len(found.table) > 0
    assert set(found.table["scenario"]) == {"UMi"}
    with pytest.raises(airpath.InputError):
        airpath.calibrate(only="Moon")


def test_charts_are_the_programs(recorded: airpath.Run) -> None:
    chart = recorded.plot.queue_delay()
    assert isinstance(chart, altair.TopLevelMixin)
    specification = recorded.plot.vega_lite("queue_delay")
    assert chart.to_dict(validate=False).keys() >= {"vconcat"} & specification.keys()
    assert recorded.plot.svg("stages").startswith("<svg")
    assert len(recorded.plot.all()) > 3
    with pytest.raises(AttributeError, match="there are queue_delay"):
        _ = recorded.plot.nothing
    with pytest.raises(airpath.InputError):
        recorded.plot.map()


def test_what_was_not_recorded_is_named(cell: airpath.Scenario) -> None:
    with pytest.raises(airpath.InputError, match="series"):
        airpath.run(cell.set("output.series", "off")).plot.queue_delay()


def test_results_are_drawn_side_by_side(recorded: airpath.Run, wire: airpath.Scenario) -> None:
    campaign = airpath.sweep(wire, vary={"path.sgi.delay": ["5 ms", "10 ms"]}, seeds=2)
    assert isinstance(campaign.plot.metric("goodput_bps"), altair.TopLevelMixin)
    assert airpath.plot(recorded, campaign).vega_lite("rate_delay")
