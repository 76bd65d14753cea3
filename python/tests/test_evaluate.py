"""Report cards of controllers."""

from __future__ import annotations

import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import airpath
from airpath import Ack, Loss

#: A link of 10 Mbit/s with a round trip of 10 ms.
LINK = """
duration = "6 s"
radio = "none"
[path.sgi]
rate = "10 Mbit/s"
delay = "5 ms"
queue = "100 packets"
[[flow]]
name = "bulk"
kind = "tcp"
direction = "down"
start = { min = "0 s", max = "100 ms" }
"""
CASE = """
title = "A greedy flow"
source = "none"
family = "transport"
scenario = "link.toml"
subjects = ["bulk"]
seeds = 5
[[criterion]]
name = "fills"
sentence = "The sender fills the link."
quantity = "rate@main.bulk[3..6]"
unit = "Mbit/s"
at_least = 9.9
at_most = 10.1
threshold = 0.1
"""


class Fixed(airpath.Controller):
    """A window of two segments."""

    def on_ack(self, ack: Ack) -> None:
        self.cwnd = 2 * self.segment

    def on_loss(self, loss: Loss) -> None:
        pass


class Enough(Fixed):
    """A window of 40 segments, three times the bandwidth-delay product."""

    def on_ack(self, ack: Ack) -> None:
        self.cwnd = 40 * self.segment


class Raises(Fixed):
    def on_ack(self, ack: Ack) -> None:
        if ack.now > 1:
            raise ArithmeticError("nothing works")


class Nan(Fixed):
    def on_ack(self, ack: Ack) -> None:
        self.cwnd = float("nan")


class Endless(Fixed):
    def on_ack(self, ack: Ack) -> None:
        while True:
            pass


@pytest.fixture
def case(tmp_path: Path) -> Path:
    (tmp_path / "link.toml").write_text(LINK)
    path = tmp_path / "greedy.case.toml"
    path.write_text(CASE)
    return path


def verdicts(card: airpath.Card) -> dict[str, str]:
    return dict(zip(card.verdicts["controller"], card.verdicts["verdict"], strict=True))


def test_controllers_in_python_stand_beside_others(case: Path) -> None:
    card = airpath.evaluate({"own": Enough, "few": Fixed, "usual": "cubic"}, suite=case)
    assert verdicts(card) == {"own": "holds", "few": "fails", "usual": "holds"}
    assert card.controllers == ["own", "few", "usual"]
    assert card.exit_code == 3
    # Two packets of 1500 B in 10 ms, and the time of a packet on the link, 1.2 ms.
    means = dict(zip(card.verdicts["controller"], card.verdicts["mean"], strict=True))
    assert 1.8 <= means["few"] <= 2.4
    assert "few: 0 of 1 criteria hold, 1 fail" in repr(card)


def test_the_same_bytes_twice_and_in_copies(case: Path) -> None:
    card = airpath.evaluate([Enough, "cubic"], suite=case)
    assert card.controllers == ["Enough", "cubic"]
    assert airpath.evaluate([Enough, "cubic"], suite=case).to_json() == card.to_json()
    assert pickle.loads(pickle.dumps(card)).to_json() == card.to_json()


def test_faults_are_not_made_and_the_suite_goes_on(case: Path) -> None:
    controllers = {"raises": Raises, "nan": Nan, "endless": Endless, "cubic": "cubic"}
    card = airpath.evaluate(controllers, suite=case, seeds=1, budget=0.5)
    assert verdicts(card) == {
        "raises": "not made", "nan": "not made", "endless": "not made", "cubic": "holds"
    }  # fmt: skip
    reasons = dict(zip(card.verdicts["controller"], card.verdicts["reason"], strict=True))
    assert "Raises.on_ack at 1" in reasons["raises"] and "nothing works" in reasons["raises"]
    assert "cwnd is nan" in reasons["nan"]
    assert "longer than the 0.5 s" in reasons["endless"]
    assert card.exit_code == 1


def test_a_card_against_an_earlier_one(case: Path, tmp_path: Path) -> None:
    before = airpath.evaluate({"own": Enough}, suite=case)
    after = airpath.evaluate({"own": Fixed}, suite=case, against=before)
    assert before.changes is None and after.changes is not None
    assert after.changes["changed"] == ["worse"]
    assert after.changes["difference"][0] < -7
    file = tmp_path / "before.json"
    file.write_text(before.to_json())
    same = airpath.evaluate({"own": Enough}, suite=case, against=file)
    assert same.changes is not None and len(same.changes) == 0
    assert airpath.Card.load(file).to_json() == before.to_json()


def test_reports_of_runs(case: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    card = airpath.evaluate({"own": Fixed, "cubic": "cubic"}, suite=case, seeds=1, out=out, reports="failing")
    assert card.folder == out
    assert [path.name for path in (out / "reports").iterdir()] == ["greedy-greedy-own-main.html"]
    assert "reports/greedy-greedy-own-main.html" in (out / "report.html").read_text()
    assert (out / "card.json").read_text() == card.to_json()


def test_a_controller_over_quic(case: Path) -> None:
    class OverQuic(Enough):
        flow_keys = {"kind": "quic"}

    card = airpath.evaluate(OverQuic, suite=case, seeds=1)
    assert verdicts(card) == {"OverQuic": "holds"}


def test_bad_input(case: Path, tmp_path: Path) -> None:
    with pytest.raises(airpath.InputError, match="did you mean cubic"):
        airpath.evaluate("cubik", suite=case)
    with pytest.raises(airpath.InputError, match="there is no suite"):
        airpath.evaluate("cubic", suite="nowhere")
    with pytest.raises(airpath.InputError, match="two controllers are named cubic"):
        airpath.evaluate(["cubic", "cubic"], suite=case)
    with pytest.raises(airpath.InputError, match="at least one"):
        airpath.evaluate([])
    with pytest.raises(airpath.InputError, match="name it by out"):
        airpath.evaluate("cubic", suite=case, reports="all")
    with pytest.raises(TypeError, match="a name, a class"):
        airpath.evaluate([1], suite=case)  # type: ignore[list-item]
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(airpath.InputError, match="no card"):
        airpath.evaluate("cubic", suite=case, against=tmp_path / "no.json")
    with pytest.raises(airpath.InputError, match="no card"):
        airpath.Card.load(tmp_path / "no.json")


def test_the_command_takes_a_file_in_python(case: Path, tmp_path: Path) -> None:
    own = tmp_path / "mine.py"
    own.write_text(
        textwrap.dedent(
            """
            import airpath

            class Mine(airpath.Controller):
                def on_ack(self, ack):
                    self.cwnd = 40 * self.segment

                def on_loss(self, loss):
                    pass
            """
        )
    )

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "airpath", "evaluate", *arguments, f"--suite={case}"]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    made = command(f"{own}:Mine", f"other={own}:Mine", "cubic")
    assert made.returncode == 0, made.stderr
    assert "Mine: 1 of 1 criteria hold" in made.stdout and "other: 1 of 1" in made.stdout
    missing = command(f"{own}:Their")
    assert missing.returncode == 2 and "has no Their; its controllers: Mine" in missing.stderr
    nowhere = command("nowhere.py:Mine")
    assert nowhere.returncode == 2 and "there is no file nowhere.py" in nowhere.stderr
