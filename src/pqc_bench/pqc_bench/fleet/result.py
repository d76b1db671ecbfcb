# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a fleet costs its ground station: the verdict on it, and the result as text."""

from __future__ import annotations

from typing import Any

from pqc_bench.harness.text import columns

# A datagram may cost so many times what it costs with the fewest drones.
MAX_COST = 1.1
# The share of a core that the ground station may take without data.
MAX_IDLE = 0.01


def judge(result: dict[str, Any]) -> list[str]:
    """Return the faults, a sentence each; empty if there are none."""
    faults = []
    fewest = min(result["drones"], key=int)
    cost = result["drones"][fewest]["cpu_us_per_datagram"]
    for drones, one in result["drones"].items():
        fleet = f"{drones} drones" if drones != "1" else "1 drone"
        if (own := one["cpu_us_per_datagram"]) > MAX_COST * cost:
            faults.append(f"{fleet}: a datagram costs {own:.1f} us, {cost:.1f} us with {fewest}")
        if one["idle_core_share"] > MAX_IDLE:
            faults.append(f"{fleet}: {100 * one['idle_core_share']:.2f} % of a core without data")
        for phase, counts in (("", one["datagrams"]), (" beside the flood", one["flood"])):
            if counts["lost"]:
                faults.append(f"{fleet}: {counts['lost']} of {counts['sent']} lost{phase}")
        if one["flood"]["frames_per_s"] == 0:
            faults.append(f"{fleet}: the flood did not begin")
    return faults


def lines(result: dict[str, Any]) -> list[str]:
    rows = [
        (
            *("drones", "us/datagram", "relay", "ratio", "idle, % of a core", "MiB"),
            *("all sessions, s", "lost", "us beside the flood", "lost"),
        )
    ]
    for drones, one in result["drones"].items():
        flood = one["flood"]
        rows.append(
            (
                drones,
                f"{one['cpu_us_per_datagram']:.1f}",
                f"{one['relay_us_per_datagram']:.1f}",
                "{median:.2f} ({p25:.2f} to {p75:.2f})".format(**one["ratio_to_relay"]),
                f"{100 * one['idle_core_share']:.2f}",
                f"{one['rss_mib']:.1f}",
                f"{one['all_sessions_s']:.1f}",
                f"{one['datagrams']['lost']} of {one['datagrams']['sent']:,}",
                f"{flood['cpu_us_per_datagram']:.1f}",
                f"{flood['lost']} of {flood['sent']:,}",
            )
        )
    pinned = all(one["pinned"] for one in result["drones"].values())
    how = "on a core of its own" if pinned else "not pinned"
    return [
        "",
        *columns(rows),
        f"  {result['rate']:,} datagrams a second each way; the ground station is {how}",
    ]
