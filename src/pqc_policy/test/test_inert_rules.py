# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules that can never act with given parameters."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from flight import MLKEM512, MLKEM768, policy_with
from pqc_policy.policy.config import Allowed, ExpertConfig, PolicyConfig, RekeyIntervals
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inert_rules import inert_rules
from pqc_policy.policy.profile import SHIPPED, parse_profile
from pqc_policy.policy.strategies import STRATEGIES
from pqc_policy.policy.suites import find_suite
from pqc_policy.policy.tunnel_floor import TunnelFloor, tunnel_floor
from pqc_policy.replay.check_command import main

ONE = Allowed(suites=frozenset({MLKEM768}))


def found(**changes: object) -> dict[str, str]:
    return {inert.rule: inert.why for inert in inert_rules(policy_with(**changes))}


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "expert"])
def test_with_the_shipped_parameters_every_rule_can_act(strategy: str) -> None:
    assert found(strategy=strategy) == {}


def test_with_one_suite_nothing_can_change() -> None:
    inert = found(allowed=ONE)
    reactions = {"emergency", "blackout", "link", "attack", "stress", "signature", "upgrade"}
    assert set(inert) == reactions
    assert inert["stress"] == f"{MLKEM768} is the only suite that may be chosen"


def test_with_one_kem_an_attack_leads_nowhere() -> None:
    suites = frozenset({MLKEM768, "cs-mlkem768-chacha20poly1305-mldsa65"})
    assert "the only KEM" in found(allowed=Allowed(suites=suites))["attack"]


def test_limits_that_nothing_can_exceed() -> None:
    assert set(found(blackout_count=10)) == {"blackout"}
    assert set(found(cooldown_s=0.0)) == {"cooldown"}
    assert set(found(link_gap_s=5.0, link_loss=1.0, link_rtt_s=60.0)) == {"link"}
    assert set(found(emergency_voltage_v=0.0, emergency_temperature_c=150.0)) == {"emergency"}


def test_a_family_without_an_interval_is_not_renewed() -> None:
    allowed = Allowed(suites=frozenset({MLKEM512, MLKEM768}))
    inert = found(allowed=allowed, rekey_interval_s=RekeyIntervals(ml_kem=0.0))
    assert inert == {
        "rekey": "rekey_interval_s is 0 for every family that may be chosen (ml_kem)",
        "signature": "no suite that may be chosen has a costly signature and a cheaper one beside "
        "it",
    }


def test_a_costly_signature_can_be_left_only_for_another_of_its_kem_and_by_a_routine() -> None:
    sphincs = "cs-mlkem768-aesgcm-sphincs192s"
    pair = Allowed(suites=frozenset({MLKEM768, sphincs}))
    assert "signature" not in found(allowed=pair)
    apart = Allowed(suites=frozenset({MLKEM512, sphincs}))
    assert "no suite that may be chosen has a costly signature" in found(allowed=apart)["signature"]
    never = RekeyIntervals(ml_kem=0.0)
    assert found(allowed=pair, rekey_interval_s=never)["signature"] == (
        "rekey_interval_s is 0 for every family with a costly signature (ml_kem)"
    )


@pytest.mark.parametrize("strategy", ["static", "telemetry_aware", "rl", "hybrid"])
def test_a_fleet_whose_warnings_do_not_count_renews_nothing(strategy: str) -> None:
    assert found(strategy=strategy, warned_s=0.0) == {"fleet": "warned_s is 0"}


def test_the_power_of_a_profile_is_what_the_strategy_expert_goes_by() -> None:
    document = {
        "format": 1,
        "name": "marginal",
        "base": SHIPPED[0],
        "busy_w": 1.5,
        "suites": {MLKEM512: {"cipher_w": 0.02}},
    }
    policy = Policy(replace(PolicyConfig(), strategy="expert"), parse_profile(document))
    assert all(cost.power_w is None for cost in policy.profile.costs.values())
    assert [one.rule for one in inert_rules(policy)] == ["computer"]


def test_a_ceiling_below_every_suite_allows_no_upgrade() -> None:
    assert set(found(allowed=Allowed(min_level=5), ceiling=MLKEM512)) == {"upgrade"}


