# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from flight import LIGHTEST, MLKEM512, MLKEM768, MLKEM1024, Flight, policy_with, stepping, take_off
from pqc_policy.policy.config import Allowed, RekeyIntervals
from pqc_policy.policy.decision import Action
from pqc_policy.policy.inputs import INPUTS

FRODO3 = "cs-frodokem976aes-aesgcm-mldsa65"


def switched(to: str = MLKEM768, before: str = FRODO3, **circumstances: object) -> Flight:
    """Return a flight whose suite has changed in the present second."""
    flight = take_off(suite=before, **circumstances)
    flight.fly(3)
    flight.suite, flight.epoch, flight.keys_since_s = to, flight.epoch + 1, flight.now_s
    flight.step()
    return flight


@pytest.mark.parametrize("name", ["link", "battery", "thermal", "armed", "session"])
@pytest.mark.parametrize(("age_s", "held"), [(1.999, False), (2.0, False), (2.001, True)])
def test_safety_holds_while_a_required_input_is_older_than_2_s(
    name: str, age_s: float, held: bool
) -> None:
    decision = take_off().step(ages_s={name: age_s})
    assert decision.action is Action.HOLD
    assert (decision.rule == "safety") is held
    noun = INPUTS[name].noun
    assert not held or decision.missing == (name,)
    assert not held or decision.reason.startswith(
        f"The newest {noun} is 2.001 s old, more than 2.000 s."
    )


@pytest.mark.parametrize("name", ["link", "battery", "thermal", "armed", "session"])
def test_safety_holds_while_a_required_input_was_never_received(name: str) -> None:
    decision = take_off().step(absent=frozenset({name}))
    assert (decision.action, decision.rule) == (Action.HOLD, "safety")
    assert decision.reason.startswith(f"No {INPUTS[name].noun} has been received.")


def test_safety_treats_nan_as_missing_and_not_as_zero() -> None:
    decision = take_off().step(voltage_v=float("nan"))
    reason = "The newest message of the battery has no voltage."
    assert decision.rule == "safety"
    assert decision.reason == f"{reason} Meanwhile upgrade can't act."


def test_safety_holds_without_a_session() -> None:
    assert take_off().step(suite="").reason == "There is no session."


@pytest.mark.parametrize("stale", ["link", "armed", "thermal"])
@pytest.mark.parametrize("strategy", ["telemetry_aware", "expert"])
def test_an_emergency_needs_only_its_own_input(strategy: str, stale: str) -> None:
    flight = take_off(policy_with(strategy=strategy))
    decision = flight.fly(3, voltage_v=13.0, ages_s={stale: 9.0})[-1]
    assert (decision.action, decision.to_suite) == (Action.DOWN_TO_LIGHTEST, LIGHTEST)
    hot = take_off(policy_with(strategy=strategy))
    assert hot.fly(3, temperature_c=90.0, ages_s={"battery": 9.0})[-1].rule == "emergency"


def test_a_missing_sensor_takes_away_its_own_rules_alone() -> None:
    flight = take_off(stepping(), suite=MLKEM1024)
    assert {d.rule for d in flight.fly(5, ages_s={"thermal": 9.0}, c_per_min=9.0)} == {"safety"}
    flight.fly(8, gap_s=3.0)
    assert flight.suite == MLKEM768
    calm = take_off(armed=False, suite=LIGHTEST)
    decisions = calm.fly(300, ages_s={"battery": 9.0})
    assert {d.action for d in decisions} == {Action.HOLD, Action.REKEY}, "no upgrade"
    assert len(calm.renewed_s) == 4
    assert {d.inactive for d in decisions} == {("upgrade",)}


@pytest.mark.parametrize("name", ["battery", "thermal", "armed"])
@pytest.mark.parametrize("strategy", ["static", "telemetry_aware", "expert"])
def test_keys_are_renewed_without_a_sensor_that_a_renewal_does_not_need(
    strategy: str, name: str
) -> None:
    flight = take_off(policy_with(strategy=strategy), ages_s={name: 9.0})
    flight.fly(300)
    assert len(flight.renewed_s) == 4


