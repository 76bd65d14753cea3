"""What tests share."""

from __future__ import annotations

import pytest

import airpath


@pytest.fixture
def cell() -> airpath.Scenario:
    """Two flows in a small cell, for two seconds."""
    return airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")


@pytest.fixture
def wire() -> airpath.Scenario:
    """A link with two downloads, for a second."""
    return airpath.Scenario.from_template("wires-dualpi2").set("duration", "1 s")


@pytest.fixture(scope="session")
def recorded() -> airpath.Run:
    """A run with all that can be recorded."""
    cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
    return airpath.run(cell.set("output.series", "100 ms").set("output.packets", True))
