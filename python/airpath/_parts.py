"""Parts of a run that are written in Python: controllers, queues, schedulers, sources.

Times and delays are in seconds, sizes in bytes, rates in bit/s.
"""

from __future__ import annotations

import ctypes
import enum
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar, NamedTuple, TypeAlias

from airpath._airpath import Ack, Backlog, Candidate, Loss, Packet, Slot, Start
from airpath._errors import InputError


class Controller(ABC):
    """A congestion controller of TCP or QUIC: how much may be in flight, and how fast it may leave.

    Loss detection and retransmission belong to the connection. Attributes are read behind each
    call. One object is made for each flow, and for each connection of a flow of QUIC. QUIC has
    bytes of UDP instead of payload, and paces by the window; ``docs/stacks.md`` has the list.

    >>> import airpath
    >>> class Fixed(airpath.Controller):
    ...     def on_ack(self, ack: airpath.Ack) -> None:
    ...         self.cwnd = 20 * self.segment
    ...     def on_loss(self, loss: airpath.Loss) -> None:
    ...         pass
    >>> cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
    >>> results = airpath.run(cell, parts={"flow.download.tcp.controller": Fixed})
    >>> results.flows["name"]
    ['download', 'voice']
    """

    cwnd: float = 0
    """Congestion window in bytes of payload. One segment may be in flight however small it is."""
    ssthresh: float = math.inf
    """Slow start threshold in bytes of payload, for series of it."""
    pacing_rate: float | None = None
    """How fast payload may leave, in bit/s; none for as fast as the window allows."""
    send_quantum: float = 0
    """Bytes that may leave at once where they are paced; one segment may, however small it is."""
    ect: str = "ect0"
    """Code point of packets where both ends agreed on ECN: "ect0", "ect1" or "not-ect"."""
    segment: int = 0
    """Payload bytes of a full segment; known from :meth:`on_start` on."""
    flow_keys: ClassVar[Mapping[str, object]] = {}
    """Keys below the flow that :func:`airpath.evaluate` sets for the class: ``{"tcp.ecn": "accurate"}``. With
    ``{"kind": "quic"}`` it drives a flow of QUIC."""

    def on_start(self, start: Start) -> None:
        """The connection is established. As it is here, ``cwnd`` becomes the initial window."""
        self.segment = start.segment
        self.cwnd = start.initial_window

    @abstractmethod
    def on_ack(self, ack: Ack) -> None:
        """An acknowledgement brought news."""

    @abstractmethod
    def on_loss(self, loss: Loss) -> None:
        """A loss recovery begins: once for each window (RFC 6675, 5)."""

    def on_congestion(self, mark: Loss) -> None:
        """Packets were marked: once for each window (RFC 3168, 6.1.2). As after a loss."""
        self.on_loss(mark)

    def on_rto(self, loss: Loss) -> None:
        """The retransmission timer ran out. As after a loss, and then one segment."""
        self.on_loss(loss)
        self.cwnd = self.segment

    def on_recovered(self, now: float) -> None:
        """Loss recovery is over."""

    def on_spurious(self, now: float) -> None:
        """What the last loss or timeout was for had not been lost (RFC 4015)."""

    def on_idle(self, restart_window: int) -> None:
        """Nothing was sent for longer than a timeout; ``restart_window`` in bytes is that of RFC
        5681, 4.1."""

    def on_sent(self, now: float, size: int, in_flight: int) -> None:
        """A segment of ``size`` bytes leaves; ``in_flight`` does not count it yet."""

    def on_lost(self, now: float, packets: int, size: int) -> None:
        """Segments of ``size`` bytes together were found lost, in recovery too."""


class Verdict(enum.IntEnum):
    """What becomes of a packet at a queue."""

    PASS = 0
    MARK = 1
    """Congestion experienced; dropped if it is not ECN-capable (RFC 3168, 5)."""
    DROP = 2


