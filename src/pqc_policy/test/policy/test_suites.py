# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pqc_policy.policy.suites import SUITES, find_suite

TABLE = Path(__file__).parents[1] / "data" / "suites.json"


Row = tuple[tuple[str, ...], int, int, bool]


def table_of(suites: list[dict[str, Any]]) -> list[Row]:
    return sorted(
        (
            tuple(s[key] for key in ("id", "other_id") if key in s),
            *(s["level"], s["tier"], s["experimental"]),
        )
        for s in suites
    )


def own_table() -> list[Row]:
    return sorted((s.ids, s.level, s.tier, s.experimental) for s in SUITES)


def test_the_suites_are_those_of_the_checked_in_table() -> None:
    assert own_table() == table_of(json.loads(TABLE.read_text()))


def test_the_suites_are_those_of_the_installed_tunnel(tmp_path: Path) -> None:
    if not shutil.which("pqc"):
        pytest.skip("pqc_tunnel is not installed")
    process = subprocess.run(
        ["pqc", "suites", "--json"],
        env={**os.environ, "PQC_RUN_DIR": str(tmp_path / "run")},  # where no tunnel runs
        check=True,
        capture_output=True,
    )
    assert own_table() == table_of(json.loads(process.stdout))


def test_tiers_run_from_ml_kem_512_with_aes_to_mceliece_8192128_with_ascon() -> None:
    assert min(SUITES, key=lambda s: s.tier).id == "cs-mlkem512-aesgcm-mldsa44"
    heaviest = find_suite("cs-classicmceliece8192128-ascon128a-mldsa87")
    assert heaviest.tier == max(s.tier for s in SUITES) == 27


def test_a_suite_is_found_by_either_spelling() -> None:
    plain = find_suite("cs-mlkem512-aesgcm-sphincs128f")
    assert plain is not None
    assert find_suite("cs-mlkem512-aesgcm-sphincs128fsha2") is plain
    assert find_suite("cs-mlkem768-aesgcm-mldsa65sha2") is None


def test_an_unknown_id_has_no_suite() -> None:
    assert find_suite("cs-mlkem768-aesgcm-mldsa87") is None