def test_expert_reactions_that_never_come() -> None:
    assert set(found(strategy="expert")) == {"battery", "computer"}
    quick = ExpertConfig(fast_handshake_s=10.0, medium_handshake_s=10.0)
    assert {"link", "advisor"} <= set(found(strategy="expert", expert=quick))
    limits = ExpertConfig(warm_c=90.0, hot_c=95.0)
    assert "thermal" in found(strategy="expert", expert=limits)
    low = Allowed(suites=frozenset({MLKEM512, "cs-mlkem512-aesgcm-falcon512"}))
    assert "balanced" in found(strategy="expert", allowed=low)


def test_the_command_tells_each_rule_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([]) == 0
    assert "Every rule can act." in capsys.readouterr().out
    file = tmp_path / "policy.yaml"
    file.write_text("cooldown_s: 0.0\nprofile: raspberry_pi_5\n", encoding="utf-8")
    assert main([str(file)]) == 0
    out = capsys.readouterr().out
    assert "The rule cooldown never acts here: cooldown_s is 0." in out
    assert out.endswith("Every other rule can act, and no parameter contradicts another.\n")
    assert "more are allowed, but their switch is predicted to stop the data" in out
    file.write_text("cooldown_s: 1000\n", encoding="utf-8")
    assert main([str(file)]) == 2
    assert "cooldown_s" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("parameters", "rules"),
    [
        ("blackout_count: 10\n", {"blackout"}),
        (f"allowed.min_level: 5\nceiling: {MLKEM512}\n", {"upgrade"}),
        ("strategy: expert\nexpert.warm_c: 90.0\nexpert.hot_c: 95.0\n", {"thermal"}),
    ],
)
def test_parameters_that_contradict_each_other_are_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], parameters: str, rules: set[str]
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(parameters, encoding="utf-8")
    assert main([str(file)]) == 1
    assert set(re.findall(r"The rule (\w+) can never act: ", capsys.readouterr().out)) == rules


FLOOR = """/**/tunnel:
  ros__parameters:
    min_level: 3
    suite: cs-mlkem768-aesgcm-mldsa65
"""


def test_with_the_shipped_floor_of_the_tunnel_no_suite_is_lighter_than_that_of_the_flight(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "drone.yaml"
    file.write_text(FLOOR, encoding="utf-8")
    assert main(["--tunnel", str(file)]) == 0
    out = capsys.readouterr().out
    for rule in ("emergency", "blackout", "link", "attack", "stress", "upgrade"):
        assert f"The rule {rule} never acts here: " in out
    assert "The rule rekey" not in out and "The rule event" not in out
    assert "and the tunnel leaves no lighter one" in out
    file.write_text(FLOOR.replace("min_level: 3", "min_level: 1"), encoding="utf-8")
    assert main(["--tunnel", str(file)]) == 0


def test_the_floor_of_the_tunnel_is_the_level_of_its_suite_unless_it_is_given() -> None:
    for suite in (MLKEM512, "cs-mlkem1024-aesgcm-mldsa87"):
        known = find_suite(suite)
        assert known is not None
        assert tunnel_floor({"suite": suite}).min_level == known.level
        assert tunnel_floor({"suite": suite, "min_level": 0}).min_level == known.level
        assert tunnel_floor({"suite": suite, "min_level": 1}).min_level == 1
    assert tunnel_floor({}) == TunnelFloor()


def test_a_bad_parameter_of_the_tunnel_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "drone.yaml"
    file.write_text(FLOOR.replace("min_level: 3", "min_level: 2"), encoding="utf-8")
    assert main(["--tunnel", str(file)]) == 2
    assert "min_level is 2, but must be 0, 1, 3 or 5." in capsys.readouterr().err


def test_a_rule_whose_sensor_the_drone_does_not_have_can_never_act() -> None:
    inert = found(required_inputs=("session", "battery", "thermal"))
    assert {"link", "blackout", "rekey"} <= set(inert)
    assert "it needs link, which required_inputs says this drone can't sense" in inert["link"]


def test_values_that_the_strategy_sets_itself_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text("strategy: paper_2025\nlink_loss: 0.1\n", encoding="utf-8")
    main([str(file)])
    assert "The strategy sets link_loss itself: 0.1 is not used." in capsys.readouterr().out
