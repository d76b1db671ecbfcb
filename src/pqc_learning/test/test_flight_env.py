# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The environment keeps to the interface of gymnasium, where that is installed."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env
from pqc_learning.closed_loop.distribution import TRAINING
from pqc_learning.environment.flight_env import FlightEnv


def test_gymnasium_s_own_checks_pass() -> None:
    check_env(FlightEnv(), skip_render_check=True)


def test_a_flight_goes_from_reset_to_its_end_with_choices_that_are_open() -> None:
    env = FlightEnv("tunnel")
    seen, info = env.reset(seed=1, options={"flight": TRAINING.start + 3})
    over, seconds = False, 0
    while not over:
        assert env.observation_space.contains(seen)
        open_ones = np.flatnonzero(info["action_mask"])
        assert len(open_ones) > 1
        seen, reward, over, cut, info = env.step(open_ones[-1])
        assert reward <= 0.0 and not cut
        seconds += info["seconds"]
    assert seconds > 100
