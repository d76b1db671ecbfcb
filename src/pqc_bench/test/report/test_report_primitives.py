# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Times of single operations, computed once more from raw cells without the report's code."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest
from pqc_bench.report.build import Report
from report_cells import NAMES, Metrics, assert_row, grouped, in_scenario, rows_of


@pytest.mark.parametrize(
    ("kind", "column", "operations", "size"),
    [
        ("kem", "kem", ("keygen", "encapsulate", "decapsulate"), "kem_public_key_bytes"),
        ("signature", "signature", ("sign", "verify"), "signature_bytes"),
    ],
)
def test_primitives_are_those_of_speed_and_of_the_handshakes(
    whole_run: Path,
    whole_report: Report,
    whole_cells: list[Metrics],
    kind: str,
    column: str,
    operations: tuple[str, ...],
    size: str,
) -> None:
    speed = json.loads((whole_run / "speed.json").read_text())
    rows = {row[column]: row for row in rows_of(whole_report, f"primitives_{kind}s")}
    by = grouped(in_scenario(whole_cells, "baseline"), lambda cell: cell["b_crypto_identity"][kind])
    assert len(rows) == len(speed[f"{kind}s"]) >= len(by)
    for algorithm, of in by.items():
        (timed,) = (one for one in speed[f"{kind}s"] if one["algorithm"] == algorithm)
        alone = {one["operation"]: one for one in timed["operations"]}
        slowest = max(alone.values(), key=lambda one: one["median_ns"])
        assert_row(
            rows[NAMES[algorithm]],
            {
                column: NAMES[algorithm],
                **{f"{name}_ms": alone[name]["median_ns"] / 1e6 for name in operations},
                "spread": slowest["p95_ns"] / slowest["p5_ns"],
                "least_samples": min(one["samples"] for one in alone.values()),
                **{
                    f"{name}_in_handshake_ms": median(
                        cell["e_primitives"][f"{name}_ms"] for cell in of
                    )
                    for name in operations
                },
                size: of[0]["e_primitives"][size],
            },
        )


def test_ciphers_are_told_by_size(whole_run: Path, whole_report: Report) -> None:
    speed = json.loads((whole_run / "speed.json").read_text())
    timed = {
        (NAMES[subject["algorithm"]], str(one["text_bytes"]), one["operation"]): one
        for subject in speed["aeads"]
        for one in subject["operations"]
    }
    rows = rows_of(whole_report, "primitives_aeads")
    assert 2 * len(rows) == len(timed)
    for row in rows:
        sealed, opened = (timed[row["aead"], row["text_bytes"], name] for name in ("seal", "open"))
        assert_row(
            row,
            {
                "aead": row["aead"],
                "text_bytes": float(row["text_bytes"]),
                "seal_us": sealed["median_ns"] / 1e3,
                "open_us": opened["median_ns"] / 1e3,
                "seal_p5_us": sealed["p5_ns"] / 1e3,
                "seal_p95_us": sealed["p95_ns"] / 1e3,
            },
        )
