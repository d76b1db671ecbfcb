# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of when the advisor detects an attack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import SimpleNamespace

import pytest
from pqc_policy.parameter_tables import TABLES
from pqc_policy.policy.inputs import Verdict
from pqc_policy.sensing.advisor import Advisor, AdvisorConfig, AdvisorState
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.detectors import Heuristic
from pqc_policy.sensing.link_count import LinkCount

KNOWN = AdvisorConfig(normal_packets=32.0)


def verdicts(advisor: Advisor, bins: Iterable[float]) -> list[Verdict]:
    state, seen = AdvisorState(), []
    for packets in bins:
        state = advisor.judged(state, packets)
        seen.append(state.verdict)
    return seen


@pytest.mark.parametrize(
    ("packets", "score"), [(40, 0.0), (32, 0.0), (23, 0.5), (14, 1.0), (5, 1.0), (0, 1.0)]
)
def test_score_is_zero_at_32_packets_in_a_bin_and_one_at_14(packets: float, score: float) -> None:
    assert Heuristic().score([packets] * 5, 32.0) == pytest.approx(score)


@pytest.mark.parametrize("packets", [5, 14])
def test_an_attack_is_detected_within_5_s(packets: int) -> None:
    seen = verdicts(Advisor(KNOWN), [32] * 20 + [packets] * 8)
    assert set(seen[:20]) == {Verdict.CLEAR}
    assert seen[-1] is Verdict.ATTACK


def test_the_verdict_does_not_flap() -> None:
    assert set(verdicts(Advisor(KNOWN), [32] * 20 + [5, 32, 32, 32, 32] * 20)) == {Verdict.CLEAR}
    seen = verdicts(Advisor(KNOWN), [5] * 10 + [32, 32, 32, 32, 5, 5] * 20)
    assert set(seen[10:]) <= {Verdict.ATTACK, Verdict.SUSPICIOUS}


def test_the_verdict_clears_through_suspicious_within_15_s() -> None:
    seen = verdicts(Advisor(KNOWN), [5] * 10 + [32] * 25)
    assert seen[9] is Verdict.ATTACK
    assert seen[-1] is Verdict.CLEAR
    assert seen[10 + 8] is Verdict.ATTACK
    assert seen[10 + 12] is Verdict.SUSPICIOUS


def test_the_normal_count_is_learned_but_not_from_an_attack() -> None:
    advisor = Advisor()
    seen = verdicts(advisor, [192] * 60 + [60] * 500)
    assert set(seen[:60]) == {Verdict.CLEAR}
    assert set(seen[70:]) == {Verdict.ATTACK}


def test_there_is_no_score_before_the_normal_count_is_known() -> None:
    advisor, state = Advisor(), AdvisorState()
    for _ in range(49):
        state = advisor.judged(state, 0.0)
    assert (state.score, state.verdict) == (None, Verdict.CLEAR)


def test_packets_are_counted_in_bins_of_600_ms_whenever_the_counter_is_read() -> None:
    advisor = Advisor(KNOWN)
    for period_s in (0.1, 0.25, 1.0, 3.7):
        state = AdvisorState()
        for step in range(int(60 / period_s)):
            state = advisor.counted(state, step * period_s, round(step * period_s * 100))
        assert state.recent == pytest.approx([100 * AdvisorConfig().bin_s] * 5, abs=3.0)


def test_a_restarted_counter_is_not_an_attack() -> None:
    advisor, state = Advisor(KNOWN), AdvisorState()
    for second in range(30):
        state = advisor.counted(state, float(second), 5000 + second * 60)
    for second in range(30, 60):
        state = advisor.counted(state, float(second), (second - 30) * 60)
        assert state.verdict is Verdict.CLEAR


def test_a_long_gap_adds_no_bins() -> None:
    advisor, state = Advisor(KNOWN), AdvisorState()
    for second in range(30):
        state = advisor.counted(state, float(second), second * 60)
    state = advisor.counted(state, 100.0, 1900)
    assert state.recent == ()
    assert state.verdict is Verdict.CLEAR


def report(
    stamp_s: float, remote: int, age_s: float, valid: bool = True, local: int = 0
) -> SimpleNamespace:
    whole = int(stamp_s)
    return SimpleNamespace(
        stamp=SimpleNamespace(sec=whole, nanosec=round((stamp_s - whole) * 1e9)),
        local=SimpleNamespace(packets=local),
        remote_valid=valid,
        remote_age_s=age_s,
        remote=SimpleNamespace(packets=remote),
    )


def test_the_peers_count_has_the_time_of_its_report() -> None:
    count = LinkCount()
    assert count.reading(report(9.0, 0, 0.0, valid=False)) is None
    assert count.reading(report(10.25, 100, 0.25)) == pytest.approx((10.0, 100))


def test_a_repeated_peer_report_gives_no_new_reading() -> None:
    count = LinkCount()
    assert count.reading(report(10.25, 100, 0.25)) is not None
    assert count.reading(report(10.75, 100, 0.74)) is None
    assert count.reading(report(11.25, 100, 1.27)) is None
    assert count.reading(report(11.5, 100, 0.5)) == pytest.approx((11.0, 100))


def test_received_packets_can_be_judged_instead() -> None:
    count = LinkCount("received")
    assert count.reading(report(9.0, 0, 0.0, valid=False, local=7)) == (9.0, 7)


def test_a_score_has_the_name_of_its_detector() -> None:
    advisor, state = Advisor(KNOWN), AdvisorState()
    for _ in range(5):
        state = advisor.judged(state, 5.0)
    assert (state.score, state.detector) == (1.0, "heuristic")


def test_every_detector_that_can_be_chosen_has_its_name() -> None:
    (names,) = (entry.choices for entry in TABLES["advisor"] if entry.name == "detectors")
    for name in names:
        (detector,) = AdvisorSettings(detectors=(name,)).make_advisor().detectors
        assert detector.name == name
        assert 0.0 <= detector.score([10.0] * detector.bins, 32.0) <= 1.0


def test_another_detector_can_be_added() -> None:
    class Always:
        name = "always"
        bins = 1

        def score(self, bins: Sequence[float], normal: float) -> float:
            return 1.0

    seen = verdicts(Advisor(KNOWN, (Heuristic(), Always())), [32] * 5)
    assert seen[-1] is Verdict.ATTACK
