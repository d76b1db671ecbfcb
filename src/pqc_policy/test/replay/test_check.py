# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The command check: parameters that can't be used, and the suites that given ones leave."""

from __future__ import annotations

from pathlib import Path

import pytest
from flight import MLKEM512
from pqc_policy.policy.suites import find_suite
from pqc_policy.policy.tunnel_floor import TunnelFloor, tunnel_floor
from pqc_policy.replay.check_command import main


def test_the_command_counts_the_suites_and_refuses_bad_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([]) == 0
    assert "suites may be chosen, from " in capsys.readouterr().out
    file = tmp_path / "policy.yaml"
    file.write_text("profile: raspberry_pi_5\n", encoding="utf-8")
    assert main([str(file)]) == 0
    out = capsys.readouterr().out
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
    only_keys = "None is lighter than the tunnel's first one: in flight only keys are renewed."
    assert only_keys in capsys.readouterr().out
    file.write_text(FLOOR.replace("min_level: 3", "min_level: 1"), encoding="utf-8")
    assert main(["--tunnel", str(file)]) == 0
    assert only_keys not in capsys.readouterr().out


def test_the_floor_of_the_tunnel_is_the_level_of_its_suite_unless_it_is_given() -> None:
    for suite in (MLKEM512, "cs-mlkem1024-aesgcm-mldsa87"):
        known = find_suite(suite)
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


def test_the_shipped_files_are_good_together(capsys: pytest.CaptureFixture[str]) -> None:
    config = Path(__file__).resolve().parents[4] / "config"
    if not config.is_dir():
        pytest.skip("needs the source tree")
    assert main([str(config / "policy.yaml"), "--tunnel", str(config / "drone.yaml")]) == 0
    assert "The tunnel uses " in capsys.readouterr().out
