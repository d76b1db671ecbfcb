# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Merges the observations of both ends, the load and the collectors into one document.

No value is overwritten: if both ends report the same quantity, both are kept, and a second
value for a metric is an error (sheet.py).
"""

from __future__ import annotations

from typing import Any

from pqc_bench.cell.observed import Observed
from pqc_bench.metrics import handshakes, nodes_and_machine, run_context, traffic
from pqc_bench.metrics.cipher_times import cipher_times
from pqc_bench.metrics.sanity import findings_of
from pqc_bench.metrics.sheet import Sheet

_FAILED = "The cell failed before this could be measured: {}"
_SILENT = "No source reported it."


def aggregate(seen: Observed) -> dict[str, Any]:
    """Return the document of metrics.json, without its hash."""
    sheet = Sheet()
    for part in (
        run_context.run_context,
        run_context.crypto_identity,
        run_context.lifecycle,
        handshakes.handshake,
        handshakes.primitives,
        handshakes.rekeys,
        traffic.data_plane,
        cipher_times,
        traffic.latency,
        traffic.mavlink,
        nodes_and_machine.control_plane,
        nodes_and_machine.systems,
        nodes_and_machine.power,
        nodes_and_machine.observability,
    ):
        part(seen, sheet)
    found = findings_of(seen)
    flags = [{"name": name, "text": finding.text} for name, finding in found]
    sheet.put("r_validation.flags", flags)
    sheet.put("r_validation.sane", not flags)
    sheet.put("r_validation.ends_agree", ends_agree(seen))
    for _, finding in found:
        for path in finding.paths:
            sheet.remark(path, finding.text)
    return sheet.finish(_FAILED.format(seen.failure) if seen.failure else _SILENT)


def ends_agree(seen: Observed) -> bool | None:
    """Return whether both ends last reported the same keys; None if an end reported none."""
    if set(seen.last) != {"drone", "gcs"}:
        return None
    reported = [
        (end["session"], end["epoch"], end["suite"])
        for end in (seen.last["drone"], seen.last["gcs"])
    ]
    return bool(reported[0][0]) and reported[0] == reported[1]
