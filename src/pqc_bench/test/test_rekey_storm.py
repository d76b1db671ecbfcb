# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A short storm over the real nodes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from ament_index_python.packages import PackageNotFoundError, get_package_prefix

SUITES = (
    "cs-mlkem768-aesgcm-mldsa65",
    "cs-mlkem512-ascon128a-falcon512",
    "cs-frodokem640aes-chacha20poly1305-mldsa44",
)


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a measurement to its end."""
    try:
        get_package_prefix("pqc_tunnel")
    except PackageNotFoundError as missing:
        pytest.skip(f"needs the built workspace: {missing}")
    return subprocess.run(
        [sys.executable, "-m", "pqc_bench.bench.main", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_switching_suites_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "storm.json"
    run = bench("rekey", "--suites", ",".join(SUITES), "--out", str(file))
    result = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    assert result, run.stdout + run.stderr
    totals = result["totals"]
    assert {record["suite"] for record in result["suites"]} == set(SUITES)
    assert totals["rekeys"] == len(SUITES)
    assert totals["sent"] > 0
    assert (totals["lost"], totals["corrupted"], totals["rolled_back"]) == (0, 0, 0)
    assert not any(count for drops in totals["drops"].values() for count in drops.values())
    assert totals["in_step"]
    # How long gaps are depends on what else the machine does; nothing else may be wrong.
    assert all("longest gap" in fault for fault in result["faults"])
    assert run.returncode == (1 if result["faults"] else 0)


def test_an_unknown_suite_is_one_clear_sentence() -> None:
    run = bench("rekey", "--suites", "cs-nothing")
    assert run.returncode == 1
    assert run.stderr == "bench: there is no suite 'cs-nothing'\n"
