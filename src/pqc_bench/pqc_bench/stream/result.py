# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a stream takes of a link: the verdict on it, and the result as text."""

from __future__ import annotations

from statistics import median
from typing import Any

MIN_SHARE = 0.7
MAX_GROWTH_MS = 25.0


def judge(result: dict[str, Any]) -> list[str]:
    faults = []
    for link in result["links"]:
        name = f"at {link['loss_percent']:g} % loss"
        if link["share"] < MIN_SHARE:
            faults.append(
                f"{name} the stream took {100 * link['share']:.0f} % of what the link has left,"
                f" less than {100 * MIN_SHARE:.0f} %"
            )
        if link["p99_growth_ms"] > MAX_GROWTH_MS:
            faults.append(
                f"{name} the 99th percentile of the data's delay grew by"
                f" {link['p99_growth_ms']:.1f} ms, more than {MAX_GROWTH_MS:g}"
            )
    return faults


def lines(result: dict[str, Any]) -> list[str]:
    text = [
        "",
        f"  A key of {result['key_bytes']:,} bytes beside {result['rate']} datagrams of"
        f" {result['size']} bytes a second each way, {result['kbit_per_s']} kbit/s",
    ]
    for link in result["links"]:
        seconds = median(fetch["fetch_s"] for fetch in link["fetches"])
        text.append(
            f"  loss {link['loss_percent']:>4g} %      {seconds:.2f} s, {100 * link['share']:.0f} %"
            f" of what the link has left; p99 of the data {link['quiet_p99_ms']:.1f} ms quiet,"
            f" {link['p99_growth_ms']:+.1f} ms beside the stream"
        )
    return text
