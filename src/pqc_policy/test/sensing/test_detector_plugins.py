# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pqc_policy.policy.inputs import Verdict
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.detector_plugins import load_detector
from pqc_policy.sensing.detectors.advisor import AdvisorState
from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_policy.sensing.traffic.bins import Bin, Way

CODE = """
from pqc_policy.sensing.detectors.finding import Finding


class Oracle:
    name = "oracle"
    bins = 2

    def judge(self, bins, usual):
        return Finding(1.0, "told", "the oracle says so", 0.9)


class Failing:
    name = "failing"
    bins = 2

    def judge(self, bins, usual):
        if len(bins) > 1:
            raise RuntimeError("no weights\\nleft")


class Talking(Failing):
    name = "talking"

    def judge(self, bins, usual):
        return "an attack"


class Unsized(Failing):
    name = "unsized"
    bins = "two"


def broken():
    raise RuntimeError("no weights")
"""
ENTRY_POINTS = """
[pqc_policy.detectors]
oracle = lab_oracle:Oracle
broken = lab_oracle:broken
absent = lab_oracle:Absent
misnamed = lab_oracle:Oracle
number = builtins:int
failing = lab_oracle:Failing
talking = lab_oracle:Talking
unsized = lab_oracle:Unsized
"""


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of a lab, as an installer leaves it."""
    (tmp_path / "lab_oracle.py").write_text(CODE, encoding="utf-8")
    information = tmp_path / "lab_oracle-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Name: lab-oracle\nVersion: 1.0\n", encoding="utf-8")
    (information / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "lab_oracle", raising=False)


def test_a_labs_detector_takes_part(lab: None) -> None:
    advisor, missing = AdvisorSettings(detector="oracle").make_advisor()
    assert missing == ()
    state = AdvisorState()
    for _ in range(5):
        state = advisor.judged(state, Bin(up=Way(32.0, 32.0)))
    assert state.verdict is Verdict.ATTACK
    assert (state.worst[0], state.worst[1].evidence) == ("oracle", "the oracle says so")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("failing", "The detector failing fails: no weights left."),
        ("talking", "The detector talking fails: 'str' object has no attribute 'score'."),
    ],
)
def test_a_labs_detector_that_fails_in_flight_is_a_doubt_and_the_heuristic_judges(
    name: str, text: str, lab: None
) -> None:
    advisor, _ = AdvisorSettings(detector=name).make_advisor()
    state = AdvisorState()
    for _ in range(8):
        state = advisor.judged(state, Bin(up=Way(4.0, 32.0)))
    assert state.doubts == (text,)
    assert state.verdict is Verdict.ATTACK
    assert state.worst is not None and state.worst[0] == "heuristic"


def test_the_heuristic_takes_the_place_of_a_missing_detector() -> None:
    advisor, missing = AdvisorSettings(detector="oracle").make_advisor()
    assert [detector.name for detector in advisor.detectors] == ["heuristic", "counters"]
    assert missing == ("There is no detector oracle.",)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("other", "There is no detector other."),
        ("broken", "can't be loaded: no weights"),
        ("absent", "can't be loaded"),
        ("misnamed", "makes no detector of that name"),
        ("number", "makes no detector of that name"),
        ("unsized", "can't be loaded"),
    ],
)
def test_a_detector_that_can_not_be_used_gives_one_sentence(
    name: str, text: str, lab: None
) -> None:
    with pytest.raises(DetectorFault, match=text):
        load_detector(name)


def test_every_detector_of_this_package_has_its_name() -> None:
    for name in ("heuristic", "counters", "baseline"):
        settings = AdvisorSettings(detector=name, further_detectors=())
        (detector,), missing = settings.find_detectors()
        assert (detector.name, missing) == (name, ())
