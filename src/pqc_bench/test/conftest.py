# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes depends on what else the machine does.
settings.register_profile("here", deadline=None, database=None)
settings.load_profile("here")

# Tests that run side by side don't share a ROS graph.
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
os.environ.setdefault("ROS_DOMAIN_ID", str(20 + WORKER))
PACKAGE = Path(__file__).parents[1]
sys.path.insert(0, str(Path(__file__).parent))
# Programs started by tests run from this source tree, too.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])]
)

from station import Station  # noqa: E402


@pytest.fixture
def station() -> Station:
    """A station with a vehicle that has just been switched on."""
    return Station()


@pytest.fixture
def ready_station() -> Station:
    """A station whose vehicle has found its position."""
    station = Station()
    station.run(2.0)
    return station
