# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of ./dev train that need none of its libraries."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pqc_learning.training.train_command import differences, make_parser


def test_all_is_trained_unless_something_is_named() -> None:
    assert make_parser().parse_args([]).what == "all"
    assert make_parser().parse_args(["trees", "--check"]).check


def test_help_and_options_need_no_library_of_the_training() -> None:
    code = (
        "import sys\nfrom pqc_learning.training.train_command import make_parser\n"
        "make_parser().parse_args(['trees'])\n"
        "print(*({'xgboost', 'jax', 'onnx', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("metric", "before", "now", "differs"),
    [
        ("soon_jamming", 0.95, 0.97, False),
        ("soon_jamming", 0.95, 0.85, True),
        ("false_alarms_per_hour", 0.3, 1.1, False),
        ("false_alarms_per_hour", 0.3, 1.5, True),
        ("normal_hours", 20.0, 30.0, False),
    ],
)
def test_metrics_are_reproduced_within_bounds(
    metric: str, before: float, now: float, differs: bool
) -> None:
    assert bool(differences({metric: before}, {metric: now})) is differs


def test_a_metric_that_is_missing_is_a_difference() -> None:
    assert differences({"soon_jamming": 0.9}, {}) == ["soon_jamming is missing."]
