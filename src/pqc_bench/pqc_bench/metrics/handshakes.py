# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Categories D, E and F: the first handshake, its operations, rekeys under traffic."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean
from typing import Any

from pqc_policy.policy.suites import find_suite

from pqc_bench.cell.observed import ENDS, Observed, Plain
from pqc_bench.metrics.algorithm_sizes import sizes_of
from pqc_bench.metrics.sheet import NOT_APPLICABLE, Sheet

INTERVALS_S = (10, 30, 60, 120, 300, 600, 1800, 3600)
_WAYS = ("drone_to_gcs", "gcs_to_drone")
_MS_PER_S = 1000.0
# The end that performs each operation (docs/protocol.md).
_OPERATIONS = {
    "keygen": "gcs",
    "sign": "gcs",
    "verify": "drone",
    "encapsulate": "drone",
    "decapsulate": "gcs",
}
_OTHER_END = "The other end does this."


def handshake(seen: Observed, sheet: Sheet) -> None:
    """Record category D: the first handshake, as timed by both ends."""
    done = all(seen.first.get(end, {}).get("session") for end in ENDS)
    sheet.put("d_handshake.success", done)
    if seen.early.get("handshake_started"):
        sheet.put("d_handshake.attempts", seen.early["handshake_started"])
        sheet.put("d_handshake.failures", seen.early.get("handshake_failed", 0))
    else:
        for name in ("attempts", "failures"):
            sheet.lack(f"d_handshake.{name}", "The events came before the subscription.")
    sheet.put("d_handshake.timed_out", not done and "first handshake" in seen.failure)
    if not done:
        return
    for end in ENDS:
        _view(end, seen.first[end]["handshake"], sheet)
    times = operations_ms(seen)
    total_ms = seen.first["drone"]["handshake"]["total_s"] * _MS_PER_S
    sum_ms = sum(times.values())
    sheet.put("d_handshake.total_ms", total_ms)
    sheet.put("d_handshake.primitives_ms", sum_ms)
    sheet.put("d_handshake.other_ms", total_ms - sum_ms)
    sheet.put("d_handshake.other_share", (total_ms - sum_ms) / total_ms if total_ms else None)


def _view(end: str, timing: Plain, sheet: Sheet) -> None:
    path = f"d_handshake.{end}"
    sheet.put(f"{path}.total_ms", timing["total_s"] * _MS_PER_S)
    sheet.put(f"{path}.fetch_ms", None, "Only rekeys fetch keys.", NOT_APPLICABLE)
    for operation, doer in _OPERATIONS.items():
        if doer == end:
            sheet.put(f"{path}.{operation}_ms", timing[f"{operation}_s"] * _MS_PER_S)
        else:
            sheet.put(f"{path}.{operation}_ms", None, _OTHER_END, NOT_APPLICABLE)
    if end == "gcs":
        sheet.put(f"{path}.prepared_ahead", timing["prepared_ahead"])
    else:
        sheet.put(f"{path}.prepared_ahead", None, _OTHER_END, NOT_APPLICABLE)


def operations_ms(seen: Observed) -> dict[str, float]:
    """Return the time of each operation of the first handshake, at the end that performs it."""
    return {
        operation: seen.first[doer]["handshake"][f"{operation}_s"] * _MS_PER_S
        for operation, doer in _OPERATIONS.items()
    }


def primitives(seen: Observed, sheet: Sheet) -> None:
    """Record category E: the operations of the handshake, and the sizes of keys and signatures."""
    if all(seen.first.get(end, {}).get("session") for end in ENDS):
        for operation, value in operations_ms(seen).items():
            sheet.put(f"e_primitives.{operation}_ms", value)
    sheet.put(
        "e_primitives.signature_keygen_ms",
        None,
        "Identities are made before the run.",
        NOT_APPLICABLE,
    )
    suite = find_suite(seen.suite)
    for name, size in (sizes_of(suite) if suite is not None else {}).items():
        sheet.put(f"e_primitives.{name}", size)


def rekeys(seen: Observed, sheet: Sheet) -> None:
    """Record category F: each rekey, its time, and its cost at usual intervals."""
    done = [rekey for rekey in seen.rekeys if rekey["success"]]
    windows = (seen.report or {}).get("windows", {})
    during, steady = windows.get("rekey"), windows.get("steady")
    sheet.put("f_rekey.asked", len(seen.rekeys))
    sheet.put("f_rekey.committed", len(done))
    sheet.put("f_rekey.failed", len(seen.rekeys) - len(done))
    drone = seen.last.get("drone")
    sheet.put("f_rekey.rolled_back", drone["rollbacks"] if drone is not None else None)
    sheet.put("f_rekey.records", [_record(rekey, during) for rekey in seen.rekeys])
    for number in range(len(seen.rekeys)):
        for name in ("epoch_before", "epoch_after"):
            sheet.zero(f"f_rekey.records.{number}.{name}", "The first keys have epoch 0.")
    if during is not None and steady is not None:
        busy = _busy_ways(steady)
        gap, usual = _longest_gap(during, busy), _longest_gap(steady, busy)
        sheet.put("f_rekey.longest_gap_ms", gap)
        sheet.put("f_rekey.longest_gap_steady_ms", usual)
        sheet.put("f_rekey.gap_ratio", gap / usual if usual else None, "There was no gap before.")
        sheet.put("f_rekey.lost", _lost(during))
    timed = [rekey["total_ms"] for rekey in done if rekey.get("total_ms") is not None]
    sheet.lack("f_rekey.records", "Not reported: an event was missed, or the rekey failed.")
    if timed:
        total_ms = fmean(timed)
        sheet.put("f_rekey.total_ms", total_ms)
        sheet.put("f_rekey.phi_percent", phi_percent(total_ms))
    if seen.first.get("drone", {}).get("session"):
        first_ms = seen.first["drone"]["handshake"]["total_s"] * _MS_PER_S
        sheet.put("f_rekey.phi_handshake_percent", phi_percent(first_ms))


def phi_percent(total_ms: float) -> dict[str, float]:
    """Return 100 T / (R + T) for each interval R; T is the time that a rekey takes."""
    total_s = total_ms / _MS_PER_S
    return {str(interval): 100.0 * total_s / (interval + total_s) for interval in INTERVALS_S}


def _record(rekey: Plain, window: Plain | None) -> Plain:
    names = (
        "suite",
        "success",
        "message",
        "total_ms",
        "answer_ms",
        "handshake_ms",
        "fetch_ms",
        *(f"{operation}_ms" for operation in _OPERATIONS),
        "prepared_ahead",
        "epoch_before",
        "epoch_after",
    )
    gaps = {
        f"longest_gap_{way}_ms": None if window is None else window[way]["longest_gap_ms"]
        for way in _WAYS
    }
    lost = None if window is None else _lost(window)
    return {**{name: rekey.get(name) for name in names}, **gaps, "lost": lost}


def _busy_ways(window: Plain) -> list[str]:
    """Return the directions that carry about as much as the busiest.

    Ten messages a second have longer gaps than a rekey causes in the busy direction.
    """
    most = max(way["sent"] for way in _ways(window))
    return [way for way in _WAYS if 2 * window[way]["sent"] >= most]


def _longest_gap(window: Plain, ways: Iterable[str]) -> float:
    return max(window[way]["longest_gap_ms"] for way in ways)


def _lost(window: Plain) -> int:
    return sum(way["lost"] for way in _ways(window))


def _ways(window: Plain) -> Iterable[dict[str, Any]]:
    return (window[way] for way in _WAYS)