class Queue(ABC):
    """A queue of a wired link: what enters, in which order packets leave, what is marked.

    The packets themselves stay with airpath. It is a push-in-first-out queue (Sivaraman et al.,
    SIGCOMM 2016). One object is made for each direction.

    >>> import airpath
    >>> class Short(airpath.Queue):
    ...     def on_arrival(self, packet: airpath.Packet, queue: airpath.Backlog) -> airpath.Verdict:
    ...         full = queue.packets >= 10
    ...         return airpath.Verdict.DROP if full else airpath.Verdict.PASS
    >>> wire = airpath.Scenario.from_template("wires-dualpi2").set("duration", "2 s")
    >>> results = airpath.run(wire, parts={"path.sgi.queue": Short})
    >>> results.complete
    True
    """

    @abstractmethod
    def on_arrival(self, packet: Packet, queue: Backlog) -> Verdict | None:
        """A packet arrives; ``queue`` does not count it. None lets it pass."""

    def rank(self, packet: Packet, queue: Backlog) -> float:
        """Packets of the least rank leave first, among equals the oldest. As it is here, first in,
        first out."""
        return 0.0

    def on_departure(self, packet: Packet, queue: Backlog) -> Verdict | None:
        """A packet is about to leave; if it is dropped, the next is asked about."""
        return None


#: What a scheduler grants: candidates and numbers of resource blocks.
Grants: TypeAlias = Iterable[tuple[Candidate, int]]


class Scheduler(ABC):
    """The downlink scheduler of a cell. One object is made for each cell.

    >>> import airpath
    >>> class Greedy(airpath.Scheduler):
    ...     def schedule(self, slot: airpath.Slot) -> airpath.Grants:
    ...         best = max(slot.candidates, key=lambda one: one.bytes(slot.resource_blocks))
    ...         return [(best, slot.free)]
    >>> cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
    >>> results = airpath.run(cell, parts={"cell.scheduler": Greedy})
    >>> results.complete
    True
    """

    @abstractmethod
    def schedule(self, slot: Slot) -> Grants:
        """Candidates with how many of the free resource blocks each gets, its best ones. What
        fills no group gets the whole of it. Without control channel elements left a candidate
        gets nothing."""


class Source(ABC):
    """When a flow of kind ``rtp`` sends, and how much. One object is made for each flow.

    >>> import airpath
    >>> class OnOff(airpath.Source):
    ...     def next(self, now: float) -> tuple[float, int]:
    ...         return (0.02, 200) if now % 2 < 1 else (1.0, 200)
    >>> cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
    >>> results = airpath.run(cell, parts={"flow.voice.rtp": OnOff})
    >>> results.complete
    True
    """

    @abstractmethod
    def next(self, now: float) -> tuple[float, int] | None:
        """A packet leaves: how long after it the next one does, and the bytes of that one's RTP
        packet, 12 to 65,487. None if it was the last."""


#: A part of any kind.
Part: TypeAlias = Controller | Queue | Scheduler | Source
#: What makes a part: its class, or a function without arguments.
Maker: TypeAlias = Callable[[], Part]
#: Makers, by the keys of the scenario in whose place their parts stand.
Parts: TypeAlias = Mapping[str, Maker]


class Own(NamedTuple):
    """Parts as the module takes them."""

    makers: list[tuple[str, Maker]]
    budget: float | None


def own(parts: Parts | None, budget: float | None) -> Own | None:
    """Checks what was given."""
    if not parts:
        return None
    if not isinstance(parts, Mapping):
        raise TypeError(f"parts is a dict of keys and classes, not {type(parts).__name__}")
    for key, maker in parts.items():
        if not isinstance(key, str):
            raise TypeError(f"parts has {key!r}: keys are texts, as 'cell.scheduler'")
        if not callable(maker):
            raise TypeError(
                f"parts has {maker!r} for {key}: a class, or a function without arguments that "
                "makes a part, as each flow, link and cell has one of its own"
            )
    if budget is not None and (isinstance(budget, bool) or not isinstance(budget, (int, float))):
        raise TypeError(f"budget is a number of seconds, or None, not {budget!r}")
    if budget is not None and not (budget > 0 and math.isfinite(budget)):
        raise InputError(f"budget is {budget!r}: seconds above 0, or None")
    return Own(list(parts.items()), budget)


def _interrupt(thread: int, words: str) -> None:
    """Raises a ``TimeoutError`` of these words in a thread that calls a part for too long."""
    # Python makes the exception in that thread, without arguments.
    said = type("TimeoutError", (TimeoutError,), {"__str__": lambda _: words})
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(said))


__all__ = [
    "Ack",
    "Backlog",
    "Candidate",
    "Controller",
    "Grants",
    "Loss",
    "Packet",
    "Queue",
    "Scheduler",
    "Slot",
    "Source",
    "Start",
    "Verdict",
]