def test_an_input_that_was_never_there_presses_nothing() -> None:
    flight = take_off(suite=MLKEM768)
    assert flight.power_w is None and flight.computer is None and flight.advisor is None
    flight.fly(3)
    flight.suite, flight.epoch, flight.keys_since_s = MLKEM512, flight.epoch + 1, flight.now_s
    flight.step()
    decision = flight.step(blackouts=9)
    assert (decision.action, decision.to_suite) == (Action.ROLLBACK, MLKEM768)


@pytest.mark.parametrize(
    ("name", "beyond", "near", "clear"),
    [("voltage_v", 13.9, 14.05, 14.1), ("temperature_c", 81.0, 79.5, 79.0)],
)
def test_a_value_that_alternates_about_its_threshold_is_an_emergency(
    name: str, beyond: float, near: float, clear: float
) -> None:
    flight = take_off(suite=MLKEM1024)
    for second in range(9):
        flight.step(**{name: near if second % 2 else beyond})
    assert flight.suite == LIGHTEST
    once = take_off(suite=MLKEM1024)
    once.step(**{name: beyond})
    assert {d.action for d in once.fly(30, **{name: near})} == {Action.HOLD}
    calm = take_off(suite=MLKEM1024)
    for second in range(30):
        calm.step(**{name: clear if second % 2 else beyond})
    assert calm.suite == MLKEM1024


@pytest.mark.parametrize(
    ("name", "beyond", "usual"), [("voltage_v", 13.95, 15.0), ("temperature_c", 81.0, 55.0)]
)
def test_one_sample_beyond_its_threshold_is_no_emergency(
    name: str, beyond: float, usual: float
) -> None:
    flight = take_off(suite=MLKEM1024)
    flight.fly(2, **{name: beyond})
    flight.fly(20, **{name: usual})
    assert not [d for d in flight.decisions if d.rule == "emergency"]
    assert flight.fly(3, **{name: beyond})[-1].action is Action.DOWN_TO_LIGHTEST


def test_one_hot_sample_presses_at_once() -> None:
    pressed = switched(MLKEM512, MLKEM768)
    assert pressed.step(blackouts=9, temperature_c=81.0).to_suite == LIGHTEST


def test_an_unknown_temperature_neither_adds_to_the_time_that_it_was_hot_nor_clears_it() -> None:
    flight = take_off(suite=MLKEM1024)
    flight.fly(2, temperature_c=81.0)
    flight.fly(20, ages_s={"thermal": 9.0})
    assert flight.suite == MLKEM1024
    assert flight.step(ages_s={}).action is Action.DOWN_TO_LIGHTEST


def test_a_thin_link_gets_ratchets_and_a_broad_one_full_rekeys() -> None:
    thin = take_off(rate_bytes_s=5760.0).until(Action.REKEY)
    assert thin.ratchet
    assert thin.reason.endswith("more than 1 %: by a ratchet.")
    assert not take_off(rate_bytes_s=1e6).until(Action.REKEY).ratchet
    assert not take_off().until(Action.REKEY).ratchet
    assert not take_off(rate_bytes_s=5760.0, epoch=255).until(Action.REKEY).ratchet
    eager = policy_with(rekey_airtime=0.5)
    assert not take_off(eager, rate_bytes_s=5760.0).until(Action.REKEY).ratchet


