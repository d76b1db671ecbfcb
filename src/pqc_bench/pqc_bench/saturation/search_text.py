# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A search as text: a line per step while it goes on, and a summary."""

from __future__ import annotations

from typing import Any

from pqc_bench.harness.rate_search import Trial

_WORDS = {
    "owd_p95_spike": "the one-way delay's p95 spiked",
    "delivered_ratio": "too little was delivered",
    "loss": "too much was lost",
    "latency_cap": "the one-way delay's p95 went over its cap",
    "generator": "the generator couldn't keep up",
}


def heading() -> str:
    return (
        f"{'rate/s':>9}{'delivered':>11}{'lost %':>9}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}"
        f"{'late':>7}   "
    )


def line(trial: Trial) -> str:
    step = trial.step
    begin = (
        f"{step.rate:>9}{step.delivered_ratio:>11.3f}{step.loss_percent:>9.3f}"
        f"{step.owd_p50_ms:>9.3f}{step.owd_p95_ms:>9.3f}{step.owd_p99_ms:>9.3f}{step.slips:>7}   "
    )
    if trial.invalid:
        return f"{begin}invalid: {trial.invalid}"
    return begin + (", ".join(trial.signals) if trial.signals else "sustained")


def summary(result: dict[str, Any]) -> list[str]:
    least = "at least " if result["lower_bound"] else ""
    lines = [
        "",
        f"  sustained   {least}{result['sustained_per_s']:,} datagrams/s each way of"
        f" {result['size']} B ({result['sustained_mbit_per_s']} Mb/s)",
    ]
    if result["stopped_by"]:
        why = " and ".join(_WORDS[name] for name in result["stopped_by"])
        lines.append(f"  stopped by  {why}, at {result['stopped_at_per_s']:,} datagrams/s")
    else:
        lines.append("  stopped by  nothing: the highest rate of the search was sustained")
    if result["invalid_steps"]:
        lines.append(
            f"  generator   fell behind in {result['invalid_steps']} of"
            f" {len(result['steps'])} steps, which don't count"
        )
    return lines
