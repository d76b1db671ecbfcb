# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of ./dev train that need none of its libraries."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from pqc_learning.training import detector, train_command
from pqc_learning.training.train_command import MODELS, differences, main, make_parser


def test_all_is_trained_unless_something_is_named() -> None:
    assert make_parser().parse_args([]).what == "all"
    assert make_parser().parse_args(["trees", "--check"]).check


def test_help_and_options_need_no_library_of_the_training() -> None:
    code = (
        "import sys\nfrom pqc_learning.training.train_command import make_parser\n"
        "make_parser().parse_args(['trees'])\n"
        "print(*({'xgboost', 'jax', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("metric", "before", "now", "differs"),
    [
        ("soon_jamming", 0.95, 0.97, False),
        ("soon_jamming", 0.95, 0.85, True),
        ("false_alarms_per_hour", 0.1, 0.18, False),
        ("false_alarms_per_hour", 0.1, 0.21, True),
        ("normal_hours", 20.0, 30.0, False),
    ],
)
def test_metrics_are_reproduced_within_bounds(
    metric: str, before: float, now: float, differs: bool
) -> None:
    assert bool(differences({metric: before}, {metric: now})) is differs


def test_a_metric_that_is_missing_is_a_difference() -> None:
    assert differences({"soon_jamming": 0.9}, {}) == ["soon_jamming is missing."]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with the cards of two models."""
    for name in ("trees", "transformer"):
        folder = tmp_path / MODELS[name] / name
        folder.mkdir(parents=True)
        card = {"metrics": {"soon_jamming": 0.9}, "sha256": "before"}
        (folder / "card.json").write_text(json.dumps(card))
    return tmp_path


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Replace the training of detectors; return the metrics that each of them finds."""
    found = {"trees": 0.92, "transformer": 0.92}

    def train(name: str, folder: Path, *_: object, **__: object) -> dict[str, object]:
        folder.mkdir(parents=True, exist_ok=True)
        card = {"metrics": {"soon_jamming": found[name]}, "sha256": "now"}
        (folder / "card.json").write_text(json.dumps(card))
        return card

    modules = {"pqc_learning.training.detector": SimpleNamespace(train=train)}
    monkeypatch.setattr(train_command, "import_module", modules.__getitem__)
    return found


def test_a_check_writes_nothing_and_fails_for_what_is_not_reproduced(
    checkout: Path, trained: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    card = checkout / MODELS["trees"] / "trees/card.json"
    before = card.read_bytes()
    assert main(["trees", "--check", "--root", str(checkout)]) == 0
    assert "trees: the metrics of the card are reproduced\n" in capsys.readouterr().out
    trained["trees"] = 0.5
    assert main(["trees", "--check", "--root", str(checkout)]) == 1
    told = capsys.readouterr().err
    assert told == "train: trees: soon_jamming is 0.500, and was 0.900.\n"
    assert card.read_bytes() == before


def test_without_a_check_the_card_is_replaced(checkout: Path, trained: dict[str, float]) -> None:
    assert main(["transformer", "--root", str(checkout)]) == 0
    card = json.loads((checkout / MODELS["transformer"] / "transformer/card.json").read_text())
    assert card["metrics"]["soon_jamming"] == 0.92


def test_a_training_of_reduced_size_is_reproduced(tmp_path: Path) -> None:
    """Where the libraries of the training are, as in the environment of ./dev train."""
    pytest.importorskip("xgboost")
    size = replace(detector.SIZES["trees"], training=(8, 4), validation=(4, 4), effort=4, calm=2)
    cards = [
        detector.train("trees", tmp_path / str(turn), 1, "none", "test", size) for turn in (1, 2)
    ]
    assert differences(cards[0]["metrics"], cards[1]["metrics"]) == []
    assert cards[0]["sha256"] == cards[1]["sha256"]


def test_the_agent_is_trained_without_an_environment_of_ros() -> None:
    """`./dev train` has the packages of setup/python_train.txt alone."""
    code = (
        "import sys\nsys.modules['ament_index_python'] = None\n"
        "sys.modules['ament_index_python.packages'] = None\n"
        "import pqc_learning.training.agent"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
