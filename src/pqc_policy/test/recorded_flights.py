# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The recorded flights: their folders, the policies they were flown with, and their logs."""

from __future__ import annotations

import json
from pathlib import Path

from pqc_policy.policy.engine import Policy
from pqc_policy.policy.explain.decision_log import Line
from pqc_policy.replay.parameter_file import read_settings

FLIGHTS = Path(__file__).parent.parent / "flights"
NAMES = sorted(folder.name for folder in FLIGHTS.iterdir())


def parameter_file(name: str) -> Path | None:
    """Return the parameter file of a flight; None if it was flown with the defaults."""
    file = FLIGHTS / name / "policy.yaml"
    return file if file.exists() else None


def policy_of(name: str) -> Policy:
    """Return the policy that a flight was flown with."""
    return read_settings(parameter_file(name)).make_policy()


def log_of(name: str) -> list[Line]:
    return json.loads((FLIGHTS / name / "decisions.json").read_text(encoding="utf-8"))
