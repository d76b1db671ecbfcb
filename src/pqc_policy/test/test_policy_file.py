# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameter file that users start from says what the defaults are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from pqc_policy.nodes.policy_settings import PARAMETERS, make_policy
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.replay.settings import make_settings

FILE = Path(__file__).parents[3] / "config" / "policy.yaml"
UPDATER = "diagnostic_updater.period"


@pytest.fixture
def section() -> dict[str, Any]:
    document = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return dict(document["/**/policy"]["ros__parameters"])


def test_it_has_every_parameter_with_its_default(section: dict[str, Any]) -> None:
    assert section.pop(UPDATER) == 1.0
    defaults = {parameter.name: parameter.default for parameter in PARAMETERS}
    assert section == defaults
    assert {name: type(value) for name, value in section.items()} == {
        name: type(value) for name, value in defaults.items()
    }


def test_what_it_says_is_the_default_policy(section: dict[str, Any]) -> None:
    del section[UPDATER]
    assert make_policy(section).config == PolicyConfig()


def test_it_can_be_replayed_with() -> None:
    assert make_settings(FILE, None, None).policy.config == PolicyConfig()
