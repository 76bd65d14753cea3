"""Promises: kept formats are read, a later one is refused, and the page of the package leads somewhere."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path

import pytest

import airpath

ROOT = Path(__file__).parents[2]
OWN, LATER = "airpath-results-1", "airpath-results-999"


def unpack(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as kept:
        kept.extractall(folder, filter="data")
    return folder


@pytest.mark.parametrize("archive", sorted((ROOT / "tests" / "formats").glob("*.tar.gz")), ids=lambda path: path.name)
def test_kept_formats_are_read(archive: Path, tmp_path: Path) -> None:
    kept = unpack(archive, tmp_path)
    assert airpath.plot(kept / "run").svg("stages").startswith("<svg")
    assert airpath.plot(kept / "campaign").sentence("metric", "goodput_bps")
    compared = airpath.compare(f"{kept / 'campaign'}:5 ms", f"{kept / 'campaign'}:20 ms")
    assert compared.metrics.shape[0] > 0
    assert airpath._airpath.read_table(str(kept / "analysis"), "flows.parquet").fields
    scenarios = sorted((kept / "scenarios").glob("*.toml"))
    assert len(scenarios) >= 20
    for file in scenarios:
        airpath.Scenario.load(file).validate()
    wire = airpath.Scenario.from_template("wires-dualpi2").set("duration", "500 ms")
    with pytest.raises(airpath.InputError, match="another build of airpath"):
        airpath.sweep(wire, vary={"path.sgi.delay": ["5 ms", "20 ms"]}, seeds=3, out=kept / "campaign")


def test_a_later_format_is_refused(wire: airpath.Scenario, tmp_path: Path) -> None:
    kept = unpack(ROOT / "tests" / "formats" / "1.tar.gz", tmp_path)
    for name in ("run", "campaign", "analysis"):
        path = kept / name / "summary.json"
        summary = json.loads(path.read_text("utf-8"))
        del summary["digests"]
        path.write_text(json.dumps({**summary, "format": LATER}), encoding="utf-8")
    refused = f"format {LATER}, this airpath reads {OWN}; use the airpath that wrote them, or run again"
    for unchecked in (False, True):
        for name in ("run", "campaign", "analysis"):
            with pytest.raises(airpath.InputError, match=refused):
                airpath.plot(kept / name, unchecked=unchecked).all()
            with pytest.raises(airpath.InputError, match=refused):
                airpath.sweep(wire, seeds=1, out=kept / name, unchecked=unchecked)
            with pytest.raises(airpath.InputError, match=refused):
                airpath._airpath.read_table(str(kept / name), "flows.parquet", unchecked)
        with pytest.raises(airpath.InputError, match=refused):
            airpath.compare(kept / "run", kept / "run", unchecked=unchecked)


def test_the_page_of_the_package_has_links_that_lead_somewhere() -> None:
    page = (ROOT / "python" / "README.md").read_text("utf-8")
    links = re.findall(r"\]\(([^)]*)\)", page)
    start = "https://github.com/airpath/airpath/blob/main/"
    assert links and all(link.startswith(start) for link in links), links
    assert all((ROOT / link.removeprefix(start)).is_file() for link in links)
