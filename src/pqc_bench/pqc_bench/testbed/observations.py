# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What both ends of a test bed recorded, in the form of the observations of one machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import read_summary, write_summary

from pqc_bench.cell.observed import ENDS, Observed, Plain
from pqc_bench.harness.machine import commit
from pqc_bench.load.load_report import read_load_report
from pqc_bench.metrics.schema import schema
from pqc_bench.power.capture import NAME as TRACE
from pqc_bench.power.cell_power import cell_power
from pqc_bench.power.marks import IDLE, REKEY, TRAFFIC, Mark, Marks, handshake_marks
from pqc_bench.power.marks import NAME as MARKS
from pqc_bench.power.trace import TraceFault, read_trace
from pqc_bench.testbed.end_cell import RESULT, STATE, STATUSES
from pqc_bench.testbed.load_report import Clocks, load_report

_REPORT = "load.json"
# The end at which each part of a rekey is timed.
_AT_DRONE, _AT_GROUND = ("fetch", "verify", "encapsulate"), ("keygen", "sign", "decapsulate")


def observe(seen: Observed, folder: Path) -> None:
    """Fill in what the ends recorded in folders of their names; RunFault if something is missing.

    Times are those of the drone's clock.
    """
    folders = {end: folder / end for end in ENDS}
    found: dict[str, Plain] = {}
    for end, place in folders.items():
        result = read_summary(place / RESULT)
        if result is None:
            raise RunFault(f"the {end} left no result")
        found[end] = result
    drone, gcs = (found[end] for end in ENDS)
    boots = {(read_summary(place / STATE) or {}).get("boot") for place in folders.values()}
    seen.one_machine = len(boots) == 1
    seen.recorded = False
    clocks = Clocks(drone["clocks"], same=seen.one_machine)
    seen.clock_synced, seen.clock_error_ms = clocks.known, clocks.error_ms
    # The rest until the end of the load is its wait for datagrams under way.
    seen.times = {**drone["times"], "done": drone["half"]["ended_ns"] / 1e9}
    seen.machine = drone["machine"]
    seen.ground_machine = {} if seen.one_machine else gcs["machine"]
    seen.clean_end = all(end["clean"] for end in found.values())
    for end, result in found.items():
        # Its handshake is the first one, its counters are from before the traffic.
        seen.first[end] = {**_status(result["before"]), "handshake": result["first"]["handshake"]}
        seen.last[end] = _status(result["last"])
        lines = (folders[end] / STATUSES).read_bytes().count(b"\n")
        seen.received[end] = {"status": lines, "link": 0, "diagnostics": 0}
        seen.worst[end] = None
        seen.events[end] = {}
    seen.rekeys = [_rekey(seen.suite, answer, seen.last["gcs"]) for answer in drone["rekeys"]]
    halves = {end: result["half"] for end, result in found.items()}
    report = load_report(seen.load, folders, halves, clocks, drone["rekey_window"])
    write_summary(folder / _REPORT, report)
    seen.collected = _collected(drone, gcs, report, shared=seen.one_machine)
    power = _power(drone, folders["drone"])
    if power is not None:
        seen.collected["power"] = power
    if seen.scenario_command is not None:
        seen.scenario_report = read_load_report(folders["drone"] / "scenario.json")


def _power(drone: Plain, folder: Path) -> Plain | None:
    """Return the power of the drone's computer, and write its marks; None if none was recorded."""
    if "monotonic_ahead_s" not in drone:
        return None
    ahead_s, times = drone["monotonic_ahead_s"], drone["times"]
    marks = [
        Mark(kind, times[begin] + ahead_s, times[end] + ahead_s)
        for kind, begin, end in ((IDLE, "idle", "launched"), (TRAFFIC, "traffic", "stopping"))
    ]
    marks += handshake_marks([(times["first"] + ahead_s, drone["first"])])
    begin_s = drone["rekey_window"][0] / 1e9 + ahead_s
    marks += [
        Mark(REKEY, begin_s, begin_s + answer["answer_ms"] / 1000.0)
        for answer in drone["rekeys"]
        if answer["success"]
    ]
    try:
        trace = read_trace(folder / TRACE)
    except TraceFault as fault:
        raise RunFault(str(fault)) from fault
    found = Marks(trace.utc_s - trace.monotonic_s, tuple(marks))
    found.write(folder / MARKS)
    return {**cell_power(trace, found), "trace": f"{folder.name}/{TRACE}"}


def _status(peer: Plain) -> Plain:
    """Return the members of a TunnelStatus that metrics read."""
    traffic = schema()["$defs"]["traffic"]["properties"]
    return {
        # The control socket doesn't tell its name.
        "session": "established" if peer.get("suite") else "",
        "epoch": peer.get("epoch", 0),
        "suite": peer.get("suite", ""),
        "aead_key_bits": None,
        "packets_under_key": peer.get("packets_under_key"),
        **{name: peer[name] for name in ("handshakes", "rekeys", "rollbacks", "handshake", "pool")},
        "traffic": {name: peer["traffic"].get(name) for name in traffic},
        "drops": peer["traffic"]["drops"],
    }


def _rekey(suite: str, answer: Plain, ground: Plain) -> Plain:
    timing = answer["handshake"]
    record: dict[str, Any] = {
        "suite": suite,
        "success": answer["success"],
        "message": answer["message"],
        "answer_ms": answer["answer_ms"],
        "epoch_before": answer["epoch_before"],
        "epoch_after": answer.get("epoch", answer["epoch_before"]),
    }
    if answer["success"]:
        record |= {
            "total_ms": 1000.0 * timing["total_s"],
            "handshake_ms": 1000.0 * timing["total_s"],
            **{f"{name}_ms": 1000.0 * timing[f"{name}_s"] for name in _AT_DRONE},
            **{f"{name}_ms": 1000.0 * ground["handshake"][f"{name}_s"] for name in _AT_GROUND},
            "prepared_ahead": timing["prepared_ahead"],
        }
    return record


def _collected(drone: Plain, gcs: Plain, report: Plain, *, shared: bool) -> dict[str, Plain]:
    collected: dict[str, Plain] = dict(drone["collected"])
    systems = [end["collected"]["system"] for end in (drone, gcs)]
    collected["system"] = {name: value for one in systems for name, value in one.items()}
    for end in ENDS:
        collected["system"][end] = {**collected["system"][end], "shared_machine": shared}
    facts = {**drone["facts"], "git_commit": commit() or None}
    health = {"samples": 1, "longest_gap_ms": None, "alive": True}
    collected["environment"] = {**facts, "health": health}
    gaps = [flow["longest_gap_ms"] for flow in report["flows"].values()]
    arrived = sum(flow["delivered"] for flow in report["flows"].values())
    collected["mavlink"] = {
        "report": report,
        "health": {"samples": arrived, "longest_gap_ms": max(gaps), "alive": arrived > 0},
    }
    return collected
