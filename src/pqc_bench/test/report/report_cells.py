# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of the report's tables, and what raw cells say of them without the report's code."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Hashable
from typing import Any

from pqc_bench.report.build import Report

Rows = list[dict[str, str]]
Metrics = dict[str, Any]
NAMES = {
    "mlkem512": "ML-KEM-512",
    "mlkem768": "ML-KEM-768",
    "mlkem1024": "ML-KEM-1024",
    "hqc128": "HQC-128",
    "classicmceliece348864": "McEliece-348864",
    "classicmceliece460896": "McEliece-460896",
    "classicmceliece8192128": "McEliece-8192128",
    "mldsa44": "ML-DSA-44",
    "mldsa65": "ML-DSA-65",
    "mldsa87": "ML-DSA-87",
    "falcon512": "Falcon-512",
    "aesgcm": "AES-256-GCM",
    "chacha20poly1305": "ChaCha20-Poly1305",
    "ascon128a": "Ascon-128a",
    "asconaead128": "Ascon-AEAD128",
}
FAMILIES = {"ml_kem": "ML-KEM", "hqc": "HQC", "mceliece": "McEliece"}
SIZES = ("kem_public_key_bytes", "kem_ciphertext_bytes", "signature_bytes")


def rows_of(report: Report, table: str) -> Rows:
    return list(csv.DictReader(io.StringIO(report.tables[table])))


def in_scenario(cells: list[dict[str, Any]], scenario: str) -> list[dict[str, Any]]:
    return [cell for cell in cells if cell["a_run_context"]["scenario"] == scenario]


def handshakes(cells: list[dict[str, Any]]) -> list[float]:
    return [cell["d_handshake"]["total_ms"] for cell in cells]


def close(shown: str, expected: float) -> bool:
    return math.isclose(float(shown), expected, rel_tol=1e-9, abs_tol=1e-12)


def at(cell: Metrics, path: str) -> Any:
    """Return the value at a dotted path; None where there is none."""
    value: Any = cell
    for step in path.split("."):
        value = (value or {}).get(step)
    return value


def name_of(cell: Metrics, *parts: str) -> str:
    """Return a suite's name for people, of some of its parts."""
    of = cell["b_crypto_identity"]
    return " · ".join(NAMES[of[part]] for part in parts or ("kem", "signature", "aead"))


def grouped(cells: list[Metrics], key: Callable[[Metrics], Hashable]) -> dict[Any, list[Metrics]]:
    found: dict[Any, list[Metrics]] = {}
    for cell in cells:
        found.setdefault(key(cell), []).append(cell)
    return found


def wire_bytes(cell: Metrics) -> int:
    return sum(cell["e_primitives"][name] for name in SIZES)


def phi_percent(took_ms: float, seconds: float) -> float:
    return 100.0 * took_ms / (1000.0 * seconds + took_ms)


def assert_row(row: dict[str, str], expected: dict[str, Any]) -> None:
    """Compare a row of a table, all of it but its intervals and where it comes from."""
    bounds = {name for name in row if "_low" in name or "_high" in name}
    assert set(row) - {"source"} - bounds == set(expected)
    for name, value in expected.items():
        if value is None or isinstance(value, str):
            assert row[name] == (value or ""), name
        else:
            assert close(row[name], value), (name, row[name], value)
