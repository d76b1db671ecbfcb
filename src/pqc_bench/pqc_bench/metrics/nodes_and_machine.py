# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Categories M to Q: the nodes' services and policy, both nodes, the machine, the collectors."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from pqc_bench.cell.cell import OFF
from pqc_bench.cell.observed import ENDS, Observed, Plain
from pqc_bench.collectors.disturbance import disturbance
from pqc_bench.metrics.sheet import BELOW, NOT_APPLICABLE, Sheet

SYSTEMS = {"drone": "n_system_drone", "gcs": "o_system_gcs"}
NO_SENSOR = "no sensor"
POWER = "p_power_energy"
_NO_ROS = "The ends ran without ROS; status.jsonl in the folder of each has its states."


def control_plane(seen: Observed, sheet: Sheet) -> None:
    """Record category M: events, messages, the pool of keys, the policy."""
    for end in ENDS:
        path = f"m_control_plane.{end}"
        if end in seen.last:
            traffic = seen.last[end]["traffic"]
            sheet.put(f"{path}.control_frames_in", traffic["control_in"])
            sheet.put(f"{path}.control_frames_out", traffic["control_out"])
            sheet.put(f"{path}.control_frames_ignored", traffic["control_ignored"])
        sheet.put(f"{path}.events", seen.events.get(end, {}))
        for name, count in seen.received.get(end, {}).items():
            sheet.put(f"{path}.{name}_messages", count)
        sheet.put(f"{path}.diagnostics_worst", seen.worst.get(end), "No diagnostics arrived.")
    answered = [rekey["answer_ms"] for rekey in seen.rekeys]
    if answered:
        sheet.put("m_control_plane.rekey_service_ms", sum(answered) / len(answered))
    if "gcs" in seen.last:
        pool = {name: n for name, n in seen.last["gcs"]["pool"].items() if name != "making"}
        sheet.put("m_control_plane.pool", pool)
    _policy(seen, sheet)


def _policy(seen: Observed, sheet: Sheet) -> None:
    path = "m_control_plane.policy"
    if seen.policy == OFF:
        sheet.lack(path, "No policy ran.", NOT_APPLICABLE)
        return
    decided = seen.decisions
    sheet.put(f"{path}.decisions", len(decided))
    wishes = [d for d in decided if d.get("to_suite") and not d.get("asked", False)]
    sheet.put(f"{path}.wishes", len(wishes))
    sheet.put(f"{path}.actions", Counter(decision["action"] for decision in decided))
    sheet.put(f"{path}.rules", Counter(decision["rule"] for decision in decided))
    if decided:
        sheet.put(f"{path}.suite", decided[-1]["from_suite"])
        sheet.put(f"{path}.first_s", decided[0]["stamp"]["sec"])
        sheet.put(f"{path}.last_s", decided[-1]["stamp"]["sec"])
    else:
        sheet.lack(path, "The policy published no decision.")


def systems(seen: Observed, sheet: Sheet) -> None:
    """Record categories N and O: both nodes, and the machine that they share."""
    found = seen.collected.get("system", {})
    for end, category in SYSTEMS.items():
        if end not in found:
            continue
        sheet.put(category, found[end], "This machine has no thermal zone.")
        packets = _packets(seen, end)
        used_us = 1e6 * found[end]["cpu_s"]
        sheet.put(
            f"{category}.cpu_us_per_packet",
            used_us / packets if packets else None,
            "Nothing passed.",
        )


def _packets(seen: Observed, end: str) -> int:
    """Return the number of datagrams between an end and its application."""
    if end not in seen.last or end not in seen.first:
        return 0
    before, after = seen.first[end]["traffic"], seen.last[end]["traffic"]
    names = ("plain_in_packets", "plain_out_packets")
    return sum(after[name] - before[name] for name in names)


def power(seen: Observed, sheet: Sheet) -> None:
    """Record category P, from the trace of a sensor."""
    delivered = sum(flow["delivered"] for flow in (seen.report or {}).get("flows", {}).values())
    record_power(seen.collected.get("power"), delivered, sheet)


def record_power(found: Plain | None, delivered: int, sheet: Sheet) -> None:
    """Record the result of cell_power; None without a sensor."""
    path = POWER
    if found is None or found.get("source") is None:
        sheet.lack(path, NO_SENSOR)
        return
    sheet.lack(path, "The trace doesn't cover that time.")
    for name, value in found.items():
        if name not in ("health", "above"):
            sheet.put(f"{path}.{name}", value)
    for name, energy in found.get("above", {}).items():
        values = asdict(energy)
        if energy.is_below:
            # No number: neither this one nor zero was measured.
            values["joules"] = None
            sheet.lack(f"{path}.above.{name}.joules", f"{energy.words}.", BELOW)
        sheet.put(f"{path}.above.{name}", values)
    if found.get("energy_j") is not None and delivered:
        sheet.put(f"{path}.energy_uj_per_packet", 1e6 * found["energy_j"] / delivered)


def observability(seen: Observed, sheet: Sheet) -> None:
    """Record category Q: the health of the collectors, disturbances, the clocks, the bag."""
    path = "q_observability.disturbance"
    found = disturbance(seen.machine)
    if found is None:
        sheet.lack(path, "The counters of the machine were not read.")
    else:
        sheet.put(path, found, "The machine reports no clock of its CPU and no governor.")
    for name in ("environment", "system", "power", "network", "latency", "mavlink"):
        path = f"q_observability.collectors.{name}"
        health = seen.collected.get(name, {}).get("health")
        if health is None:
            sheet.put(f"{path}.samples", 0)
            sheet.put(f"{path}.alive", False)
            continue
        why = "It takes one sample."
        if not health["samples"]:
            why = NO_SENSOR if name == "power" else "It took no sample."
        sheet.put(path, health, why, NOT_APPLICABLE)
    sheet.put("q_observability.clock_synced", seen.clock_synced)
    compared = seen.collected.get("latency", {})
    sheet.put("q_observability.clock_error_ms", compared.get("clock_error_ms"))
    for name, value in seen.collected.get("network", {}).items():
        if name.startswith(("interface", "udp")):
            sheet.put(f"q_observability.{name}", value)
    real_time = None if seen.report is None else seen.report["real_time"]
    why = "Only the blaster asks for that." if seen.load != "blaster" else ""
    sheet.put("q_observability.generator_real_time", real_time, why, NOT_APPLICABLE)
    if seen.bag is not None:
        sheet.put("q_observability.bag", seen.bag)
    elif not seen.recorded:
        sheet.lack("q_observability.bag", _NO_ROS, NOT_APPLICABLE)
