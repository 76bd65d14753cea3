"""Environments of Gymnasium around a cell, to learn rate control and scheduling.

A run goes on in a thread of its own and waits for the next action at each interval of simulated time.
An episode is a run: its end is a truncation. The same seed and actions give the same observations.
This module needs Gymnasium and NumPy: ``pip install '.[gym]'`` in airpath's folder.
"""

from __future__ import annotations

import queue
import threading
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import gymnasium
import numpy
from gymnasium import spaces
from numpy.typing import NDArray

from airpath._errors import InputError
from airpath._parts import Ack, Controller, Grants, Loss, Maker, Scheduler, Slot, Start
from airpath._run import Run, given, run
from airpath._scenario import Scenario

Array: TypeAlias = NDArray[numpy.float32]
Reward: TypeAlias = Callable[[Array], float]


class _Closed(Exception):
    """The environment is done with this run."""


class _Dialogue:
    """What the run and the environment say to each other."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[Array | Run | BaseException] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Array | None] = queue.SimpleQueue()

    def ask(self, observation: Array) -> Array:
        """Called by the run: the action that follows from what is observed."""
        self._asked.put(observation)
        action = self._answers.get()
        if action is None:
            raise _Closed
        return action

    def end(self, with_what: Run | BaseException) -> None:
        self._asked.put(with_what)

    def next(self) -> Array | Run | BaseException:
        return self._asked.get()

    def answer(self, action: Array | None) -> None:
        self._answers.put(action)


class _CellEnv(gymnasium.Env[Array, Array]):
    """A run that waits for actions."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, scenario: Scenario | str, interval: float, reward: Reward) -> None:
        if not interval > 0:
            raise InputError(f"interval is {interval!r}: seconds above 0")
        self._scenario = given(scenario)
        self._interval = interval
        self._reward = reward
        self._dialogue: _Dialogue | None = None
        self._thread: threading.Thread | None = None
        self._last: Array | None = None
        self.results: Run | None = None
        """Those of the last episode that came to its end."""

    @abstractmethod
    def _parts(self, dialogue: _Dialogue) -> dict[str, Maker]:
        """The parts that ask."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins a run. Without ``seed`` each episode has another one, drawn at random."""
        super().reset(seed=seed)
        self.close()
        dialogue = _Dialogue()
        chosen = seed if seed is not None else int(self.np_random.integers(1 << 32))
        parts = self._parts(dialogue)

        def episode() -> None:
            try:
                ended: Run | BaseException = run(
                    self._scenario, seed=chosen, parts=parts, budget=None, progress=False
                )
            except BaseException as error:  # it is raised where the environment is used
                ended = error
            dialogue.end(ended)

        self._dialogue = dialogue
        self._thread = threading.Thread(target=episode, daemon=True)
        self._thread.start()
        observation = self._observed()
        if observation is None:
            raise InputError("the run ended before anything was to be decided")
        return observation, {"seed": chosen}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """The action holds for an interval. Gives what was observed in it, the reward, and whether
        the run is over, as a truncation."""
        if self._dialogue is None or self._last is None:
            raise InputError("step() needs reset() before it")
        self._dialogue.answer(numpy.asarray(action, dtype=numpy.float32))
        observation = self._observed()
        if observation is None:
            return self._last, 0.0, False, True, {}
        return observation, float(self._reward(observation)), False, False, {}

    def _observed(self) -> Array | None:
        """What the run says next; none if it is over."""
        assert self._dialogue is not None
        said = self._dialogue.next()
        if isinstance(said, numpy.ndarray):
            self._last = said
            return said
        self._dialogue = None
        if isinstance(said, BaseException):
            raise said
        self.results = said
        return None

    def close(self) -> None:
        """Ends the run that goes on, if any."""
        if self._dialogue is not None:
            self._dialogue.answer(None)
            self._dialogue = None
        if self._thread is not None:
            self._thread.join()
            self._thread = None


def aurora(observation: Array) -> float:
    """10 · packets/s − 1000 · RTT in s − 2000 · share lost, for :class:`RateEnv` (Jay et al., "A
    Deep Reinforcement Learning Perspective on Internet Congestion Control", ICML 2019), with
    packets of 1500 bytes."""
    packets = float(observation[0]) * 1e6 / 12_000
    return 10 * packets - float(observation[1]) - 2000 * float(observation[3])


class RateEnv(_CellEnv):
    """Rate control of a TCP flow.

    Observed each ``interval`` seconds, at the first acknowledgement behind it: goodput (Mbit/s),
    smoothed RTT (ms), lowest RTT (ms), share lost, share marked (0 to 1), rate (Mbit/s). The action,
    one number from -1 to 1, multiplies the rate by 2 to this power; it stays between ``rates``
    (Mbit/s).

    >>> import airpath
    >>> from airpath.gym import RateEnv
    >>> env = RateEnv(airpath.Scenario.from_template("lte-6rb").set("duration", "2 s"), "download")
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    >>> observation.shape
    (6,)
    >>> env.close()
    """

    def __init__(
        self,
        scenario: Scenario | str,
        flow: str,
        *,
        interval: float = 0.1,
        rates: tuple[float, float] = (0.1, 100.0),
        reward: Reward = aurora,
    ) -> None:
        super().__init__(scenario, interval, reward)
        if not 0 < rates[0] < rates[1]:
            raise InputError(f"rates is {rates!r}: the least and the most, in Mbit/s, above 0")
        self._flow, self._rates = flow, rates
        self.action_space = spaces.Box(-1.0, 1.0, (1,), numpy.float32)
        self.observation_space = spaces.Box(0.0, numpy.inf, (6,), numpy.float32)

    def _parts(self, dialogue: _Dialogue) -> dict[str, Maker]:
        agent = lambda: _Agent(dialogue, self._interval, self._rates)  # noqa: E731
        return {f"flow.{self._flow}.tcp.controller": agent}


