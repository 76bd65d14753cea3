"""Scenarios: edited, checked, and refused as the program refuses them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import airpath


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The program, from the same module."""
    command = [sys.executable, "-m", "airpath", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_every_template_is_a_scenario() -> None:
    for template in airpath.templates():
        airpath.Scenario.from_template(template.name).validate()


def test_keys_are_read_as_written_or_by_default(cell: airpath.Scenario) -> None:
    assert cell.duration == "2 s"
    assert cell.flow.download.tcp.controller == "cubic"
    assert cell["flow.0.name"] == "download"
    assert cell.flow[0].name == "download"
    with pytest.raises(KeyError):
        cell["flow.nothing"]
    with pytest.raises(AttributeError, match="no key 'durations'"):
        _ = cell.durations


def test_an_attribute_and_a_path_set_the_same(cell: airpath.Scenario) -> None:
    one, other = cell.copy(), cell.copy()
    one.flow.download.start = "30 ms"
    other["flow.download.start"] = "30 ms"
    assert one == other
    assert one != cell
    assert one.resolved()["flow"][0]["start"] == other.resolved()["flow"][0]["start"]
    assert one.overrides[-1] == 'flow.download.start="30 ms"'


def test_a_copy_is_a_copy(cell: airpath.Scenario) -> None:
    other = cell.copy().set("duration", "5 s")
    assert (cell.duration, other.duration) == ("2 s", "5 s")


def test_a_list_takes_more(cell: airpath.Scenario) -> None:
    flow = cell.flow.download.value() | {"name": "second"}
    cell.flow.append(flow)
    assert [flow["name"] for flow in cell.flow] == ["download", "voice", "second"]
    cell.validate()


def test_a_dictionary_is_a_scenario(cell: airpath.Scenario) -> None:
    again = airpath.Scenario.from_dict(cell.resolved())
    assert again == cell
    assert "[cell]" in again.text


def test_toml_reads_back(cell: airpath.Scenario, tmp_path: Path) -> None:
    path = cell.save(tmp_path / "cell.toml")
    assert airpath.Scenario.load(path) == cell
    with pytest.raises(FileExistsError):
        cell.save(path)


def test_text_with_quotes_stays_text(cell: airpath.Scenario) -> None:
    cell.title = 'a "quoted" \\ name, naïve 😀'
    assert cell.resolved()["title"] == 'a "quoted" \\ name, naïve 😀'


def test_mistakes_are_those_of_the_program(cell: airpath.Scenario, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(cell.text.replace("[cell]", "[cell]\nbandwith = 3", 1) + "\n[extra]\n")
    with pytest.raises(airpath.ScenarioError) as caught:
        airpath.Scenario.load(path).set("duration", "3 parsecs").validate()
    said = program("check", str(path), "--set", 'duration="3 parsecs"')
    assert said.returncode == 2
    # The program draws the lines of the file; so does `report`, to the last character.
    assert caught.value.report == said.stderr.rstrip()
    positions = [problem.position for problem in caught.value.problems]
    assert f"{path}:{line_of(path, 'bandwith')}" in positions
    assert "--set:1" in positions


def line_of(path: Path, word: str) -> int:
    lines = path.read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.startswith(word))


def test_all_mistakes_are_said_at_once(cell: airpath.Scenario) -> None:
    cell.set("duration", "-1 s").set("seed", "many")
    with pytest.raises(airpath.ScenarioError) as caught:
        airpath.run(cell)
    assert len(caught.value.problems) == 2
    assert all(problem.allowed for problem in caught.value.problems)


@pytest.mark.parametrize("value", [object(), {1: "a"}, b"bytes", [object()], None])
def test_what_no_file_can_say_is_named(cell: airpath.Scenario, value: object) -> None:
    with pytest.raises(TypeError, match="flow.download.start"):
        cell["flow.download.start"] = value


def test_wrong_types_are_refused() -> None:
    with pytest.raises(TypeError, match="airpath.Scenario or the path"):
        airpath.run(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="is a str"):
        airpath.Scenario(b"x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="is a mapping"):
        airpath.Scenario.from_dict([])  # type: ignore[arg-type]
    with pytest.raises(airpath.InputError, match="there are lte-6rb"):
        airpath.Scenario.from_template("nothing")
    with pytest.raises(airpath.InputError, match="nowhere.toml"):
        airpath.Scenario.load("nowhere.toml")
    with pytest.raises(AttributeError, match="no key of a scenario"):
        airpath.Scenario.from_template("lte-6rb").validate = 3


def test_the_schema_is_the_programs() -> None:
    assert airpath.schema() == json.loads(program("schema").stdout)


def test_what_is_no_name_and_no_file_is_said() -> None:
    with pytest.raises(TypeError, match="the name of a template is text, not 3"):
        airpath.Scenario.from_template(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the path of a file, not 3"):
        airpath.Scenario.load(3)  # type: ignore[arg-type]
