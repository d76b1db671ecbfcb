# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the checked-in models on flights that no training has seen."""

from __future__ import annotations

from math import isfinite

import numpy as np
import pytest
from pqc_learning.data.conditions import Conditions, Direction, slot_count
from pqc_learning.data.episodes import Episode
from pqc_learning.data.recording import Recorded, record
from pqc_learning.judging.contenders import SHIPPED, make_detectors
from pqc_learning.judging.flown import Judged, judge
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.model_folder import find_model, read_model, shipped_models

MODELS = sorted(
    {card.parent.name for place in shipped_models() for card in place.glob("*/card.json")}
)
SECONDS = 120.0


def flight(kind: str = "", per_s: float = 50.0) -> Recorded:
    """Return two minutes; from 60 s to 100 s something happens."""
    ways = (Direction.calm(slot_count(SECONDS), per_s, 0.03, 0.005) for _ in range(2))
    conditions = Conditions.calm("lte", SECONDS, *ways)
    span = conditions.span(60.0, 100.0)
    if kind == "volumetric":
        conditions.drops["malformed"][span] = 3000.0
    elif kind == "jamming":
        conditions.up.loss[span] = 0.9
    elif kind == "protocol":
        conditions.drops["auth_fail"][span] = 30.0
    elif kind == "less":
        conditions.up.rate[span] *= 0.2
    if kind and kind != "less":
        conditions.episodes.append(Episode(kind, "test", 60.0, 100.0))
    return record(conditions, np.random.default_rng(2))


def judged(name: str, whole: Recorded) -> Judged:
    return judge(whole, make_detectors(name))


def test_there_are_boosted_trees_and_a_transformer() -> None:
    assert {"trees", "transformer"} <= set(MODELS)


def test_one_contender_is_what_flies_unless_other_detectors_are_named() -> None:
    flying, missing = AdvisorSettings().find_detectors()
    assert missing == ()
    assert [one.name for one in make_detectors(SHIPPED)] == [one.name for one in flying]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", ["volumetric", "jamming", "protocol"])
def test_a_clear_attack_is_detected_within_6_s(name: str, kind: str) -> None:
    (one,) = judged(name, flight(kind)).account.detections
    assert one.delay_s is not None
    assert one.delay_s <= 6.5


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", ["", "less"])
@pytest.mark.parametrize("per_s", [20.0, 1000.0])
def test_neither_a_calm_flight_nor_one_that_sends_less_is_an_attack(
    name: str, kind: str, per_s: float
) -> None:
    assert judged(name, flight(kind, per_s)).account.false_alarms == 0


@pytest.mark.parametrize("name", MODELS)
def test_a_card_tells_where_its_model_comes_from(name: str) -> None:
    folder = find_model(name)
    assert folder is not None
    card = read_model(folder).card.document
    assert {"data", "seed", "commit", "command"} <= set(card["training"])
    assert "dirty" not in card["training"]["commit"]
    assert all(isfinite(value) for value in card["metrics"].values())
    assert {"soon_jamming", "false_alarms_per_hour", "calibration_error"} <= set(card["metrics"])


def test_the_trees_that_fly_alarm_falsely_once_in_ten_hours_at_most_on_many_hours() -> None:
    """The threshold is what the training has found for this rate."""
    folder = find_model("trees")
    assert folder is not None
    metrics = read_model(folder).card.document["metrics"]
    assert metrics["normal_hours"] > 100.0
    rate = metrics["false_alarms_per_hour"]
    assert metrics["false_alarms_low"] < rate < metrics["false_alarms_high"]
    assert rate <= 0.1
