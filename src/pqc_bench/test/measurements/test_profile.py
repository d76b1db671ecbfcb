# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Profiles for the policy from a measured run: the lowest measured power is then chosen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from exit_code import exit_code
from pqc_bench.metrics import write_metrics
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.profile import load_profile
from pqc_policy.policy.strategies.expert import powers
from pqc_policy.policy.suites import KEMS, SIGNATURES, SUITES, find_suite
from report_run import make_run

SUITES_RUN = "cs-mlkem512-aesgcm-mldsa44,cs-mlkem768-aesgcm-mldsa65,cs-hqc128-aesgcm-falcon512"
FRUGAL = "cs-hqc128-aesgcm-falcon512"
POWER_W = {"mlkem512": 4.30, "mlkem768": 4.31, "hqc128": 4.20}


def measured_run(folder: Path, sensor: bool) -> Path:
    """Write a run with five repetitions whose suites differ in power."""
    run = make_run(folder, SUITES_RUN, ("baseline",), power_w=4.0 if sensor else None, repeat=5)
    for file in run.glob("cells/**/metrics.json"):
        metrics = json.loads(file.read_text())
        if sensor:
            number = metrics["a_run_context"]["cell"].rpartition("@")[2]
            noise = 0.002 * ((int(number) if number.isdigit() else 1) - 3)
            watts = POWER_W[metrics["b_crypto_identity"]["kem"]] + noise
            metrics["p_power_energy"]["power_w"]["mean"] = watts
            write_metrics(file, metrics)
    (run / "speed.json").write_text(json.dumps(speed_report()))
    return run


def speed_report() -> dict[str, Any]:
    def subjects(names: tuple[str, ...], operations: tuple[str, ...]) -> list[dict[str, Any]]:
        timed = [{"operation": name, "samples": 9, "median_ns": 1e6} for name in operations]
        return [{"algorithm": name, "operations": timed} for name in names]

    kems = subjects(KEMS, ("keygen", "encapsulate", "decapsulate"))
    return {
        "format": 1,
        "kems": kems,
        "signatures": subjects(SIGNATURES, ("sign", "verify")),
        "aeads": [],
    }


def test_the_policy_finds_the_lowest_measured_power_in_the_profile_of_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "profile.json"
    run = measured_run(tmp_path / "run", sensor=True)
    assert exit_code(["profile", str(run), "--out", str(file), "--name", "my_pi"]) == 0
    profile = load_profile(file)
    assert profile.name == "my_pi"
    assert "Power measured while traffic flowed (hwmon)." in profile.source
    known = powers(profile.cost, PolicyConfig(), SUITES)
    assert {suite.id: watts for suite, watts in known.items()} == pytest.approx(
        dict(zip(sorted(SUITES_RUN.split(",")), (4.20, 4.30, 4.31), strict=True))
    )
    assert min(known, key=lambda suite: known[suite]) is find_suite(FRUGAL)
    # Five repetitions that deviate by 3.2 mW, two suites: t(4) of 2.78.
    assert profile.power_error_w == pytest.approx(2.776 * 0.00316 / 5**0.5 * 2**0.5, rel=0.01)
    assert "Lowest power: 4.200 W with cs-hqc128" in capsys.readouterr().out


def test_a_profile_of_a_run_has_its_times(tmp_path: Path) -> None:
    file = tmp_path / "profile.json"
    run = measured_run(tmp_path / "run", sensor=False)
    assert exit_code(["profile", str(run), "--out", str(file)]) == 0
    document = json.loads(file.read_text())
    assert set(document["suites"]) == set(SUITES_RUN.split(","))
    assert set(document["suites"][FRUGAL]) == {"handshake_ms", "rekey_ms", "interruption_ms"}
    assert document["source"].endswith("No power: the run had no sensor.")
    profile = load_profile(file)
    assert powers(profile.cost, PolicyConfig(), SUITES) == {}


def test_without_the_times_of_the_primitives_there_is_no_profile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = measured_run(tmp_path / "run", sensor=False)
    (run / "speed.json").unlink()
    assert exit_code(["profile", str(run), "--out", str(tmp_path / "profile.json")]) == 1
    assert "has no speed.json" in capsys.readouterr().err
