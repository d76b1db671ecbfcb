# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import log

import pytest
from pqc_policy.policy.inputs import Verdict
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.detectors.advisor import Advisor, AdvisorConfig, AdvisorState
from pqc_policy.sensing.detectors.baseline_detector import BaselineDetector
from pqc_policy.sensing.detectors.finding import Attack, Finding
from pqc_policy.sensing.detectors.heuristic import Counters, Heuristic
from pqc_policy.sensing.traffic.bins import DUPLICATES, REASONS, Bin, Way
from pqc_policy.sensing.traffic.link_now import Pace, PathNow
from pqc_policy.sensing.traffic.usual_traffic import Normal, Usual

CALM = [32.0] * 60  # packets of bins, after which their number is known
USUAL = Usual(up=Normal(received=32.0, spread=32.0**0.5))


def counted(packets: float) -> Bin:
    """Return a bin in which only the received packets are known."""
    return Bin(up=Way(packets))


NO_DROPS = dict.fromkeys((*REASONS, DUPLICATES), 0.0)


def way(share: float, sent: float = 32.0) -> Way:
    """Return a direction that loses all but a share, with the pace of random loss."""
    apart_s = 0.6 / sent
    gap_s = apart_s * (2.0 if share > 0.95 else log(0.05) / log(1.0 - share))
    return Way(share * sent, sent, 0.0, Pace(gap_s, 3.0 * gap_s, 0.5 * gap_s, 100.0))


def delivered(share: float, sent: float = 32.0, who: str = "up", **dropped: float) -> Bin:
    """Return a bin as the reports of a link with a single path give it."""
    ways = {"up": way(1.0), "down": way(1.0), who: way(share, sent)}
    one_path = (PathNow("udp", True, True, None, None),)
    drops = NO_DROPS | dropped
    return Bin(ways["up"], ways["down"], drops, 0.6, 0.0, 0.05, 0.1, 0.5, one_path)


def as_shipped() -> Advisor:
    advisor, missing = AdvisorSettings().make_advisor()
    assert missing == ()
    return advisor


@pytest.fixture(params=[Advisor, as_shipped])
def advisor(request: pytest.FixtureRequest) -> Advisor:
    """Return an advisor: with the rules alone, and with the shipped detectors."""
    made: Advisor = request.param()
    return made


def flown(advisor: Advisor, bins: Iterable[Bin]) -> tuple[list[Verdict], AdvisorState]:
    state, seen = AdvisorState(), []
    for newest in bins:
        state = advisor.judged(state, newest)
        seen.append(state.verdict)
    return seen, state


def verdicts(advisor: Advisor, packets: Iterable[float]) -> list[Verdict]:
    return flown(advisor, [counted(number) for number in packets])[0]


@pytest.mark.parametrize(
    ("packets", "score"), [(40, 0.0), (32, 0.0), (23, 0.5), (14, 1.0), (5, 1.0), (0, 1.0)]
)
def test_score_is_zero_at_32_packets_in_a_bin_and_one_at_14(packets: float, score: float) -> None:
    found = Heuristic().judge([counted(packets)] * 5, USUAL)
    assert found.score == pytest.approx(score)


@pytest.mark.parametrize("packets", [5, 14])
def test_an_attack_is_detected_within_5_s(packets: int) -> None:
    seen = verdicts(Advisor(), CALM + [packets] * 8)
    assert set(seen[:60]) == {Verdict.CLEAR}
    assert seen[-1] is Verdict.ATTACK


def test_the_verdict_does_not_flap() -> None:
    assert set(verdicts(Advisor(), CALM + [5, 32, 32, 32, 32] * 20)) == {Verdict.CLEAR}
    seen = verdicts(Advisor(), CALM + [5] * 10 + [32, 32, 32, 32, 5, 5] * 20)
    assert set(seen[70:]) <= {Verdict.ATTACK, Verdict.SUSPICIOUS}


def test_the_verdict_clears_through_suspicious_within_15_s() -> None:
    seen = verdicts(Advisor(), CALM + [5] * 10 + [32] * 25)[len(CALM) :]
    assert seen[9] is Verdict.ATTACK
    assert seen[-1] is Verdict.CLEAR
    assert seen[10 + 8] is Verdict.ATTACK
    assert seen[10 + 12] is Verdict.SUSPICIOUS


@pytest.mark.parametrize(("make", "within"), [(Advisor, 10), (as_shipped, 40)])
def test_the_normal_count_is_learned_but_not_from_an_attack(
    make: Callable[[], Advisor], within: int
) -> None:
    seen = verdicts(make(), [192] * 60 + [60] * 500)
    assert set(seen[:60]) == {Verdict.CLEAR}
    assert set(seen[60 + within :]) == {Verdict.ATTACK}


