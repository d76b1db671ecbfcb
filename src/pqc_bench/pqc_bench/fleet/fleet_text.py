# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The cost of a fleet as text."""

from __future__ import annotations

from typing import Any

from pqc_bench.harness.text import columns


def lines(result: dict[str, Any]) -> list[str]:
    """Return the whole result."""
    rows = [
        (
            *("drones", "us/datagram", "idle, % of a core", "MiB", "all sessions, s", "lost"),
            *("us beside the flood", "lost"),
        )
    ]
    for drones, one in result["drones"].items():
        flood = one["flood"]
        rows.append(
            (
                drones,
                f"{one['cpu_us_per_datagram']:.1f}",
                f"{100 * one['idle_core_share']:.2f}",
                f"{one['rss_mib']:.1f}",
                f"{one['all_sessions_s']:.1f}",
                f"{one['datagrams']['lost']} of {one['datagrams']['sent']:,}",
                f"{flood['cpu_us_per_datagram']:.1f}",
                f"{flood['lost']} of {flood['sent']:,}",
            )
        )
    return ["", *columns(rows), f"  {result['rate']:,} datagrams a second each way"]