@pytest.mark.parametrize(
    ("voltage_v", "temperature_c", "fired"),
    [
        (14.001, 55.0, False),
        (14.0, 55.0, False),
        (13.999, 55.0, True),
        (15.6, 79.999, False),
        (15.6, 80.0, False),
        (15.6, 80.001, True),
    ],
)
def test_emergency_below_14_V_or_above_80_C_goes_to_the_lightest_suite_at_once(
    voltage_v: float, temperature_c: float, fired: bool
) -> None:
    flight = take_off(suite=MLKEM1024)
    decisions = flight.fly(3, voltage_v=voltage_v, temperature_c=temperature_c)
    decision = next((d for d in decisions if d.to_suite), decisions[-1])
    assert (decision.action is Action.DOWN_TO_LIGHTEST) is fired
    assert decision.to_suite == (LIGHTEST if fired else None)
    assert (decision.rule == "emergency") is fired


def test_a_value_just_beyond_its_threshold_reads_differently_from_it() -> None:
    hot = take_off().fly(3, temperature_c=80.001)[-1]
    assert hot.reason.startswith("The computer is at 80.001 °C, above 80.000 °C: ")
    low = take_off().fly(3, voltage_v=13.999)[-1]
    assert low.reason.startswith("The battery is at 13.999 V, below 14.000 V: ")
    hair = take_off().fly(3, temperature_c=80.0000001)[-1]
    assert hair.reason.startswith("The computer is at 80.0000001 °C, above 80.0 °C: ")
    stressed = take_off(stepping(), suite=FRODO3).fly(6, mv_per_min=-500.1)[-1]
    assert stressed.reason.startswith("The voltage falls by 500.1 mV/min, more than 500.0 mV/min; ")


@pytest.mark.parametrize("cells", [3, 4, 6])
def test_emergency_voltage_scales_with_the_cells(cells: int) -> None:
    limit_v = 3.5 * cells
    for voltage_v, fired in ((limit_v, False), (limit_v - 0.001, True)):
        flight = take_off(cells=cells, voltage_v=limit_v + 2)
        assert (flight.fly(3, voltage_v=voltage_v)[-1].rule == "emergency") is fired


def test_emergency_is_exempt_from_the_limit_of_rekeys_by_its_reason() -> None:
    flight = take_off(stepping(rekey_limit=1, rekey_reserve=0), suite=MLKEM1024)
    flight.fly(6, c_per_min=9.0)
    assert [d.action for d in flight.decisions].count(Action.DOWN) == 1
    decision = flight.fly(3, temperature_c=90.0)[-1]
    assert decision.action is Action.DOWN_TO_LIGHTEST
    assert "exempt from the limit of rekeys" in decision.reason


def test_emergency_at_the_lightest_suite_holds() -> None:
    decision = take_off(suite=LIGHTEST).fly(3, voltage_v=13.0)[-1]
    assert (decision.action, decision.rule) == (Action.HOLD, "emergency")


@pytest.mark.parametrize(("blackouts", "fired"), [(3, False), (4, True)])
def test_more_than_3_blackouts_near_a_switch_roll_back_and_blacklist_for_300_s(
    blackouts: int, fired: bool
) -> None:
    flight = switched(blackouts=7)
    decision = flight.step(blackouts=7 + blackouts)
    assert (decision.action is Action.ROLLBACK) is fired
    if fired:
        assert decision.to_suite == FRODO3
        assert decision.blacklisted == (MLKEM768,)
        assert dict(flight.state.blacklist)[MLKEM768] == flight.now_s + 300.0


def test_paper_2025_blacklists_for_1800_s_after_blackouts() -> None:
    flight = switched(policy=policy_with(strategy="paper_2025"))
    flight.step(blackouts=4)
    assert dict(flight.state.blacklist)[MLKEM768] == flight.now_s + 1800.0


@pytest.mark.parametrize(("after_s", "fired"), [(9, True), (10, True), (11, False)])
def test_blackout_counts_within_10_s_of_a_switch(after_s: int, fired: bool) -> None:
    flight = switched()
    flight.fly(after_s - 1)
    assert (flight.step(blackouts=4).action is Action.ROLLBACK) is fired


