# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# The time of an example depends on what else the machine does.
settings.register_profile("here", deadline=None, database=None)
settings.load_profile("here")

PACKAGE = Path(__file__).parents[1]
sys.path.insert(0, str(Path(__file__).parent))
# Programs started by tests run from this source tree, too.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])]
)

from pqc_testing.ros_graph import isolate_graph  # noqa: E402
from station import Station  # noqa: E402

# Tests that run side by side don't share a ROS graph.
isolate_graph()


@pytest.fixture
def station() -> Station:
    """A station with a vehicle that has just been switched on."""
    return Station()


@pytest.fixture
def ready_station() -> Station:
    station = Station()
    station.run(2.0)
    return station


# Files that take long: whoever runs files side by side begins with them.
LONGEST = (
    "test_demo.py",
    "test_demo_radio.py",
    "test_demo_links.py",
    "test_demo_ends.py",
    "test_programs.py",
    "test_seed_claims.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of the longest files first; the others keep their order."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))