@pytest.mark.parametrize("change", [0.998, 1.002])
def test_the_advisor_cannot_be_trained_by_a_slow_change(change: float, advisor: Advisor) -> None:
    slow = [32.0 * change**number for number in range(1500)]
    seen = verdicts(advisor, [32.0] * 60 + slow)
    assert seen[-1] is not Verdict.CLEAR
    if change < 1.0:
        assert Verdict.ATTACK in seen[:700]


@pytest.mark.parametrize("who", ["up", "down"])
def test_slow_losses_cannot_be_trained_away_where_both_ends_counts_are_known(
    who: str, advisor: Advisor
) -> None:
    bins = [delivered(0.998**number, who=who) for number in range(1500)]
    seen, state = flown(advisor, bins)
    assert Verdict.ATTACK in seen[:700]
    assert seen[-1] is Verdict.ATTACK
    assert Attack.LOSS in {found.kind for _, found in state.findings if found.score >= 0.9}


def test_an_attack_from_the_first_second_on_is_detected_where_both_counts_are_known(
    advisor: Advisor,
) -> None:
    assert flown(advisor, [delivered(0.3)] * 8)[0][-1] is Verdict.ATTACK


def test_a_radio_that_usually_loses_a_fifth_is_not_under_attack() -> None:
    assert set(flown(Advisor(), [delivered(0.8)] * 500)[0]) == {Verdict.CLEAR}


def test_a_vehicle_that_sends_less_is_not_under_attack(advisor: Advisor) -> None:
    bins = [delivered(1.0)] * 100 + [delivered(1.0, sent=3.0)] * 200
    assert set(flown(advisor, bins)[0]) == {Verdict.CLEAR}


@pytest.mark.parametrize("who", ["up", "down"])
def test_both_directions_are_judged(who: str, advisor: Advisor) -> None:
    bins = [delivered(1.0)] * 60 + [delivered(0.25, who=who)] * 8
    seen, state = flown(advisor, bins)
    assert set(seen[:60]) == {Verdict.CLEAR}
    assert seen[-1] is Verdict.ATTACK
    assert state.worst is not None
    assert any(told in state.worst[1].evidence for told in ("40 of 160", "25 %"))


def test_a_tenfold_rate_is_an_attack(advisor: Advisor) -> None:
    assert verdicts(advisor, CALM + [320.0] * 8)[-1] is Verdict.ATTACK


@pytest.mark.parametrize("who", ["up", "down"])
def test_a_tenfold_rate_is_suspicious_if_the_sender_says_that_it_sends_it(
    who: str, advisor: Advisor
) -> None:
    surge = [delivered(1.0)] * 60 + [delivered(1.0, 320.0, who)] * 8
    seen, state = flown(advisor, surge)
    assert seen[-1] is Verdict.SUSPICIOUS
    assert state.worst[1].kind == Attack.SURGE
    assert state.score == pytest.approx(0.8)
    # What the sender keeps sending is normal after a while.
    assert flown(advisor, [*surge, *[surge[-1]] * 100])[0][-1] is Verdict.CLEAR


@pytest.mark.parametrize("seconds", [2, 4, 8])
def test_an_outage_of_both_directions_is_no_attack_to_the_baseline(seconds: int) -> None:
    """The losses of the time without a datagram all show at once, when the link is back."""
    calm = Bin(up=Way(32.0, 32.0), down=Way(32.0, 32.0))
    lost = Bin(up=Way(0.0, 32.0), down=Way(0.0, 32.0))
    bins = [calm] * 60 + [lost] * round(seconds / 0.6) + [calm] * 100
    alone = Advisor(detectors=(BaselineDetector(),))
    assert Verdict.ATTACK not in flown(alone, bins)[0]


def test_the_baseline_scores_no_more_than_the_heuristic() -> None:
    bins = [delivered(1.0)] * 60
    for share, sent, count in ((0.2, 32.0, 70), (1.0, 320.0, 70), (0.6, 5.0, 70), (1.0, 32.0, 70)):
        bins += [delivered(share, sent)] * count
    advisor, state = Advisor(detectors=(Heuristic(), BaselineDetector())), AdvisorState()
    most = 0.0
    for newest in bins:
        state = advisor.judged(state, newest)
        scores = {name: found.score for name, found in state.findings}
        assert scores.get("baseline", 0.0) <= scores.get("heuristic", 0.0)
        most = max(most, scores.get("baseline", 0.0))
    assert most == 0.9


@pytest.mark.parametrize("attack_score", [0.9, 0.7])
def test_of_an_attack_that_the_trees_see_too_the_class_is_theirs(attack_score: float) -> None:
    settings = AdvisorSettings(config=AdvisorConfig(attack_score=attack_score))
    bins = [delivered(1.0)] * 60 + [delivered(0.25)] * 60
    advisor, state = settings.make_advisor()[0], AdvisorState()
    for newest in bins:
        state = advisor.judged(state, newest)
        assert state.attack_class in ("", "jamming")
    found = dict(state.findings)["baseline"]
    assert (found.score, found.kind) == (attack_score, Attack.LOSS)


