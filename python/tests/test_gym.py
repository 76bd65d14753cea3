"""Environments of Gymnasium."""

from __future__ import annotations

import threading
import warnings

import numpy
import pytest
from gymnasium.utils.env_checker import check_env

import airpath
from airpath.gym import RateEnv, SchedulerEnv

CELL = airpath.Scenario.from_template("lte-6rb").set("duration", "2 s")
USERS = airpath.Scenario.from_template("lte-6rb").set("duration", "1500 ms").set("ue.ue.count", 8)
USERS.set("path.s1.rate", "100 Mbit/s")


@pytest.mark.parametrize("kind", ["rate", "scheduler"])
def test_gymnasiums_checker_is_content(kind: str) -> None:
    env = RateEnv(CELL, "download") if kind == "rate" else SchedulerEnv(USERS)
    with warnings.catch_warnings():
        # Quantities with units have no upper bound.
        warnings.filterwarnings("ignore", message=".*infinity.*")
        warnings.filterwarnings("ignore", message=".*symmetric.*")
        check_env(env, skip_render_check=True)
    env.close()


def episode(env: RateEnv | SchedulerEnv, seed: int) -> list[tuple[bytes, float]]:
    env.action_space.seed(3)
    env.reset(seed=seed)
    steps = []
    over = False
    while not over:
        observation, reward, terminated, over, _ = env.step(env.action_space.sample())
        assert not terminated
        steps.append((observation.tobytes(), reward))
    return steps


def test_the_same_seed_and_actions_give_the_same() -> None:
    env = RateEnv(airpath.Scenario.from_template("lte-6rb").set("path.s1.loss", 0.01), "download")
    first = episode(env, 1)
    assert len(first) > 10
    assert episode(env, 1) == first
    assert episode(env, 2) != first
    assert env.results is not None
    assert env.results.complete


def test_more_rate_is_more_goodput_until_the_cell_is_full() -> None:
    env = RateEnv(CELL.set("duration", "4 s"), "download", rates=(0.5, 8.0))
    env.reset(seed=1)
    seen = [env.step(numpy.ones(1, numpy.float32))[0] for _ in range(20)]
    # It doubles up to 8 Mbit/s, of which the cell carries about 4: the rest makes delay.
    assert seen[0][0] < 1.5
    assert seen[-1][0] > 3
    assert seen[-1][1] > 2 * seen[-1][2]
    env.close()


def test_weights_decide_who_is_served() -> None:
    env = SchedulerEnv(USERS)
    observation, _ = env.reset(seed=1)
    weights = numpy.zeros(8, numpy.float32)
    weights[5] = 1
    for _ in range(60):
        observation, *_ = env.step(weights)
    rates = observation[:, 2]
    assert rates[5] == max(rates)
    assert rates[5] > 2 * numpy.median(rates)
    env.close()


def test_what_fails_is_raised_where_the_environment_is_used() -> None:
    with pytest.raises(airpath.InputError, match="no part of this scenario"):
        RateEnv(CELL, "upload").reset()
    with pytest.raises(airpath.InputError, match="reset"):
        RateEnv(CELL, "download").step(numpy.ones(1, numpy.float32))


def test_nothing_is_left_running() -> None:
    before = threading.active_count()
    env = RateEnv(CELL, "download")
    for seed in range(5):
        env.reset(seed=seed)
    env.close()
    assert threading.active_count() == before
