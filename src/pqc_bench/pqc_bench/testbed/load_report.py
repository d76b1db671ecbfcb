# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The report of a load from the logs of both ends, in the form of the loads of one machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pqc_sim.datagrams.counting import FlowCount

from pqc_bench.cell.distribution import distribution
from pqc_bench.cell.flow_match import FlowMatch
from pqc_bench.cell.mavlink_load import mavlink_of_ends
from pqc_bench.cell.seen_vehicle import SeenVehicle
from pqc_bench.testbed.traffic_log import RECEIVED, SENT, read_log

Plain = dict[str, Any]
Record = tuple[int, int, bytes]
WAYS = {"drone_to_gcs": ("drone", "gcs"), "gcs_to_drone": ("gcs", "drone")}
_NS = 1e9
_MS = 1e3
# What clocks may drift apart between two comparisons, as the tunnel assumes.
_DRIFT = 50e-6


class Clocks:
    """The clock of the ground minus that of the drone, over time; `error_ms` bounds its error."""

    def __init__(self, compared: Sequence[Sequence[float]], *, same: bool) -> None:
        """Take time in ns, offset in s and error in s of each comparison; none for one clock."""
        self.known = same or bool(compared)
        self.error_ms: float | None = 0.0 if same else None
        self._at: list[float] = []
        self._offsets_s: list[float] = []
        if not self.known or same:
            return
        self._at = [at for at, _, _ in compared]
        errors_s = []
        for at in self._at:
            # An exact comparison a while ago may say more than a poor one now.
            error_s, offset_s = min(
                (error + _DRIFT * abs(at - other) / _NS, offset)
                for other, offset, error in compared
            )
            self._offsets_s.append(offset_s)
            errors_s.append(error_s)
        gaps = [after - before for before, after in pairwise(self._at)]
        self.error_ms = _MS * (max(errors_s) + _DRIFT * max([_NS, *gaps]) / _NS)

    def offset_ns(self, at_ns: int) -> int:
        """Return the offset at a time of the drone's clock; 0 if it's unknown."""
        if not self._at:
            return 0
        near = min(range(len(self._at)), key=lambda place: abs(self._at[place] - at_ns))
        return round(self._offsets_s[near] * _NS)


def load_report(
    load: str, folders: dict[str, Path], halves: dict[str, Plain], clocks: Clocks, window: list[int]
) -> Plain:
    """Return the report; `window` is begin and end of the rekey by the drone's clock, in ns."""
    sent = {end: list(read_log(folder / SENT)) for end, folder in folders.items()}
    received = {end: list(read_log(folder / RECEIVED)) for end, folder in folders.items()}
    offset = clocks.offset_ns(window[0])
    to_drone: dict[str, Callable[[int], int]] = {
        "drone": lambda at: at,
        "gcs": lambda at: at - offset,
    }
    half = halves["drone"]
    seconds = (half["ended_ns"] - half["began_ns"]) / _NS
    flows, latency, matched = {}, {}, {}
    for way, (sender, receiver) in WAYS.items():
        flow = _match(
            [(to_drone[sender](at), *rest) for at, *rest in sent[sender]],
            [(to_drone[receiver](at), *rest) for at, *rest in received[receiver]],
            window,
        )
        matched[way] = flow.windows()
        flows[way] = {
            **flow.as_dict(),
            "offered_bytes": sum(length for _, length, _ in sent[sender]),
            "receiver_drops": halves[receiver]["receiver_drops"],
            "slips": halves[sender]["slips"],
        }
        if load == "blaster":
            asked = round(halves[sender]["asked"])
            flows[way] |= {"asked": asked, "skipped": 0, "refused": halves[sender]["refused"]}
        latency[way] = distribution(flow.latencies_ms if clocks.known else [])
    names = [name for name in matched["drone_to_gcs"] if name in matched["gcs_to_drone"]]
    rounds = halves["gcs"].get("round_trips_ms")
    return {
        "load": load,
        "seconds": seconds,
        "real_time": None,
        "flows": flows,
        "latency": latency,
        "round_trip": distribution(rounds) if rounds is not None else None,
        "windows": {name: {way: matched[way][name] for way in WAYS} for name in names},
        "mavlink": _mavlink(sent, received, halves) if load != "blaster" else None,
    }


def _match(sent: list[Any], received: list[Any], window: list[int]) -> FlowMatch:
    flow = FlowMatch()
    for at, _, kept in sent:
        flow.open_window(_name(at, window))
        flow.note_sent(kept, at)
    for at, _, kept in received:
        flow.open_window(_name(at, window))
        flow.note_arrived(kept, at)
    return flow


def _name(at: int, window: list[int]) -> str:
    return "rekey" if window[0] <= at <= window[1] else "steady"


def _mavlink(
    sent: dict[str, list[Record]], received: dict[str, list[Record]], halves: dict[str, Plain]
) -> Plain:
    counts = {end: (_count(sent[end]), _count(received[end])) for end in sent}
    seen = {end: SeenVehicle() for end in received}
    for end, records in received.items():
        for _, _, datagram in records:
            seen[end].note(datagram)
    return mavlink_of_ends(counts, seen, halves)


def _count(records: list[Record]) -> FlowCount:
    count = FlowCount()
    for _, _, datagram in records:
        count.note(datagram)
    return count
