# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Streams as text."""

from __future__ import annotations

from statistics import median
from typing import Any


def lines(result: dict[str, Any]) -> list[str]:
    """Return the whole result."""
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
