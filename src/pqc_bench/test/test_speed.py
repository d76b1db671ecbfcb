# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reports of pqc_speed, and policy profiles made of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pqc_bench.speed.profile import policy_profile
from pqc_bench.speed.program import run_speed
from pqc_policy.policy.profile import load_profile
from pqc_policy.policy.suites import KEMS, SIGNATURES, find_suite
from pqc_sim.pair.programs import tool_program
from pqc_sim.processes.run_fault import RunFault

_KEM = {"keygen": 1e6, "encapsulate": 2e6, "decapsulate": 4e6}
_SIGNATURE = {"keygen": 5e6, "sign": 8e6, "verify": 16e6}


def _subject(name: str, medians: dict[str, float]) -> dict[str, Any]:
    operations = [
        {"operation": operation, "samples": 9, "median_ns": median, "cut": False, "failed": 0}
        for operation, median in medians.items()
    ]
    return {"algorithm": name, "operations": operations}


def _report() -> dict[str, Any]:
    return {
        "format": 1,
        "count": 200,
        "operations_failed": 0,
        "kems": [_subject(name, _KEM) for name in KEMS],
        "signatures": [_subject(name, _SIGNATURE) for name in SIGNATURES],
        "aeads": [],
    }


def _rekeys() -> dict[str, Any]:
    """Return what `bench rekey` writes, as far as a profile reads it."""
    return {
        "suites": [
            _rekey("cs-hqc192-ascon128a-mldsa65", 12.0),
            _rekey("cs-mlkem512-aesgcm-falcon512", 25.0),
        ],
        "totals": {"rate": 320, "steady_gap_ms": 9.0},
    }


def _rekey(suite: str, gap_ms: float) -> dict[str, Any]:
    times = {"handshake_ms": 103.0, "primitives_ms": 3.0}
    return {"suite": suite, "rekeys": 1, "longest_gap_ms": gap_ms, "bytes": 11000, **times}


def _program(folder: Path, report: dict[str, Any] | None, code: int = 0) -> Path:
    """Make a stand-in for pqc_speed that writes this report and ends with this code."""
    program = folder / "program"
    text = "" if report is None else json.dumps(report)
    program.write_text(
        "#!/bin/sh\n"
        "echo 'pqc_speed: no such thing.' >&2\n"
        f"[ -z '{text}' ] || echo '{text}' > \"$2\"\n"
        f"exit {code}\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    return program


def test_the_policy_loads_a_profile_made_of_a_report(tmp_path: Path) -> None:
    file = tmp_path / "profile.json"
    file.write_text(json.dumps(policy_profile(_report(), "bench", _rekeys())), encoding="utf-8")
    profile = load_profile(file)
    suite = find_suite("cs-hqc192-ascon128a-mldsa65")
    assert suite is not None
    assert profile.name == "bench"
    assert profile.cost(suite).handshake_s == pytest.approx(0.100 + 0.007 + 0.024)
    assert profile.cost(suite).power_w is None
    assert profile.cost(suite).interruption_s == pytest.approx(0.012)
    assert profile.cost(suite).rekey_s == pytest.approx(0.103)
    assert profile.cost(suite).rekey_bytes == 11000 + suite.prekey_bytes
    other = find_suite("cs-mlkem768-aesgcm-mldsa65")
    assert other is not None
    assert profile.cost(other).interruption_s == pytest.approx(0.025)
    # A suite that was not measured takes what its work does, with keys made ahead.
    assert 0.1 < profile.cost(other).rekey_s < profile.cost(other).handshake_s


def test_a_profile_without_rekeys_has_no_interruptions_of_its_own() -> None:
    document = policy_profile(_report(), "bench")
    assert "interruption_ms" not in document


def test_rekeys_that_all_failed_give_no_profile() -> None:
    rekeys = _rekeys()
    for record in rekeys["suites"]:
        record["rekeys"] = 0
    with pytest.raises(RunFault, match="none that was done"):
        policy_profile(_report(), "bench", rekeys)


def test_a_profile_tells_what_was_cut() -> None:
    report = _report()
    report["kems"][0]["operations"][0]["cut"] = True
    source = policy_profile(report, "bench")["source"]
    assert f"Fewer samples of: {KEMS[0]} keygen (9)." in source


@pytest.mark.parametrize("lacking", ["algorithm", "samples"])
def test_no_profile_is_made_if_an_algorithm_was_not_measured(lacking: str) -> None:
    report = _report()
    if lacking == "algorithm":
        report["signatures"].pop()
    else:
        report["signatures"][-1]["operations"][1]["samples"] = 0
    with pytest.raises(RunFault, match=f"{SIGNATURES[-1]} has no sign time"):
        policy_profile(report, "bench")


def test_a_program_that_fails_is_told_in_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(RunFault, match=r"no such thing\."):
        run_speed(_program(tmp_path, None, 2), show=False)


def test_wrong_results_of_a_primitive_are_a_fault(tmp_path: Path) -> None:
    report = {**_report(), "operations_failed": 3}
    report["kems"][0]["operations"][2]["failed"] = 3
    with pytest.raises(RunFault, match=f"3 wrong results: {KEMS[0]} decapsulate"):
        run_speed(_program(tmp_path, report, 1), show=False)


def test_the_real_program_measures_what_it_is_asked_for() -> None:
    report = run_speed(tool_program("pqc_speed"), 5, 0, ["mlkem512", "mldsa44", "aesgcm"], False)
    assert [kem["algorithm"] for kem in report["kems"]] == ["mlkem512"]
    assert report["operation_kinds"] == 3 + 3 + 8
    assert report["samples"] == 5 * report["operation_kinds"]
    assert report["operations_run"] >= report["operations_timed"] > 0
