"""Parts of a run that are written in Python."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable

import pytest

import airpath
from airpath import Ack, Backlog, Candidate, Loss, Packet, Slot, Verdict
from reno import Reno

WIRE = """
duration = "10 s"
radio = "none"
[path.sgi]
rate = "5 Mbit/s"
delay = "20 ms"
queue = "40 packets"
[[ue]]
name = "host"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
tcp = { controller = "newreno" }
"""
CONTROLLER = "flow.download.tcp.controller"


@pytest.fixture
def wire() -> airpath.Scenario:
    return airpath.Scenario(WIRE)


def goodput(results: airpath.Run) -> float:
    value = results.flows["goodput_bps"][0]
    assert isinstance(value, float)
    return value


def test_reno_in_python_is_near_reno(wire: airpath.Scenario) -> None:
    own = airpath.run(wire, parts={CONTROLLER: Reno})
    theirs = airpath.run(wire)
    assert goodput(own) == pytest.approx(goodput(theirs), rel=0.02)
    assert own.summary != theirs.summary


def test_the_same_seed_gives_the_same(wire: airpath.Scenario) -> None:
    runs = [airpath.run(wire, parts={CONTROLLER: Reno}) for _ in range(2)]
    assert runs[0].summary == runs[1].summary


def test_each_flow_has_an_object_of_its_own(wire: airpath.Scenario) -> None:
    made: list[Reno] = []

    def make() -> Reno:
        made.append(Reno())
        return made[-1]

    airpath.run(wire.set("ue.host.count", 3).set("duration", "1 s"), parts={CONTROLLER: make})
    assert len({id(one) for one in made}) == 3


def test_a_paced_controller_has_its_rate(wire: airpath.Scenario) -> None:
    class Paced(airpath.Controller):
        pacing_rate = 2e6

        def on_ack(self, ack: Ack) -> None:
            self.cwnd = 100 * self.segment

        def on_loss(self, loss: Loss) -> None:
            pass

    assert goodput(airpath.run(wire, parts={CONTROLLER: Paced})) == pytest.approx(2e6, rel=0.02)


def test_a_queue_as_drop_tail_is_drop_tail(wire: airpath.Scenario) -> None:
    class Tail(airpath.Queue):
        def on_arrival(self, packet: Packet, queue: Backlog) -> Verdict:
            return Verdict.DROP if queue.packets >= 40 else Verdict.PASS

    own = airpath.run(wire, parts={"path.sgi.queue": Tail})
    assert goodput(own) == goodput(airpath.run(wire))


def test_a_queue_marks_what_can_be_marked(wire: airpath.Scenario) -> None:
    class Step(airpath.Queue):
        def on_arrival(self, packet: Packet, queue: Backlog) -> None:
            pass

        def on_departure(self, packet: Packet, queue: Backlog) -> Verdict:
            return Verdict.MARK if packet.waited > 0.005 else Verdict.PASS

    wire.set("flow.download.tcp.controller", "prague")
    parts = {"path.sgi.queue": Step}
    marked = airpath.run(wire, parts=parts).flows
    assert marked["marks"][0] > 100
    assert marked["lost_packets"][0] == 0
    dropped = airpath.run(wire.set("flow.download.tcp.ecn", "off"), parts=parts).flows
    assert dropped["marks"][0] == 0
    assert dropped["lost_packets"][0] > 0


def test_ranks_let_packets_overtake(wire: airpath.Scenario) -> None:
    class Small(airpath.Queue):
        def on_arrival(self, packet: Packet, queue: Backlog) -> None:
            pass

        def rank(self, packet: Packet, queue: Backlog) -> float:
            return float(packet.size)

    class Plain(airpath.Queue):
        def on_arrival(self, packet: Packet, queue: Backlog) -> None:
            pass

    voice = (
        '[[flow]]\nname = "voice"\nkind = "rtp"\ndirection = "down"\n'
        'rtp = { interval = "20 ms", payload = "100 B" }\n'
    )
    both = airpath.Scenario(WIRE + voice).set("flow.download.tcp.controller", "cubic")
    delay = {}
    for queue in (Small, Plain):
        flows = airpath.run(both, parts={"path.sgi.queue": queue}).flows
        delay[queue] = flows["delay_mean_ms"][1]
    # A packet of the download is 2.4 ms on the wire.
    assert delay[Small] < 23
    assert delay[Plain] > 50


def test_round_robin_in_python_serves_all() -> None:
    class Turns(airpath.Scheduler):
        def __init__(self) -> None:
            self.turn = 0

        def schedule(self, slot: Slot) -> airpath.Grants:
            self.turn += 1
            best = slot.candidates[self.turn % len(slot.candidates)]
            return [(best, best.needed(slot.free))]

    class Nobody(airpath.Scheduler):
        def schedule(self, slot: Slot) -> airpath.Grants:
            return ()

    cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s").set("ue.ue.count", 4)
    served = airpath.run(cell, parts={"cell.scheduler": Turns}).metrics["goodput_bps"]
    assert served > 5e5
    nothing = airpath.run(cell, parts={"cell.scheduler": Nobody}).metrics["goodput_bps"]
    assert nothing < served / 5


def test_a_source_sends_when_it_says() -> None:
    class Twice(airpath.Source):
        left = 1

        def next(self, now: float) -> tuple[float, int] | None:
            self.left -= 1
            return (0.5, 1000) if self.left >= 0 else None

    cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
    cell.set("output.packets", True)
    packets = airpath.run(cell, parts={"flow.voice.rtp": Twice}).packets
    names, born, sizes = packets["flow"], packets["born_ns"], packets["size"]
    voice = [n for n, name in enumerate(names) if name == "voice"]
    assert [sizes[n] for n in voice][1] == 1000 + 28
    assert born[voice[1]] - born[voice[0]] == 500_000_000
    assert len(voice) == 2


class Raises(Reno):
    def on_ack(self, ack: Ack) -> None:
        if ack.now > 1:
            raise KeyError("where I forgot it")


def test_what_a_part_raises_comes_back_with_its_place(wire: airpath.Scenario) -> None:
    with pytest.raises(airpath.PartError) as error:
        airpath.run(wire, parts={CONTROLLER: Raises})
    said = str(error.value)
    assert said.startswith(f"{CONTROLLER} of download: Raises.on_ack at 1.0")
    assert "KeyError: 'where I forgot it'" in said
    assert isinstance(error.value.__cause__, KeyError)
    lines = "".join(traceback.format_exception(error.value.__cause__))
    assert "raise KeyError" in lines
    results = error.value.results
    assert results is not None
    assert not results.complete
    assert goodput(results) > 0


def grants(granted: Callable[[Slot, Candidate], object]) -> type[airpath.Scheduler]:
    class Wrong(airpath.Scheduler):
        def schedule(self, slot: Slot) -> airpath.Grants:
            return granted(slot, slot.candidates[0])  # type: ignore[return-value]

    return Wrong


@pytest.mark.parametrize(
    ("granted", "said"),
    [
        (lambda slot, one: [(one, slot.free + 1)], "1 to 6 are free"),
        (lambda slot, one: [(one, 0)], "it granted 0 resource blocks"),
        (lambda slot, one: [(one, 1), (one, 1)], "granted twice"),
        (lambda slot, one: {"phone": 3}, "pairs of a candidate"),
        (lambda slot, one: 7, "it gave 7"),
    ],
)
def test_grants_that_cannot_be(granted: Callable[[Slot, Candidate], object], said: str) -> None:
    cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
    with pytest.raises(airpath.PartError, match=said):
        airpath.run(cell, parts={"cell.scheduler": grants(granted)})


@pytest.mark.parametrize(
    ("attribute", "value", "said"),
    [
        ("cwnd", -3, "cwnd is -3: a number, 0 or more"),
        ("cwnd", float("nan"), "cwnd is nan"),
        ("cwnd", "much", "cwnd is 'much'"),
        ("pacing_rate", -1.0, "pacing_rate is -1.0"),
        ("ect", "ce", "not-ect, ect0 or ect1"),
    ],
)
def test_answers_that_cannot_be(
    wire: airpath.Scenario, attribute: str, value: object, said: str
) -> None:
    class Wrong(Reno):
        def on_ack(self, ack: Ack) -> None:
            setattr(self, attribute, value)

    with pytest.raises(airpath.PartError, match=said):
        airpath.run(wire, parts={CONTROLLER: Wrong})


@pytest.mark.parametrize("gave", [(0.0, 100), (1.0, 5), "soon", (1.0, 1.5), (float("nan"), 100)])
def test_packets_that_cannot_be(gave: object) -> None:
    class Wrong(airpath.Source):
        def next(self, now: float) -> tuple[float, int]:
            return gave  # type: ignore[return-value]

    cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
    with pytest.raises(airpath.PartError, match="the seconds until the next packet"):
        airpath.run(cell, parts={"flow.voice.rtp": Wrong})


def test_verdicts_and_ranks_that_cannot_be(wire: airpath.Scenario) -> None:
    class Wrong(airpath.Queue):
        def on_arrival(self, packet: Packet, queue: Backlog) -> Verdict:
            return "no"  # type: ignore[return-value]

    class Unranked(airpath.Queue):
        def on_arrival(self, packet: Packet, queue: Backlog) -> None:
            pass

        def rank(self, packet: Packet, queue: Backlog) -> float:
            return float("inf")

    for queue, said in ((Wrong, "a Verdict"), (Unranked, "it gave inf: a number")):
        with pytest.raises(airpath.PartError, match=said):
            airpath.run(wire, parts={"path.sgi.queue": queue})


def test_a_part_that_never_returns_is_ended(wire: airpath.Scenario) -> None:
    class Slow(Reno):
        def on_ack(self, ack: Ack) -> None:
            while True:
                pass

    began = time.monotonic()
    with pytest.raises(airpath.PartError, match=r"Slow.on_ack at .*longer than the 0.2 s"):
        airpath.run(wire, parts={CONTROLLER: Slow}, budget=0.2)
    assert time.monotonic() - began < 30


def test_a_part_that_cannot_be_ended_is_named(wire: airpath.Scenario) -> None:
    over = threading.Event()

    class Deaf(Reno):
        def on_ack(self, ack: Ack) -> None:
            over.wait(60)  # hears nothing until it returns

    try:
        with pytest.raises(airpath.PartError, match=f"{CONTROLLER} of download: on_ack: .*cannot be ended"):
            airpath.run(wire, parts={CONTROLLER: Deaf}, budget=0.2)
    finally:
        over.set()


def test_a_part_that_cannot_be_made(wire: airpath.Scenario) -> None:
    class Abstract(airpath.Controller):
        pass

    with pytest.raises(airpath.PartError, match="cannot be made.*abstract"):
        airpath.run(wire, parts={CONTROLLER: Abstract})
    with pytest.raises(airpath.PartError, match="an airpath.Queue is wanted, not Reno"):
        airpath.run(wire, parts={"path.sgi.queue": Reno})


def test_keys_that_are_not_there(wire: airpath.Scenario) -> None:
    with pytest.raises(airpath.InputError, match=r"there are flow.download.tcp.controller"):
        airpath.run(wire, parts={"flow.upload.tcp.controller": Reno})
    with pytest.raises(TypeError, match="a class, or a function"):
        airpath.run(wire, parts={CONTROLLER: Reno()})  # type: ignore[dict-item]
    with pytest.raises(airpath.InputError, match="budget is -1"):
        airpath.run(wire, parts={CONTROLLER: Reno}, budget=-1)
    with pytest.raises(TypeError, match="budget is a number of seconds"):
        airpath.run(wire, parts={CONTROLLER: Reno}, budget="1 s")  # type: ignore[arg-type]


QUIC = WIRE.replace('kind = "tcp"', 'kind = "quic"').replace('tcp = { controller = "newreno" }', "")
ON_QUIC = "flow.download.quic.congestion_control"


def test_reno_in_python_is_near_reno_on_quic() -> None:
    wire = airpath.Scenario(QUIC)
    own = airpath.run(wire, parts={ON_QUIC: Reno})
    theirs = airpath.run(wire.set(ON_QUIC, "airpath-newreno"))
    assert goodput(own) == pytest.approx(goodput(theirs), rel=0.02)
    assert own.summary != theirs.summary


def test_each_connection_of_quic_has_an_object_of_its_own() -> None:
    made: list[Reno] = []

    def make() -> Reno:
        made.append(Reno())
        return made[-1]

    wire = airpath.Scenario(QUIC).set("flow.download.quic.connections", 3).set("duration", "1 s")
    results = airpath.run(wire, parts={ON_QUIC: make})
    assert len({id(one) for one in made}) == 3
    assert results.summary["flows"][0]["quic"]["connections"] == 3
    assert all(one.segment == 1452 for one in made)


@pytest.mark.parametrize("window", [0, float("nan")])
def test_a_window_of_nothing_on_quic_names_the_part(window: float) -> None:
    class Shut(Reno):
        def on_loss(self, loss: Loss) -> None:
            self.cwnd = window

    with pytest.raises(airpath.PartError, match=r"on QUIC|cwnd is nan") as raised:
        airpath.run(airpath.Scenario(QUIC), parts={ON_QUIC: Shut})
    assert "flow.download.quic.congestion_control of download: Shut.on_loss" in str(raised.value)


def test_a_pacing_rate_on_quic_gives_a_warning() -> None:
    class Paced(Reno):
        pacing_rate = 1e6

    with pytest.warns(UserWarning, match="pacing_rate does not count on QUIC"):
        airpath.run(airpath.Scenario(QUIC).set("duration", "1 s"), parts={ON_QUIC: Paced})


def test_a_code_point_that_quic_does_not_send_names_the_key() -> None:
    class Scalable(Reno):
        ect = "ect1"

    with pytest.raises(airpath.PartError, match="by its quic.ecn"):
        airpath.run(airpath.Scenario(QUIC), parts={ON_QUIC: Scalable})
