# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The command check: parameters that can't be used, and rules that never act with given ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from flight import MLKEM512, MLKEM768, policy_with
from pqc_policy.policy.config import Allowed, RekeyIntervals
from pqc_policy.policy.strategies.registry import STRATEGIES
from pqc_policy.policy.suites import find_suite
from pqc_policy.policy.tunnel_floor import TunnelFloor, tunnel_floor
from pqc_policy.replay.check_command import main
from pqc_policy.replay.trial_flights import silent_rules

ONE = Allowed(suites=frozenset({MLKEM768}))


def silent(**changes: object) -> set[str]:
    return set(silent_rules(policy_with(**changes)))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_with_the_shipped_parameters_every_rule_can_act(strategy: str) -> None:
    assert silent(strategy=strategy) == set()


REACTIONS = {"emergency", "blackout", "link", "attack", "stress", "signature", "upgrade"}
FOR_RARE_KEYS = {"event"}  # of families without routine renewals
KEM768 = Allowed(suites=frozenset({MLKEM768, "cs-mlkem768-chacha20poly1305-mldsa65"}))
SPHINCS = "cs-mlkem768-aesgcm-sphincs192s"
COSTLY_PAIR = Allowed(suites=frozenset({MLKEM768, SPHINCS}))
NEVER = RekeyIntervals(ml_kem=0.0)


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        # Nothing can change with one suite, so that nothing has to cool down either.
        ({"allowed": ONE}, REACTIONS | FOR_RARE_KEYS | {"cooldown"}),
        # An attack leads nowhere with one KEM.
        ({"allowed": KEM768}, {"attack", "signature", "upgrade"} | FOR_RARE_KEYS),
        # Nothing can exceed these limits.
        ({"cooldown_s": 0.0}, {"cooldown"}),
        ({"link_gap_s": 5.0, "link_loss": 1.0, "link_rtt_s": 60.0}, {"link"}),
        ({"emergency_voltage_v": 0.0, "emergency_temperature_c": 150.0}, {"emergency"}),
        # A family without an interval is not renewed.
        (
            {"allowed": Allowed(suites=frozenset({MLKEM512, MLKEM768})), "rekey_interval_s": NEVER},
            {"rekey", "signature"},
        ),
        # A costly signature can be left only for another of its KEM, and by a routine.
        ({"allowed": COSTLY_PAIR}, {"attack", "upgrade"} | FOR_RARE_KEYS),
        (
            {"allowed": COSTLY_PAIR, "rekey_interval_s": NEVER},
            {"attack", "rekey", "signature", "upgrade"},
        ),
        (
            {"allowed": Allowed(suites=frozenset({MLKEM512, SPHINCS}))},
            {"signature", "upgrade"} | FOR_RARE_KEYS,
        ),
        # A ceiling below every suite allows no upgrade.
        ({"allowed": Allowed(min_level=5), "ceiling": MLKEM512}, {"upgrade"}),
    ],
)
def test_a_rule_that_the_parameters_leave_nothing_to_do_is_silent(
    changes: dict[str, object], rules: set[str]
) -> None:
    assert silent(**changes) == rules


@pytest.mark.parametrize("strategy", ["static", "telemetry_aware", "expert"])
def test_a_fleet_whose_warnings_do_not_count_renews_nothing(strategy: str) -> None:
    assert silent(strategy=strategy, warned_s=0.0) == {"fleet"}


def test_expert_has_nothing_to_do_about_heat_with_light_suites_alone() -> None:
    low = Allowed(suites=frozenset({MLKEM512, "cs-mlkem512-aesgcm-falcon512"}))
    assert silent(strategy="expert", allowed=low) == {"thermal"}


def test_a_rule_whose_sensor_the_drone_does_not_have_is_silent() -> None:
    deaf = silent(required_inputs=("session", "battery", "thermal"))
    assert {"link", "blackout", "rekey"} <= deaf


def test_the_command_tells_each_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "Every rule can act." in capsys.readouterr().out
    file = tmp_path / "policy.yaml"
    file.write_text("cooldown_s: 0.0\nprofile: raspberry_pi_5\n", encoding="utf-8")
    assert main([str(file)]) == 0
    out = capsys.readouterr().out
    assert out.endswith("The rule cooldown never acts with these parameters.\n")
    assert "more are allowed, but their switch is predicted to stop the data" in out
    file.write_text("cooldown_s: 1000\n", encoding="utf-8")
    assert main([str(file)]) == 2
    assert "cooldown_s" in capsys.readouterr().err


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
        assert f"The rule {rule} never acts with these parameters." in out
    assert "The rule rekey" not in out
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


def test_values_that_the_strategy_sets_itself_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text("strategy: paper_2025\nlink_loss: 0.1\n", encoding="utf-8")
    main([str(file)])
    assert "The strategy sets link_loss itself: 0.1 is not used." in capsys.readouterr().out