def test_the_heuristic_needs_no_baseline_beside_it() -> None:
    for settings in (AdvisorSettings(detector="heuristic"), AdvisorSettings(detector="missing")):
        advisor, _ = settings.make_advisor()
        assert [one.name for one in advisor.detectors] == ["heuristic", "counters"]


def test_the_baseline_measures_as_the_heuristic_is_configured() -> None:
    settings = AdvisorSettings(
        detector="baseline", further_detectors=(), heuristic=Heuristic(surge=4.0)
    )
    advisor, _ = settings.make_advisor()
    bins = [delivered(1.0)] * 60 + [delivered(1.0, sent=32.0 * 3.5)] * 5
    _, state = flown(advisor, bins)
    assert dict(state.findings)["baseline"].score == pytest.approx(0.8)


def test_a_few_packets_on_a_thin_link_are_added_up_over_more_bins() -> None:
    thin = [Bin(up=Way(1.0, 1.0))] * 30
    assert set(flown(Advisor(), thin)[0]) == {Verdict.CLEAR}
    assert flown(Advisor(), [*thin, *[Bin(up=Way(0.0, 1.0))] * 12])[0][-1] is Verdict.ATTACK


def test_there_is_no_score_before_the_normal_count_is_known() -> None:
    _, state = flown(Advisor(), [counted(0.0)] * 49)
    assert (state.score, state.verdict) == (None, Verdict.CLEAR)


def test_bins_without_traffic_change_no_verdict() -> None:
    seen, state = flown(Advisor(), [*map(counted, CALM), *[counted(5)] * 10, *[Bin()] * 100])
    assert (seen[-1], state.score) == (Verdict.ATTACK, None)


@pytest.mark.parametrize(
    ("reason", "per_s", "kind"),
    [
        ("auth_fail", 5.0, Attack.FORGERY),
        ("decrypt_fail", 5.0, Attack.FORGERY),
        ("replay", 10.0, Attack.REPLAY),
        ("duplicates", 10.0, Attack.REPLAY),
        ("malformed", 10.0, Attack.FLOOD),
        ("unknown", 20.0, Attack.FLOOD),
        ("seq_old", 20.0, Attack.REPLAY),
        ("stale", 50.0, Attack.FLOOD),
        ("foreign", 10.0, Attack.FLOOD),
    ],
)
def test_every_counter_of_dropped_datagrams_can_tell_an_attack(
    reason: str, per_s: float, kind: Attack, advisor: Advisor
) -> None:
    calm, flood = delivered(1.0), delivered(1.0, **{reason: 0.6 * per_s})
    seen, state = flown(advisor, [calm] * 20 + [flood] * 8)
    assert set(seen[:20]) == {Verdict.CLEAR}
    assert seen[-1] is Verdict.ATTACK
    found = dict(state.findings)["counters"]
    assert (found.score, found.kind) == (1.0, kind)
    assert reason in found.evidence


def test_a_single_forged_datagram_is_no_attack(advisor: Advisor) -> None:
    calm, one = delivered(1.0), delivered(1.0, auth_fail=1.0)
    assert set(flown(advisor, [calm] * 20 + [one] + [calm] * 20)[0]) == {Verdict.CLEAR}


def test_each_detectors_score_is_kept_by_its_name() -> None:
    bins = [Bin(up=Way(5.0, 32.0), dropped={"replay": 0.0})] * 5
    _, state = flown(Advisor(), bins)
    assert {name: found.score for name, found in state.findings} == {
        "heuristic": 1.0,
        "counters": 0.0,
    }
    assert state.worst[0] == "heuristic"


def test_another_detector_can_be_added() -> None:
    class Always:
        name = "always"
        bins = 1

        def judge(self, bins: Sequence[Bin], usual: Usual) -> Finding | None:
            return Finding(1.0, "told", "it always says so", 0.97)

    advisor = Advisor(detectors=(Heuristic(), Counters(), Always()))
    seen, state = flown(advisor, [delivered(1.0)] * 5)
    assert seen[-1] is Verdict.ATTACK
    assert (state.worst[0], state.worst[1].probability) == ("always", 0.97)


def test_a_detector_without_a_valid_score_counts_as_one_that_can_not_tell() -> None:
    class Broken:
        name = "broken"
        bins = 1

        def judge(self, bins: Sequence[Bin], usual: Usual) -> Finding | None:
            return Finding(float("nan"))

    _, state = flown(Advisor(AdvisorConfig(), (Broken(),)), [delivered(1.0)] * 5)
    assert (state.score, state.verdict) == (None, Verdict.CLEAR)
