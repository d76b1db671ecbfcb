# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The flight simulator as an environment of gymnasium.

Observation: the bin of each column of pqc_policy's agent_view.py. Action: the number of a Choice;
one that is not open is the same as to hold, and `info["action_mask"]` says which are open. The
reward is that of the seconds until the next choice, of which `info["seconds"]` is the number.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from pqc_learning.agent.choice import Choice
from pqc_learning.agent.view import COLUMNS
from pqc_learning.closed_loop.cost_set import cost_sets
from pqc_learning.closed_loop.distribution import TRAINING, draw
from pqc_learning.closed_loop.flight_plan import PreparedFlight
from pqc_learning.environment.episode import CHOICES, Episode, Moment

Observation = NDArray[np.int64]


class FlightEnv(gymnasium.Env[Observation, np.int64]):
    """Each reset begins another flight."""

    def __init__(self, costs: str = "tunnel_floor_1", strategy: str = "rl") -> None:
        """Choose the costs (pqc_sim's cost_set.py), and rl or hybrid."""
        self.observation_space = spaces.MultiDiscrete([len(column.bins) for column in COLUMNS])
        self.action_space = spaces.Discrete(len(CHOICES))
        self._costs, self._strategy = cost_sets()[costs], strategy
        self._episode: Episode | None = None
        self._moment: Moment | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a flight of the training's distribution; `options["flight"]` names one by seed."""
        super().reset(seed=seed)
        self._moment = None
        while self._moment is None:
            drawn = int(self.np_random.integers(TRAINING.start, TRAINING.stop))
            flight = PreparedFlight(draw((options or {}).get("flight", drawn)))
            self._episode = Episode(flight, self._costs, self._strategy)
            self._moment = self._episode.first
            if self._moment is None and options is not None and "flight" in options:
                raise ValueError(f"flight {options['flight']} has no choice")
        return self._seen(), self._info(0)

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        assert self._episode is not None and self._moment is not None, "call reset first"
        choice = CHOICES[int(action)]
        passed = self._episode.choose(choice if choice in self._moment.able else Choice.HOLD)
        over = passed.then is None
        if passed.then is not None:
            self._moment = passed.then
        return self._seen(), passed.reward, over, False, self._info(passed.seconds)

    def _seen(self) -> Observation:
        assert self._moment is not None
        return np.array(self._moment.view, dtype=np.int64)

    def _info(self, seconds: int) -> dict[str, Any]:
        assert self._moment is not None
        able = self._moment.able
        mask = np.array([choice in able for choice in CHOICES], dtype=np.int8)
        return {"action_mask": mask, "seconds": seconds}
