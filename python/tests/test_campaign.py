"""Campaigns and comparisons: the program's, byte for byte."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import airpath
from airpath._campaign import _MAIN

VARY = {"path.sgi.delay": ["5 ms", "20 ms"]}


def test_a_campaign_is_the_programs(wire: airpath.Scenario, tmp_path: Path) -> None:
    campaign = airpath.sweep(wire, vary=VARY, seeds=2, out=tmp_path / "here")
    file = wire.save(tmp_path / "wire.toml")
    out = tmp_path / "there"
    axis = 'path.sgi.delay="5 ms","20 ms"'
    command = [sys.executable, "-m", "airpath", "sweep", str(file), "--vary", axis, "--seeds", "2"]
    run = subprocess.run([*command, "--out", str(out)], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert campaign.folder == tmp_path / "here"
    for path in sorted(out.rglob("*")):
        if path.is_file() and path.name not in ("timing.json", "README.md"):
            assert path.read_bytes() == (tmp_path / "here" / path.relative_to(out)).read_bytes(), path


def test_a_campaign_without_a_folder(wire: airpath.Scenario) -> None:
    campaign = airpath.sweep(wire, vary=VARY, seeds=2)
    assert campaign.folder is None
    assert campaign.arms == ["5 ms", "20 ms"]
    assert campaign.runs.shape[0] == 4
    assert campaign.runs["seed"] == [1, 2, 1, 2]
    assert set(_MAIN) <= set(campaign.intervals["metric"])
    assert campaign.failures == []
    assert "2 arms, 4 runs" in repr(campaign)
    assert "<table>" in campaign._repr_html_()


def test_a_campaign_goes_on(wire: airpath.Scenario, tmp_path: Path) -> None:
    told: list[tuple[float, float]] = []
    airpath.sweep(wire, seeds=2, out=tmp_path / "out")
    more = airpath.sweep(wire, seeds=3, out=tmp_path / "out", progress=lambda d, a: told.append((d, a)))
    assert more.resumed == 2
    assert more.runs.shape[0] == 3
    assert told[-1] == (3.0, 3.0)


def test_bad_campaigns_name_the_place(wire: airpath.Scenario) -> None:
    with pytest.raises(airpath.ScenarioError, match="--vary"):
        airpath.sweep(wire, vary=["path.sgi.delay"], seeds=1)
    with pytest.raises(TypeError, match="is a list of values"):
        airpath.sweep(wire, vary={"path.sgi.delay": "5 ms"}, seeds=1)
    with pytest.raises(airpath.InputError, match="seeds is 0"):
        airpath.sweep(wire, seeds=0)


def test_two_scenarios_are_compared(wire: airpath.Scenario) -> None:
    slow = wire.copy().set("path.sgi.rate", "10 Mbit/s")
    found = airpath.compare(wire, slow, names=("fast", "slow"), seeds=3)
    assert (found.first, found.second) == ("fast", "slow")
    row = next(row for row in found.metrics.rows() if row["metric"] == "goodput_bps")
    assert row["finding"] == "lower"
    assert row["first_estimate"] > row["second_estimate"]
    assert "fast" in repr(found) and "<pre>" in found._repr_html_()


def test_a_damaged_folder_is_refused(wire: airpath.Scenario, tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = airpath.sweep(wire, vary=VARY, seeds=2, out=out)
    table = out / "users.csv"
    table.write_bytes(table.read_bytes() + b"\n")
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    damaged = "users.csv is damaged.*unchecked=True"
    with pytest.raises(airpath.InputError, match=damaged):
        airpath.sweep(wire, vary=VARY, seeds=3, out=out)
    with pytest.raises(airpath.InputError, match=damaged):
        airpath.compare(f"{out}:{made.arms[0]}", f"{out}:{made.arms[1]}")
    with pytest.raises(airpath.InputError, match=damaged):
        airpath.plot(out).sentence("metric", "goodput_bps")
    with pytest.raises(airpath.InputError, match=damaged):
        made.table("runs")
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert airpath.plot(out, unchecked=True).sentence("metric", "goodput_bps")
    compared = airpath.compare(f"{out}:{made.arms[0]}", f"{out}:{made.arms[1]}", unchecked=True)
    assert compared.metrics.shape[0] > 0
    assert airpath.sweep(wire, vary=VARY, seeds=3, out=out, unchecked=True).resumed == 4
    airpath.sweep(wire, vary=VARY, seeds=3, out=out)


def test_results_are_compared(wire: airpath.Scenario, tmp_path: Path) -> None:
    slow = wire.copy().set("path.sgi.rate", "10 Mbit/s")
    sides = [airpath.sweep(one, seeds=3) for one in (wire, slow)]
    found = airpath.compare(*sides)
    same = airpath.compare(wire, slow, seeds=3)
    assert found.metrics["difference_estimate"] == same.metrics["difference_estimate"]
    with pytest.raises(airpath.InputError, match="two scenarios, or two results"):
        airpath.compare(wire, sides[0])
    with pytest.raises(airpath.InputError, match="nowhere"):
        airpath.compare("nowhere", str(tmp_path))
    with pytest.raises(airpath.InputError, match="goodput_bps"):
        airpath.compare(wire, slow, seeds=2, metrics=["goodput_bp"])


def test_json_is_kept_whole(wire: airpath.Scenario) -> None:
    found = airpath.compare(wire, wire.copy(), seeds=2, metrics=["goodput_bps"])
    assert json.loads(json.dumps(found.found))["metrics"][0]["finding"] == "same"


def test_wrong_types_are_named(wire: airpath.Scenario) -> None:
    with pytest.raises(TypeError, match="vary is a dict"):
        airpath.sweep(wire, vary=7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a result or a folder is compared, not 3"):
        airpath.compare(wire, 3)  # type: ignore[arg-type]
    for option, value, said in (
        ("metrics", "goodput_bps", "metrics is a list of texts"),
        ("margin", "10%", "margin is a number"),
        ("names", ["one"], "names is a pair"),
    ):
        with pytest.raises(TypeError, match=said):
            airpath.compare(wire, wire, seeds=2, **{option: value})  # type: ignore[arg-type]