def test_blackout_of_the_last_suite_allowed_holds() -> None:
    allowed = Allowed(suites=frozenset({MLKEM768}))
    flight = switched(policy=policy_with(allowed=allowed))
    decision = flight.step(blackouts=4)
    assert (decision.action, decision.rule, decision.blacklisted) == (
        Action.HOLD,
        "blackout",
        (),
    )


def test_the_lower_count_of_a_restarted_tunnel_is_not_new_blackouts() -> None:
    flight = switched(blackouts=50)
    assert flight.step(blackouts=0).action is Action.HOLD
    assert flight.step(blackouts=3).rule == "cooldown"
    assert flight.step(blackouts=4).action is Action.ROLLBACK


@pytest.mark.parametrize(("after_s", "held"), [(4, True), (5, False), (6, False)])
def test_cooldown_holds_less_than_5_s_after_a_switch(after_s: int, held: bool) -> None:
    flight = switched()
    flight.fly(after_s - 1)
    assert (flight.step().rule == "cooldown") is held


@pytest.mark.parametrize(("cells", "limit"), [(3, -375.0), (6, -750.0)])
def test_stress_voltage_rate_scales_with_the_cells(cells: int, limit: float) -> None:
    for mv_per_min, fired in ((limit, False), (limit - 0.1, True)):
        flight = take_off(stepping(), cells=cells, voltage_v=4.0 * cells)
        assert any(d.rule == "stress" for d in flight.fly(6, mv_per_min=mv_per_min)) is fired


@pytest.mark.parametrize(
    ("suite", "interval_s"),
    [(MLKEM768, 60), (FRODO3, 60), ("cs-hqc192-aesgcm-mldsa65", 300)],
)
def test_rekey_after_a_stable_interval_of_the_family(suite: str, interval_s: int) -> None:
    flight = take_off(policy_with(allowed=Allowed(experimental=True)), suite=suite)
    flight.keys_since_s = flight.now_s
    decisions = flight.fly(interval_s + 1)
    assert {d.action for d in decisions[:-1]} == {Action.HOLD}
    assert (decisions[-1].action, decisions[-1].to_suite) == (Action.REKEY, suite)
    assert decisions[-1].rule == "rekey"


def test_rekey_never_for_mceliece_unless_configured() -> None:
    suite = "cs-classicmceliece348864-aesgcm-mldsa44"
    flight = take_off(suite=suite)
    assert {d.action for d in flight.fly(4000)} == {Action.HOLD}
    flight = take_off(policy_with(rekey_interval_s=RekeyIntervals(mceliece=900.0)), suite=suite)
    assert flight.until(Action.REKEY, 1000).to_suite == suite


def test_rekey_waits_until_it_has_been_stable_for_the_whole_interval() -> None:
    flight = take_off()
    flight.fly(40)
    flight.step(gap_s=1.5)
    flight.gap_s = 0.02
    assert {d.action for d in flight.fly(61)} == {Action.HOLD}
    assert flight.step().action is Action.REKEY


@pytest.mark.parametrize("armed", [True, False])
def test_upgrade_on_the_ground_after_30_s_one_step(armed: bool) -> None:
    flight = take_off(suite=MLKEM512, armed=armed)
    assert {d.action for d in flight.fly(29)} == {Action.HOLD}
    decision = flight.step()
    assert (decision.action is Action.UPGRADE) is not armed
    if not armed:
        assert (decision.rule, decision.to_suite) == ("upgrade", MLKEM768)


def test_upgrade_stops_at_the_ceiling() -> None:
    flight = take_off(policy_with(ceiling=MLKEM1024), suite=MLKEM512, armed=False)
    flight.fly(400)
    ups = [d.to_suite for d in flight.decisions if d.action is Action.UPGRADE]
    assert ups == [MLKEM768, MLKEM1024]


def test_nominal_holds() -> None:
    decision = take_off().step()
    assert (decision.action, decision.rule) == (Action.HOLD, "nominal")
    assert decision.to_suite is None
