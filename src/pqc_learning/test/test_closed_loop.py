# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flights in a closed loop: costs of both programs, equal luck, and the inputs of decisions."""

from __future__ import annotations

from dataclasses import asdict
from types import SimpleNamespace

import pytest
from closed_loop_flights import decisions, fly, plan
from pqc_learning.closed_loop.advisor_follower import (
    AdvisorFollower,
    AdvisorTrack,
    Counted,
    Judged,
)
from pqc_learning.closed_loop.distribution import draw
from pqc_learning.closed_loop.emergencies import Emergencies
from pqc_learning.closed_loop.flight_plan import Adversary, Attack, PreparedFlight
from pqc_learning.closed_loop.sensed import SensedInputs
from pqc_policy.policy.decision import Action
from pqc_policy.policy.inputs import Battery, Computer, Link, Phase, Session, Thermal, Verdict
from pqc_policy.policy.telemetry import Telemetry
from pqc_sim.flights.script import Crash, Leg
from pqc_sim.physics.air import Air, both
from pqc_sim.physics.timeline import steady

HEAVY = "static_heavy"
THIN = {"rate_bytes_s": 7200.0, "packets_per_s": 40.0}


@pytest.fixture(scope="module")
def calm() -> PreparedFlight:
    return PreparedFlight(plan())


def test_rekeys_of_this_tunnel_lose_nothing(calm: PreparedFlight) -> None:
    outcome = fly(calm)
    assert outcome.done == outcome.wanted >= 3
    assert outcome.lost_to_rekeys == 0
    assert outcome.longest_gap_s < 0.02


def test_rekeys_of_the_seeds_program_stop_the_data_for_three_seconds(calm: PreparedFlight) -> None:
    outcome = fly(calm, costs="seeds")
    assert outcome.longest_gap_s == pytest.approx(3.03, abs=0.3)
    # Both directions.
    lost_s = outcome.lost_to_rekeys / (2.0 * calm.plan.packets_per_s)
    assert lost_s == pytest.approx(3.03 * outcome.done, rel=0.1)


def test_a_handshake_of_48_s_stops_the_data_for_so_long_only_in_the_seeds_program() -> None:
    # In transit the policy puts off what is heavy.
    hovering = PreparedFlight(plan(mission=((260.0, Leg.HOVER),)))
    # And at most one retransmission of TCP.
    assert 51.0 < fly(hovering, HEAVY, "seeds").longest_gap_s < 53.0
    ours = fly(hovering, HEAVY)
    assert ours.done >= 3 and ours.lost_to_rekeys == 0 and ours.longest_gap_s < 0.02


def test_energy_is_that_of_rekeys_and_cipher(calm: PreparedFlight) -> None:
    few, many = fly(calm, costs="seeds"), fly(calm)
    assert few.energy_j == pytest.approx(3.15 * few.done, rel=0.05)
    assert many.energy_j < 0.02


def test_flights_are_repeated_to_the_last_digit() -> None:
    one, other = (PreparedFlight(draw(17)) for _ in range(2))
    for costs in ("tunnel_floor_1", "seeds"):
        assert asdict(fly(one, "expert", costs)) == asdict(fly(other, "expert", costs))


def test_a_flight_is_the_same_whoever_has_flown_it_before() -> None:
    prepared = PreparedFlight(draw(23))
    first = asdict(fly(prepared, "telemetry_aware", "tunnel_floor_1"))
    fly(prepared, HEAVY, "seeds")
    assert asdict(fly(prepared, "telemetry_aware", "tunnel_floor_1")) == first


def test_the_advisor_judges_a_flight_alike_whether_or_not_others_were_told_the_same() -> None:
    jammed = plan(spells=(both(60.0, 90.0, Air(loss=0.8)),))
    shared, verdicts = PreparedFlight(jammed), []
    for costs in ("tunnel", "seeds", "tunnel"):
        alone = decisions(PreparedFlight(jammed), "expert", costs)
        assert decisions(shared, "expert", costs) == alone
        verdicts.append([one.inputs.advisor.value for one in alone])
    # The program that stops its data is judged otherwise, and yet both see the attack.
    assert verdicts[0] == verdicts[2] != verdicts[1]
    assert all(Verdict.ATTACK in seen for seen in verdicts)


