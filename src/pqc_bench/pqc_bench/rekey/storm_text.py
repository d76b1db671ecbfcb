# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A storm as text: a line per rekey while it goes on, and a summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pqc_bench.rekey.result import Step

_COLUMNS = (
    f"{'':>9}  {'suite':42}{'lost':>6}{'gap':>8}{'steady':>8}"
    f"{'fetch':>10}{'handshake':>11}{'commit':>9}{'crypto':>9}   ms{'bytes':>9}"
)


def heading() -> str:
    return _COLUMNS


def line(number: int, of: int, step: Step) -> str:
    """Return the line of one rekey, once its traffic has been counted."""
    rekey = step.rekey
    begin = f"{number:>4}/{of:<4}  {rekey.suite:42}{step.meanwhile.lost:>6}"
    begin += f"{step.meanwhile.longest_gap_ms:>8.1f}{step.before.longest_gap_ms:>8.1f}"
    if not rekey.succeeded:
        return f"{begin}   {'rolled back' if rekey.rolled_back else 'failed'}: {rekey.message}"
    commit = "-" if rekey.commit_ms is None else f"{rekey.commit_ms:.1f}"
    source = "   ahead" if rekey.ahead else "   pooled" if rekey.pooled else ""
    return (
        f"{begin}{rekey.fetch_ms:>10.1f}{rekey.handshake_ms:>11.1f}{commit:>9}"
        f"{rekey.primitives_ms:>9.1f}{rekey.bytes:>14}{source}"
    )


def summary(result: dict[str, Any]) -> list[str]:
    totals = result["totals"]
    generator = totals["generator"]
    lines = [
        "",
        f"  rekeys       {totals['rekeys']} to {totals['suites']} suites in"
        f" {totals['wall_s']:.0f} s, {totals['failed']} failed,"
        f" {totals['rolled_back']} rolled back",
        f"  traffic      {totals['rate']} datagrams/s each way; during rekeys"
        f" {totals['sent']:,} sent, {totals['lost']:,} lost, {totals['duplicated']:,} doubled,"
        f" {totals['corrupted']:,} altered",
        f"  longest gap  {totals['own_gap_ms']:.2f} ms in {totals['rekeying_s']:.0f} s"
        f" of rekeys, {totals['steady_own_gap_ms']:.2f} ms in {totals['steady_s']:.0f} s"
        f" of steady traffic; {totals['longest_gap_ms']:.2f} and {totals['steady_gap_ms']:.2f} ms"
        " with the generator's own pauses"
        + (f" (ratio {totals['gap_ratio']:.2f})" if totals["gap_ratio"] is not None else ""),
        f"  in budget    {totals['within_budget']} of {totals['suites']} suites"
        f" ({totals['ahead']} with prekeys at the drone, {totals['pooled']} with keys from the"
        " pool)",
        f"  with prekey  {totals['prompt_rekeys']} of {totals['ahead_rekeys']} rekeys took at most"
        " a round trip, their cryptography and 2 ms",
        f"  on the air   {totals['in_bytes']} of {totals['rekeys']} rekeys within 10 % of the"
        f" arithmetic{_extremes(result['suites'])}",
        f"  generator    {generator['slips']} late, {generator['skipped']} skipped,"
        f" at most {generator['latest_ms']:.2f} ms late",
    ]
    for end, memory in totals["resident_kib"].items():
        lines.append(
            f"  memory       {end}: {memory['first'] / 1024:.1f} MiB at first,"
            f" {memory['last'] / 1024:.1f} at last, at most {memory['most'] / 1024:.1f}"
            f" ({memory['beside'] / 1024:.1f} beside prekeys)"
        )
    return [*lines, f"  machine      {totals['machine']}"]


def _extremes(suites: Sequence[dict[str, Any]]) -> str:
    done = [record for record in suites if record["rekeys"]]
    if not done:
        return ""
    least = min(done, key=lambda record: record["bytes"])
    most = max(done, key=lambda record: record["bytes"])
    return (
        f": {least['bytes']:,.0f} bytes for {least['suite']} ({least['arithmetic_bytes']:,}),"
        f" {most['bytes']:,.0f} for {most['suite']} ({most['arithmetic_bytes']:,})"
    )