class _Agent(Controller):
    """Sends at the rate that was decided, and counts what comes of it."""

    def __init__(
        self, dialogue: _Dialogue, interval: float, rates: tuple[float, float]
    ) -> None:
        self._dialogue, self._interval, self._rates = dialogue, interval, rates
        self._rate = rates[0]
        self._since = 0.0
        self._delivered = self._lost = self._marked = 0

    def on_start(self, start: Start) -> None:
        super().on_start(start)
        self._since = start.now
        self._set()

    def on_lost(self, now: float, packets: int, size: int) -> None:
        self._lost += size

    def on_loss(self, loss: Loss) -> None:
        pass

    def on_rto(self, loss: Loss) -> None:
        pass

    def on_ack(self, ack: Ack) -> None:
        self._delivered += ack.delivered
        self._marked += ack.ce_bytes
        if ack.now >= self._since + self._interval:
            self._decide(ack)

    def _decide(self, ack: Ack) -> None:
        sent = max(self._delivered + self._lost, 1)
        observation = numpy.array(
            [
                self._delivered * 8e-6 / (ack.now - self._since),
                (ack.srtt or 0.0) * 1e3,
                (ack.min_rtt or 0.0) * 1e3,
                self._lost / sent,
                min(self._marked / max(self._delivered, 1), 1.0),
                self._rate,
            ],
            dtype=numpy.float32,
        )
        self._since = ack.now
        self._delivered = self._lost = self._marked = 0
        factor = 2.0 ** float(numpy.clip(self._dialogue.ask(observation)[0], -1, 1))
        self._rate = min(max(self._rate * factor, self._rates[0]), self._rates[1])
        self._set()

    def _set(self) -> None:
        self.pacing_rate = self._rate * 1e6
        # As much as that rate may have under way in half a second.
        self.cwnd = max(self._rate * 1e6 / 8 * 0.5, 4 * self.segment)


def rate_and_delay(observation: Array) -> float:
    """Mean over UEs of the logarithm of the rate at which each was served, less the mean delay of
    what waits first in seconds, for :class:`SchedulerEnv`."""
    rates, delays = observation[:, 2], observation[:, 1]
    return float(numpy.log1p(rates).mean() - delays.mean() / 1e3)


class SchedulerEnv(_CellEnv):
    """Scheduling of the downlink of a cell.

    Observed each ``interval`` seconds, a row for each UE: bytes that wait, delay of the first of
    them (ms), mean rate at which it was served (Mbit/s), rate that it would get alone (Mbit/s);
    zeros where nothing waits. The action is a weight from 0 to 1 for each UE. In each slot of the
    interval UEs are served by falling weight, each with what it needs.

    >>> import airpath
    >>> from airpath.gym import SchedulerEnv
    >>> cell = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
    >>> env = SchedulerEnv(cell.set("ue.ue.count", 8))
    >>> observation, info = env.reset(seed=1)
    >>> observation.shape
    (8, 4)
    >>> env.close()
    """

    def __init__(
        self,
        scenario: Scenario | str,
        *,
        interval: float = 0.01,
        reward: Reward = rate_and_delay,
    ) -> None:
        super().__init__(scenario, interval, reward)
        self._ues = self._scenario._resolve().ues()
        shape = (len(self._ues),)
        self.action_space = spaces.Box(0.0, 1.0, shape, numpy.float32)
        self.observation_space = spaces.Box(0.0, numpy.inf, (*shape, 4), numpy.float32)

    def _parts(self, dialogue: _Dialogue) -> dict[str, Maker]:
        made: list[_Weights] = []

        def make() -> _Weights:
            if made:
                raise InputError("a SchedulerEnv has one cell; this scenario has several")
            made.append(_Weights(dialogue, self._interval, self._ues))
            return made[0]

        return {"cell.scheduler": make}


class _Weights(Scheduler):
    """Serves by weights that hold for an interval."""

    def __init__(self, dialogue: _Dialogue, interval: float, ues: list[str]) -> None:
        self._dialogue, self._interval = dialogue, interval
        self._number = {name: n for n, name in enumerate(ues)}
        self._weights = numpy.ones(len(ues), dtype=numpy.float32)
        self._due = 0.0

    def schedule(self, slot: Slot) -> Grants:
        now = slot.tti * slot.tti_length
        if now >= self._due:
            self._due = now + self._interval
            self._weights = self._dialogue.ask(self._observation(slot))
        first = sorted(slot.candidates, key=lambda one: -self._weights[self._number[one.ue]])
        left, grants = slot.free, []
        for candidate in first:
            count = candidate.needed(left)
            # Whole groups, as the cell makes of it.
            count = min(-(-count // slot.group) * slot.group, left)
            if count == 0:
                break
            grants.append((candidate, count))
            left -= count
        return grants

    def _observation(self, slot: Slot) -> Array:
        rows = numpy.zeros((len(self._number), 4), dtype=numpy.float32)
        for one in slot.candidates:
            alone = one.bytes(slot.resource_blocks) * 8e-6 / slot.tti_length
            values = (one.wanted, one.head_of_line * 1e3, one.mean_rate * 1e-6, alone)
            rows[self._number[one.ue]] = values
        return rows


__all__ = ["RateEnv", "SchedulerEnv", "aurora", "rate_and_delay"]
