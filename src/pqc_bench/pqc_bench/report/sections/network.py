# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Losses, throughput, round trip and memory of each suite, and what the tunnels dropped."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from pqc_bench.cell.observed import ENDS
from pqc_bench.report.analysis import group
from pqc_bench.report.context import Context
from pqc_bench.report.run_data import Cell
from pqc_bench.report.section import Section, Tabulated
from pqc_bench.report.sections.ranking import CODE_HINT
from pqc_bench.report.table import Column, Table, Value

THROUGHPUT = "g_data_plane.cipher_bytes_per_s"
GOODPUT = "g_data_plane.plain_bytes_per_s"
SENT = "g_data_plane.drone_to_gcs.offered"
LOST = "g_data_plane.drone_to_gcs.lost"
ROUND_TRIP = "h_latency_jitter.round_trip"
MEMORY = "n_system_drone.resident_mib.mean"
_MBIT = 8e-6
# Heading, name in the CSV, hint, path.
_COLUMNS = (
    ("packets sent", "packets_sent", "datagrams from the drone", SENT),
    ("lost datagrams", "datagrams_lost", "given to the drone's tunnel, not delivered", LOST),
    (
        "lost by sequence",
        "lost_by_sequence",
        "messages, as a ground program counts them",
        "j_mavlink_gcs.sequence_gaps",
    ),
    ("throughput (Mbit/s)", "throughput_mbit_s", "on the link, both ways", THROUGHPUT),
    ("goodput (Mbit/s)", "goodput_mbit_s", "to the applications, both ways", GOODPUT),
    ("RTT mean (ms)", "rtt_mean_ms", "of the vehicle's messages", f"{ROUND_TRIP}.mean_ms"),
    ("RTT p50 (ms)", "rtt_p50_ms", "of the vehicle's messages", f"{ROUND_TRIP}.p50_ms"),
    ("RTT p95 (ms)", "rtt_p95_ms", "needs 20 answers", f"{ROUND_TRIP}.p95_ms"),
    ("RTT p99 (ms)", "rtt_p99_ms", "needs 100 answers", f"{ROUND_TRIP}.p99_ms"),
    ("RSS, drone (MiB)", "rss_drone_mib", "of the tunnel, mean", MEMORY),
    ("RSS, ground (MiB)", "rss_ground_mib", "mean", "o_system_gcs.resident_mib.mean"),
    ("peak CPU (%)", "cpu_peak_percent", "machine", "n_system_drone.machine_cpu_percent.max"),
)


def network(context: Context) -> Section:
    """Return what each suite sent and delivered, how long it took, and its memory."""
    columns = [Column(heading, name, hint, interval=True) for heading, name, hint, _ in _COLUMNS]
    table = Table(
        "network",
        [
            Column("suite", "suite"),
            Column("code", "code", CODE_HINT),
            Column("n", "n", "samples"),
            *columns,
        ],
        note="Throughput counts the tunnel's datagrams with headers and tags, and the keys that "
        "it fetches meanwhile; goodput is what the applications got. RSS is the resident memory of "
        "a tunnel's process.",
    )
    for cell in sorted(context.main, key=lambda cell: cell.name):
        values = [in_units(context.value(cell, path), path) for *_, path in _COLUMNS]
        found = context.of(cell, len(cell.samples))
        table.add(context.of(cell, cell.name), Value(cell.code), found, *values)
    return Section(
        "network",
        "Network and memory",
        f"While traffic flowed ({context.condition_words}).",
        [
            Tabulated("Traffic of each suite", table, ("network",)),
            Tabulated("Dropped by the tunnels, by reason", _drops(context)),
        ],
    )


def _drops(context: Context) -> Table:
    """Return how many datagrams each end dropped, for every reason that its status names."""
    table = Table(
        "drops",
        [
            Column("condition", "condition"),
            Column("reason", "reason", "as in pqc_msgs/DropCounters"),
            *(Column(f"at the {end}", end, "datagrams in all cells") for end in ENDS),
        ],
    )
    for condition, cells in group(context.run.cells, lambda cell: cell.condition).items():
        counts = {end: _counts(cells, end) for end in ENDS}
        words = " ".join(condition)
        link = context.group(f"all of {words}", cells)
        for reason in dict.fromkeys(name for of in counts.values() for name in of):
            found = (Value(counts[end].get(reason), link) for end in ENDS)
            table.add(Value(" / ".join(condition)), Value(reason.replace("_", " ")), *found)
    return table


def _counts(cells: list[Cell], end: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for cell in cells:
        for drops in cell.all(f"g_data_plane.{end}_drops"):
            for reason, count in drops.items():
                counts[reason] += count or 0
    return counts


def in_units(value: Value, path: str) -> Value:
    """Return a rate of bytes in Mbit/s; all else as it is."""
    if path not in (THROUGHPUT, GOODPUT) or value.value is None:
        return value
    within = value.interval and value.interval.map(lambda rate: rate * _MBIT)
    return replace(value, value=float(value.value) * _MBIT, interval=within)
