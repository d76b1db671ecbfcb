# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

# No deadline, since the time of an example depends on the load of the machine. The examples are the
# same in every run and are not shrunk, since histories of hours take too long for that.
settings.register_profile(
    "here",
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("here")

sys.path.insert(0, str(Path(__file__).parent))

# Files that take long: whoever runs files side by side begins with them.
LONGEST = (
    "test_missing_inputs_nodes.py",
    "test_sensing_nodes.py",
    "test_invariants.py",
    "test_policy_node.py",
    "test_standard_streams.py",
    "test_flights_live.py",
    "test_node_arguments.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of the longest files first; the others keep their order."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))
