# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The agent of the strategies rl and hybrid: episodes, learning, and the table that is written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from pqc_learning.agent.choice import Choice
from pqc_learning.agent.table import load_agent
from pqc_learning.agent.view import COLUMNS
from pqc_learning.closed_loop.cost_set import cost_sets
from pqc_learning.closed_loop.distribution import HELD_OUT, TRAINING, TRYING_OUT, draw
from pqc_learning.closed_loop.flight_plan import PreparedFlight
from pqc_learning.environment.episode import CHOICES, HOLD_S, Episode
from pqc_learning.training.agent import differences, train
from pqc_learning.training.experience import SIZE, STARTS, Experience, fly_flight
from pqc_learning.training.fitted_q import fitted, values

OURS = cost_sets()["tunnel"]


@pytest.fixture(scope="module")
def prepared() -> PreparedFlight:
    return PreparedFlight(draw(TRAINING.start + 3))


def flown(prepared: PreparedFlight, wanted: Choice) -> tuple[Episode, list[float], int]:
    """Make one choice wherever it is open; return rewards and seconds, too."""
    episode, rewards, seconds = Episode(prepared, OURS), [], 0
    moment = episode.first
    while moment is not None:
        passed = episode.choose(wanted if wanted in moment.able else Choice.HOLD)
        rewards.append(passed.reward)
        seconds += passed.seconds
        moment = passed.then
    return episode, rewards, seconds


def test_training_never_sees_a_flight_that_is_for_reporting_or_for_the_card() -> None:
    assert TRAINING.stop <= TRYING_OUT.start < TRYING_OUT.stop <= HELD_OUT


def test_an_episode_is_the_flight_from_its_first_choice_to_its_end(
    prepared: PreparedFlight,
) -> None:
    episode, rewards, seconds = flown(prepared, Choice.HOLD)
    first = Episode(prepared, OURS).first
    assert first is not None and first.second + seconds == prepared.seconds
    assert len(rewards) <= seconds / HOLD_S + 1
    # No second is worth more than the best that its phase allows.
    assert max(rewards) <= 0.0
    assert episode.flight.outcome.worth > 0.0


def test_choices_are_carried_out_within_the_limits_of_the_policy(prepared: PreparedFlight) -> None:
    busy, lazy = flown(prepared, Choice.REKEY)[0], flown(prepared, Choice.HOLD)[0]
    assert busy.flight.outcome.wanted > lazy.flight.outcome.wanted
    config = busy.flight.policy.config
    windows = prepared.seconds / config.rekey_window_s + 1
    assert busy.flight.outcome.wanted <= windows * config.rekey_limit


def test_equal_choices_have_equal_rewards(prepared: PreparedFlight) -> None:
    assert flown(prepared, Choice.RATCHET)[1] == flown(prepared, Choice.RATCHET)[1]


def test_experience_is_drawn_from_the_seed_of_the_flight() -> None:
    one, other = (fly_flight(TRAINING.start + 5, None) for _ in range(2))
    for name in Experience.__dataclass_fields__:
        assert np.array_equal(getattr(one, name), getattr(other, name))


def made_up(count: int, seed: int) -> Experience:
    """In a world of one second: up is worth 1 in bin 1 of the first column, else down is."""
    chance = np.random.default_rng(seed)
    seen = np.stack([chance.integers(0, len(column.bins), count) for column in COLUMNS], axis=1)
    choice = chance.integers(0, len(CHOICES), count)
    right = np.where(seen[:, 0] == 1, CHOICES.index(Choice.UP), CHOICES.index(Choice.DOWN))
    reward = (choice == right) + chance.normal(0.0, 0.1, count)
    return Experience(
        seen=seen + STARTS,
        choice=choice,
        reward=reward,
        seconds=np.ones(count, dtype=np.int64),
        then=np.zeros_like(seen),
        able=np.zeros((count, len(CHOICES)), dtype=np.bool_),
    )


def test_it_learns_which_choice_pays_where() -> None:
    weights = fitted(made_up(30_000, 1), turns=2)
    tried = made_up(2_000, 2)
    best = values(weights, tried.seen).argmax(axis=1)
    bin_1 = tried.seen[:, 0] == STARTS[0] + 1
    right = np.where(bin_1, CHOICES.index(Choice.UP), CHOICES.index(Choice.DOWN))
    assert (best == right).mean() > 0.98


def test_it_gives_up_a_reward_for_a_larger_one_later() -> None:
    """In bin 1 to hold leads to bin 2, where up pays 3; up pays 1 at once, and all is over."""
    hold, up = CHOICES.index(Choice.HOLD), CHOICES.index(Choice.UP)
    rows = [(1, hold, 0.0, 2), (1, up, 1.0, None), (2, up, 3.0, None), (2, hold, 0.0, None)] * 300
    seen = np.zeros((len(rows), len(COLUMNS)), dtype=np.int64)
    then, able = seen.copy(), np.zeros((len(rows), len(CHOICES)), dtype=np.bool_)
    for number, (at, _, _, leads) in enumerate(rows):
        seen[number, 0] = at
        if leads is not None:
            then[number, 0], able[number, [hold, up]] = leads, True
    experience = Experience(
        seen=seen + STARTS,
        choice=np.array([row[1] for row in rows]),
        reward=np.array([row[2] for row in rows]),
        seconds=np.ones(len(rows), dtype=np.int64),
        then=then + STARTS,
        able=able,
    )
    found = values(fitted(experience, turns=10), experience.seen)
    assert found[0, hold] > found[0, up]
    assert found[2, up] > found[2, hold]


def test_training_writes_a_table_that_passes_its_checks_and_is_reproduced(
    tmp_path: Path,
) -> None:
    file, few = tmp_path / "table.json", {"flights": 2, "tried_out": 2}
    assert train(1, "none", file=file, **few) == []
    written = file.read_text(encoding="utf-8")
    assert sum(len(column) for column in load_agent(file).weights[Choice.HOLD]) == SIZE
    assert train(1, "none", check=True, file=file, **few) == []
    assert file.read_text(encoding="utf-8") == written
    card = json.loads(written)["card"]
    assert card["metrics"]["flights"] == 2 and card["choices"] > 50
    worse = {**card["metrics"], "tunnel": {"reward_per_s": {"rl": 0.9, "hybrid": 0.9}}}
    assert len(differences(card["metrics"], worse)) == 2
