# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that the suites are those of the tunnel."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from ports import LOOPBACK, free_port
from pqc_policy.policy.suites import SUITES, find_suite

TABLE = Path(__file__).parent / "data" / "suites.json"


def table_of(suites: list[dict[str, Any]]) -> dict[str, tuple[int, int, bool]]:
    return {s["id"]: (s["level"], s["tier"], s["experimental"]) for s in suites}


def own_table() -> dict[str, tuple[int, int, bool]]:
    return {s.id: (s.level, s.tier, s.experimental) for s in SUITES}


def test_the_suites_are_those_of_the_checked_in_table() -> None:
    assert own_table() == table_of(json.loads(TABLE.read_text()))


def test_the_suites_are_those_of_the_installed_tunnel(tmp_path: Path) -> None:
    if not all(map(shutil.which, ("pqc_tunneld", "pqc_identity"))):
        pytest.skip("pqc_tunneld is not installed")
    keys = tmp_path / "keys"
    subprocess.run(
        ["pqc_identity", "init", "--out", keys, "--drone", "d", "--signatures", "mldsa65"],
        check=True,
        capture_output=True,
    )
    parameters = {
        "identity_dir": keys / "d",
        "gcs_address": LOOPBACK,
        "gcs_datagram_port": free_port(),
        "handshake_port": free_port(),
        "datagram_port": free_port(),
        "plaintext_port": free_port(),
        "plaintext_bind_address": LOOPBACK,
        "suite": "cs-mlkem768-aesgcm-mldsa65",
    }
    settings = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
    control = os.path.relpath(tmp_path / "c", tmp_path)
    tunnel = subprocess.Popen(
        ["pqc_tunneld", "--role", "drone", *settings, "--control", control],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 20
        while not (tmp_path / "c").exists():
            assert tunnel.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        process = subprocess.run(
            ["pqc_tunneld", "ctl", "--socket", control, "suites"],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            timeout=120,
        )
    finally:
        tunnel.terminate()
        tunnel.wait(20)
    assert own_table() == table_of(json.loads(process.stdout))


def test_tiers_run_from_ml_kem_512_with_aes_to_mceliece_8192128_with_ascon() -> None:
    assert min(SUITES, key=lambda s: s.tier).id == "cs-mlkem512-aesgcm-mldsa44"
    heaviest = find_suite("cs-classicmceliece8192128-ascon128a-mldsa87")
    assert heaviest is not None
    assert heaviest.tier == max(s.tier for s in SUITES) == 27


def test_an_unknown_id_has_no_suite() -> None:
    assert find_suite("cs-mlkem768-aesgcm-mldsa87") is None