def test_on_a_thin_link_static_renews_by_ratchets_and_layered_adds_a_form_within_the_budget() -> (
    None
):
    prepared = PreparedFlight(plan(500.0, plan=THIN))
    static, layered = fly(prepared), fly(prepared, "layered")
    assert static.ratchets == static.done >= 3
    assert static.lost_to_rekeys == layered.lost_to_rekeys == layered.delayed == 0
    assert layered.window_mean_s < 0.5 * static.window_mean_s
    read = {name: part / total for name, (part, total) in layered.exposed.items()}
    assert (read["A1"], read["A2"], read["A3"]) == (0.0, 0.0, 0.0)
    assert read["A4"] < 0.5 * static.exposed["A4"][0] / static.exposed["A4"][1]
    assert layered.air_bytes < 0.03 * THIN["rate_bytes_s"] * layered.seconds


def test_on_wifi_layered_adds_every_form_and_loses_nothing(calm: PreparedFlight) -> None:
    outcome = fly(calm, "layered")
    assert outcome.lost_to_rekeys == outcome.failed == 0
    assert outcome.switches >= 4
    assert outcome.exposed["A4"][0] < 0.3 * outcome.exposed["A4"][1]


def test_what_version_0_2_recorded_is_read_whole_by_who_breaks_lattices(
    calm: PreparedFlight,
) -> None:
    before, anchored = fly(calm, "version_0_2"), fly(calm)
    assert before.exposed["A1"][0] == before.exposed["A1"][1] > 0.0
    assert anchored.exposed["A1"][0] == anchored.exposed["A3"][0] == 0.0


def test_a_drone_that_overheats_goes_to_the_lightest_suite_in_time_if_there_is_one() -> None:
    prepared = PreparedFlight(
        plan(200.0, ambient_c=steady(44.0), sun=steady(1.0), busy=steady(1.0))
    )
    adapted = fly(prepared, "telemetry_aware", "tunnel_floor_1")
    kept = fly(prepared, costs="tunnel_floor_1")
    assert adapted.emergencies_seen == kept.emergencies_seen == 1
    assert (adapted.emergencies_met, kept.emergencies_met) == (1, 0)
    # The computer stays as hot: a cipher suite is no cooling.
    assert adapted.hot_s == pytest.approx(kept.hot_s, abs=2.0)
    # With the shipped floor nothing is lighter than the default suite.
    at_floor_3 = fly(prepared, "telemetry_aware")
    assert at_floor_3.switches == 0 and at_floor_3.emergencies_met == 1


def test_a_jammed_rekey_fails_without_loss_of_data_and_holds_data_up_in_the_seeds_program() -> None:
    blocked = Adversary(Attack.BLOCK_CONTROL, 50.0, 200.0)
    prepared = PreparedFlight(plan(plan={"adversaries": (blocked,)}))
    ours, theirs = fly(prepared), fly(prepared, costs="seeds")
    assert ours.failed >= 1 and ours.lost_to_rekeys == 0
    assert theirs.longest_gap_s > 100.0


def test_after_a_crash_the_tunnel_comes_back_with_a_new_session() -> None:
    prepared = PreparedFlight(plan(crashes=(Crash(60.0, 64.0),)))
    assert 3.0 <= fly(prepared).unkeyed_s <= 6.0
    assert fly(prepared, HEAVY, "seeds").unkeyed_s > 50.0


def test_a_link_that_is_gone_for_a_while_needs_no_rekey_of_the_policy() -> None:
    prepared = PreparedFlight(plan(spells=(both(60.0, 75.0, Air(loss=1.0)),)))
    made = decisions(prepared)
    assert not [d for d in made if d.to_suite is not None and 63.0 < d.t < 75.0]


