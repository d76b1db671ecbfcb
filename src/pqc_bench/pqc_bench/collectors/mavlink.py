# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The MAVLink collector: the report of the load at both ends, and whether the load ran."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pqc_sim.processes.summary_file import read_summary

from pqc_bench.collectors.collector import Collector


class MavlinkCollector(Collector):
    """Reads the load's report at the end; until then, samples whether the load runs."""

    name = "mavlink"

    def __init__(self, report: Path, alive: Callable[[], bool]) -> None:
        """Take the file of the report, and a function that returns whether the load runs."""
        super().__init__()
        self._file = report
        self._alive = alive

    def _look(self) -> bool:
        return self._alive() or self._file.is_file()

    def _result(self) -> dict[str, Any]:
        return {"report": read_summary(self._file)}


def mavlink_of(report: dict[str, Any], end: str) -> dict[str, Any]:
    """Return the members of the schema's `mavlink_end` from a load's report."""
    counts = report["mavlink"]["ends"][end]
    sent, received, types = counts["sent"], counts["received"], counts["types"]
    seconds = report["seconds"]
    messages = {
        way: sum(source["messages"] for source in flow["sources"].values())
        for way, flow in (("sent", sent), ("received", received))
    }
    return {
        "messages_sent": messages["sent"],
        "bytes_sent": sent["bytes"],
        "messages_received": messages["received"],
        "bytes_received": received["bytes"],
        "messages_sent_per_s": messages["sent"] / seconds if seconds > 0.0 else None,
        "messages_received_per_s": messages["received"] / seconds if seconds > 0.0 else None,
        "crc_errors": received["corrupted"],
        "sequence_gaps": received["lost_by_sequence"],
        "heartbeats_received": types.get("HEARTBEAT", 0),
        "message_types": types,
    }
