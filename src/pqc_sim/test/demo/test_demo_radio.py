# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration over a radio, and over one that cannot carry it."""

from __future__ import annotations

from demo_runs import assert_all_went_through, demo, summary_of


def test_a_radio_alone_carries_a_flight() -> None:
    run = demo("--links", "radio", "--seconds", "25", "--json")
    assert run.returncode == 0, run.stdout + run.stderr
    summary = summary_of(run)
    assert_all_went_through(summary)
    assert summary["cut"] is None
    assert summary["links"][0]["type"] == "serial"
    assert summary["mavlink"]["drone_to_gcs"]["corrupted"] == 0


def test_a_link_that_takes_too_much_for_a_flight_is_a_fault() -> None:
    run = demo("--link", "telemetry-radio", "--rate", "2000", "--seconds", "15")
    assert run.returncode == 1
    failures = [line for line in run.stdout.splitlines() if line.startswith("  failed: ")]
    assert any("the link took" in line or "the rekey failed" in line for line in failures)