def test_direct_inputs_are_those_of_messages() -> None:
    """What Telemetry makes of messages with the same values and stamps."""

    def stamped(at_s: float, **fields: object) -> SimpleNamespace:
        second = int(at_s)
        stamp = SimpleNamespace(sec=second, nanosec=round((at_s - second) * 1e9))
        return SimpleNamespace(stamp=stamp, **fields)

    link = Link(0.03, 50.0, 0.1, 0.002, 2, 0.05, 0.04, None)
    battery = Battery(15.1, -40.0, 0.7, 600.0, 4)
    thermal = Thermal(61.0, 0.5)
    session = Session("cs-mlkem768-aesgcm-mldsa65", 3, key_age_s=5.5)
    direct, telemetry = SensedInputs(), Telemetry()
    direct.put("link", 9.2, link)
    direct.put("battery", 9.1, battery)
    direct.put("thermal", 9.05, thermal)
    direct.put("armed", 9.15, True)
    direct.put("phase", 9.15, Phase.TRANSIT)
    direct.put("computer", 9.3, Computer(0.4, 0.3, False))
    direct.put_verdict(9.4, (Verdict.ATTACK, "loss"))
    direct.put_verdict(9.45, (Verdict.SUSPICIOUS, "flood"))
    direct.put("session", 9.5, session)
    view = SimpleNamespace(
        gap_p95_s=0.03,
        packets_per_s=50.0,
        longest_silence_s=0.1,
        jitter_s=0.002,
        blackouts=2,
        loss=0.05,
    )
    messages = {
        "link": stamped(
            9.4,
            remote_valid=True,
            remote_age_s=0.2,
            remote=view,
            clock_valid=True,
            rtt_s=0.04,
            paths=[],
        ),
        "battery": stamped(
            9.1, voltage_v=15.1, rate_mv_per_min=-40.0, charge=0.7, endurance_s=600.0, cells=4
        ),
        "thermal": stamped(9.05, temperature_c=61.0, rate_c_per_min=0.5),
        "vehicle": stamped(9.15, armed=True, phase=4, mode="AUTO"),
        "computer": stamped(9.3, load=0.4, memory=0.3, throttled=1),
        "advisor": stamped(9.45, verdict=1, attack_class="flood"),
    }
    for topic, message in messages.items():
        telemetry.take(topic, message)
    ours, theirs = direct.inputs(10_000_000_000), telemetry.inputs(10_000_000_000)
    for name in (
        "link",
        "battery",
        "thermal",
        "armed",
        "advisor",
        "attack_class",
        "phase",
        "computer",
    ):
        one, other = getattr(ours, name), getattr(theirs, name)
        assert one.value == other.value, name
        assert one.age_s == pytest.approx(other.age_s), name
    assert ours.session.value is not None
    assert ours.session.value.key_age_s == pytest.approx(5.5)
    assert ours.session.age_s == pytest.approx(0.5)


def test_the_session_of_a_flight_is_as_old_as_its_keys_and_its_message() -> None:
    session = decisions(PreparedFlight(plan()))[0].inputs.session
    assert session.value is not None
    assert session.value.key_age_s == pytest.approx(8.5)
    assert session.age_s == pytest.approx(0.5)


def verdicts(track: AdvisorTrack, lossy_from_s: int) -> list[tuple[float, Judged | None]]:
    follower, found = AdvisorFollower(track), []
    for second in range(1, 200):
        sent, lost = 50 * second, 40 * max(second - lossy_from_s, 0)
        counted = Counted(sent - lost, lost)
        follower.take_link(second - 0.6, counted, counted, 0.3)
        follower.take_status(second - 0.5, sent, encrypted=True)
        found.append(follower.verdict(float(second)))
    return found


def test_who_leaves_the_track_of_the_advisor_is_judged_as_if_alone() -> None:
    shared = AdvisorTrack()
    for lossy_from_s in (300, 120, 150, 120):
        assert verdicts(shared, lossy_from_s) == verdicts(AdvisorTrack(), lossy_from_s)
    assert verdicts(shared, 120)[-1] == (198.45, (Verdict.ATTACK, "loss"))


def test_the_phase_of_the_mission_is_that_of_its_modes() -> None:
    legs = ((20.0, Leg.PARKED), (20.0, Leg.CLIMB), (40.0, Leg.CRUISE), (20.0, Leg.DESCENT))
    made = decisions(PreparedFlight(plan(mission=legs)))
    phases = {int(d.t): d.inputs.phase.value for d in made}
    assert phases[10] is Phase.ON_GROUND and phases[24] is Phase.TAKE_OFF
    assert phases[60] is Phase.TRANSIT and phases[95] is Phase.LANDING


def test_an_emergency_counts_once_and_has_five_seconds() -> None:
    watched = Emergencies(cells=4, lightest_tier=0)
    for second in range(20):
        watched.note(float(second), 13.0, 50.0, tier=10 if second < 9 else 0)
    watched.finish()
    # Low for 2 s from second 2 on, so that 7 is the last one in time.
    assert (watched.seen, watched.met) == (1, 0)
    quick = Emergencies(cells=4, lightest_tier=0)
    for second in range(20):
        quick.note(float(second), 13.0, 50.0, tier=10 if second < 6 else 0)
    assert (quick.seen, quick.met) == (1, 1)


def test_the_policy_is_asked_each_second_and_its_decisions_reach_the_tunnel(
    calm: PreparedFlight,
) -> None:
    made = decisions(calm)
    assert [d.t for d in made] == [float(second) for second in range(1, calm.seconds)]
    asked = [d for d in made if d.action is Action.REKEY]
    assert asked and made[int(asked[0].t) + 3].inputs.session.value.epoch == 1
