# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A profile for the policy from the cells of a run's quietest condition."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median, stdev
from typing import Any

from pqc_policy.policy.profile import FORMAT, ProfileFault, parse_profile
from pqc_policy.policy.suites import KEMS, SIGNATURES
from pqc_sim.processes.run_fault import RunFault
from scipy import stats

from pqc_bench.report.run_data import Cell, Run
from pqc_bench.speed.profile import KEM_OPERATIONS, SIGNATURE_OPERATIONS, operation_times

_POWER = "p_power_energy"
_SURE = 0.95
# Two suites that are compared have an error each.
_TWO = 2.0**0.5
# Of a suite in the policy's profile, and where a cell has it.
_FIELDS = {
    "handshake_ms": "d_handshake.total_ms",
    "rekey_ms": "f_rekey.total_ms",
    "interruption_ms": "f_rekey.longest_gap_ms",
    "power_w": f"{_POWER}.power_w.mean",
}


def run_profile(run: Run, name: str) -> dict[str, Any]:
    """Return the document of a profile; RunFault if the run lacks what it needs."""
    if run.speed is None:
        raise RunFault(
            f"the run in '{run.folder}' has no speed.json, and a profile needs the times of every "
            "KEM and signature"
        )
    cells = run.main()
    suites = {cell.suite: _suite(cell) for cell in cells}
    gaps = [of["interruption_ms"] for of in suites.values() if "interruption_ms" in of]
    document: dict[str, Any] = {
        "format": FORMAT,
        "name": name,
        "source": _source(run, cells),
        "kems": operation_times(run.speed["kems"], KEMS, KEM_OPERATIONS),
        "signatures": operation_times(run.speed["signatures"], SIGNATURES, SIGNATURE_OPERATIONS),
        "fixed_ms": round(_fixed_ms(cells), 3),
        "suites": suites,
    }
    if gaps:
        document["interruption_ms"] = max(gaps)
    error_w = power_error_w(cells)
    if error_w is not None:
        document["power_error_w"] = round(error_w, 6)
    try:
        parse_profile(document)
    except ProfileFault as fault:
        raise RunFault(f"the policy doesn't accept the profile: {fault}") from fault
    return document


def power_error_w(cells: Sequence[Cell]) -> float | None:
    """Return the smallest difference of two suites' powers that is one; None without a sensor.

    Each suite's error is half the 95 % interval of its mean: of repetitions, or of the blocks of
    its only trace. The errors are pooled.
    """
    halves = [half for cell in cells if (half := _half_w(cell)) is not None]
    return _TWO * fmean(half**2 for half in halves) ** 0.5 if halves else None


def _half_w(cell: Cell) -> float | None:
    watts = cell.all(_FIELDS["power_w"])
    if len(watts) > 1:
        spread = stdev(watts) / len(watts) ** 0.5
        return float(stats.t.ppf((1.0 + _SURE) / 2.0, len(watts) - 1)) * spread
    ends = [cell.get(f"{_POWER}.{name}") for name in ("energy_low_j", "energy_high_j", "seconds")]
    return None if None in ends else (ends[1] - ends[0]) / 2.0 / ends[2]


def _suite(cell: Cell) -> dict[str, float]:
    return {
        field: round(median(values), 6)
        for field, path in _FIELDS.items()
        if (values := cell.all(path))
    }


def _fixed_ms(cells: Sequence[Cell]) -> float:
    """Return what a handshake takes besides its primitives."""
    others = [other for cell in cells for other in cell.all("d_handshake.other_ms")]
    return max(0.0, median(others)) if others else 0.0


def _source(run: Run, cells: Sequence[Cell]) -> str:
    scenario, load, link = run.primary()
    count = sum(len(cell.samples) for cell in cells)
    sentences = [
        f"bench matrix on this machine ({run.file.machine}), {run.file.started}, {count} cells of "
        f"{scenario}, {load}, {link}: medians of each suite."
    ]
    sensed = [cell for cell in cells if cell.all(_FIELDS["power_w"])]
    if sensed:
        sensor = sensed[0].get(f"{_POWER}.sensor") or sensed[0].get(f"{_POWER}.source")
        sentences.append(f"Power measured while traffic flowed ({sensor}).")
    else:
        sentences.append("No power: the run had no sensor.")
    return " ".join(sentences)
