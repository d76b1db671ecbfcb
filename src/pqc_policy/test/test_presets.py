# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Each preset of a vehicle loads, and every rule of its strategy can act."""

from __future__ import annotations

from pathlib import Path

import pytest
from pqc_policy.policy.inert_rules import inert_rules
from pqc_policy.replay.parameter_file import read_settings, read_values

FOLDER = Path(__file__).resolve().parents[3] / "config" / "policy_presets"
PRESETS = sorted(FOLDER.glob("*.yaml"))
# Rules that a preset gives up on purpose.
GIVEN_UP = {"expert": {"battery"}, "no_sensors": {"emergency", "stress"}}


def test_there_are_presets() -> None:
    if not FOLDER.is_dir():
        pytest.skip("the sources are not here")
    assert len(PRESETS) >= 5


@pytest.mark.parametrize("file", PRESETS, ids=lambda file: file.stem)
def test_a_preset_loads_and_passes_check(file: Path) -> None:
    policy = read_settings(file).make_policy()
    given_up = GIVEN_UP.get(file.stem, set()) | GIVEN_UP.get(policy.config.strategy, set())
    assert {inert.rule for inert in inert_rules(policy)} <= given_up
    assert policy.config.strategy == read_values(file)["strategy"]
