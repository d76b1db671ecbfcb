# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Categories A to C and M to Q: what was run, how it went, and the machine it ran on."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pqc_policy.policy.suites import find_suite

from pqc_bench.matrix.plan import set_of
from pqc_bench.matrix.session import BLASTER_SIZE, OFF, PARAMETERS_FILE, RATES
from pqc_bench.metrics.observed import ENDS, Observed
from pqc_bench.metrics.sheet import NOT_APPLICABLE, Sheet

SYSTEMS = {"drone": "n_system_drone", "gcs": "o_system_gcs"}
NO_SENSOR = "no sensor"
_ASCON_KEY_BITS = 128
_KEY_BITS = 256


def run_context(seen: Observed, sheet: Sheet) -> None:
    """A: the cell's place in the matrix, and the environment."""
    known = {
        "cell": seen.cell,
        "suite": seen.suite,
        "scenario": seen.scenario,
        "load": seen.load,
        "link": seen.link,
        "traffic_asked_s": seen.seconds,
        "offered_rate_per_s": RATES[seen.load],
        "policy": seen.policy,
        "started_at": seen.started_at,
        "one_machine": True,
        "parameters_file": PARAMETERS_FILE,
    }
    for name, value in known.items():
        sheet.put(f"a_run_context.{name}", value)
    optional: dict[str, tuple[Any, str]] = {
        "scenario_command": (seen.scenario_command, "Nothing runs beside the tunnel."),
        "link_seed": (seen.link_seed, "There was no emulated link."),
        "datagram_bytes": (
            BLASTER_SIZE if seen.load == "blaster" else None,
            "MAVLink's messages differ in size.",
        ),
    }
    for name, (value, reason) in optional.items():
        sheet.put(f"a_run_context.{name}", value, reason, NOT_APPLICABLE)
    sheet.zero("a_run_context.link_seed", "It was given as 0.")
    path = "a_run_context.scenario_told"
    if seen.scenario_command is None:
        sheet.lack(path, "Nothing runs beside the tunnel.", NOT_APPLICABLE)
    elif seen.scenario_told is None:
        sheet.lack(path, "The scenario's program told nothing of itself.")
    else:
        sheet.put(path, seen.scenario_told, "The scenario's program doesn't tell.")
    environment = seen.collected.get("environment", {})
    for name, value in environment.items():
        if name != "health":
            sheet.put(f"a_run_context.{name}", value, "The machine doesn't tell.")


def crypto_identity(seen: Observed, sheet: Sheet) -> None:
    """B: the suite, as the registry has it."""
    suite = find_suite(seen.suite)
    assert suite is not None, seen.suite
    bits = _ASCON_KEY_BITS if suite.aead.startswith("ascon") else _KEY_BITS
    sheet.put(
        "b_crypto_identity",
        {
            "kem": suite.kem,
            "kem_family": str(suite.family),
            "signature": suite.signature,
            "signature_family": str(suite.signature_family),
            "aead": suite.aead,
            "aead_key_bits": seen.first.get("drone", {}).get("aead_key_bits") or bits,
            "level": suite.level,
            "tier": suite.tier,
            "set": set_of(suite),
            "experimental": suite.experimental,
        },
    )
    sheet.zero("b_crypto_identity.tier", "The lightest suites have tier 0.")


def lifecycle(seen: Observed, sheet: Sheet) -> None:
    """C: the course of the cell."""
    sheet.put("c_lifecycle.success", not seen.failure)
    sheet.put("c_lifecycle.failure_reason", seen.failure or None, "Nothing failed.", NOT_APPLICABLE)
    spans = {
        "launch_ms": ("launched", "nodes"),
        "establish_ms": ("launched", "established"),
        "clock_sync_ms": ("established", "clock"),
        "ready_ms": ("launched", "traffic"),
        "traffic_ms": ("traffic", "stopping"),
        "stop_ms": ("stopping", "ended"),
        "total_ms": ("launched", "ended"),
    }
    for name, (begin, end) in spans.items():
        sheet.put(f"c_lifecycle.{name}", seen.span_ms(begin, end))
    drone = seen.last.get("drone", {})
    for name in ("handshakes", "rekeys", "rollbacks"):
        sheet.put(f"c_lifecycle.{name}", drone.get(name))
    sheet.put("c_lifecycle.clean_end", seen.clean_end)


def control_plane(seen: Observed, sheet: Sheet) -> None:
    """M: events, messages, the stock of keys."""
    for end in ENDS:
        path = f"m_control_plane.{end}"
        if end in seen.last:
            traffic = seen.last[end]["traffic"]
            sheet.put(f"{path}.control_frames_in", traffic["control_in"])
            sheet.put(f"{path}.control_frames_out", traffic["control_out"])
            sheet.put(f"{path}.control_frames_ignored", traffic["control_ignored"])
        sheet.put(f"{path}.events", seen.events.get(end, {}))
        for kind, count in seen.heard.get(end, {}).items():
            sheet.put(f"{path}.{kind}_messages", count)
        sheet.put(f"{path}.diagnostics_worst", seen.worst.get(end), "No diagnosis came.")
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
        sheet.lack(path, "Nobody decided over the suite.", NOT_APPLICABLE)
        return
    decided = seen.decisions
    sheet.put(f"{path}.decisions", len(decided))
    sheet.put(f"{path}.actions", Counter(decision["action"] for decision in decided))
    sheet.put(f"{path}.guards", Counter(decision["guard"] for decision in decided))
    if decided:
        sheet.put(f"{path}.suite", decided[-1]["from_suite"])
        sheet.put(f"{path}.first_s", decided[0]["stamp"]["sec"])
        sheet.put(f"{path}.last_s", decided[-1]["stamp"]["sec"])
    else:
        sheet.lack(path, "The policy said nothing.")


def systems(seen: Observed, sheet: Sheet) -> None:
    """N and O: both nodes, and the machine that they share."""
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
    """Return the datagrams that applications gave to or got from an end."""
    if end not in seen.last or end not in seen.first:
        return 0
    before, after = seen.first[end]["traffic"], seen.last[end]["traffic"]
    names = ("plain_in_packets", "plain_out_packets")
    return sum(after[name] - before[name] for name in names)


def power(seen: Observed, sheet: Sheet) -> None:
    """P: from the sensors that sensing knows."""
    found = seen.collected.get("power")
    if found is None or found.get("source") is None:
        sheet.lack("p_power_energy", NO_SENSOR)
        return
    for name in ("source", "power_w", "energy_j", "seconds"):
        sheet.put(f"p_power_energy.{name}", found[name], "The sensor gave too few samples.")
    mean_w = found["power_w"]["mean"]
    timed = [rekey.get("total_ms") for rekey in seen.rekeys if rekey["success"]]
    done = [total_ms / 1000.0 for total_ms in timed if total_ms is not None]
    if mean_w is not None and done:
        sheet.put("p_power_energy.energy_rekey_j", mean_w * sum(done) / len(done))
    delivered = sum(flow["delivered"] for flow in (seen.report or {}).get("flows", {}).values())
    if found["energy_j"] is not None and delivered:
        sheet.put("p_power_energy.energy_uj_per_packet", 1e6 * found["energy_j"] / delivered)


def observability(seen: Observed, sheet: Sheet) -> None:
    """Q: how well the collectors did, the clocks, the bag."""
    for name in ("environment", "system", "power", "network", "latency", "mavlink"):
        path = f"q_observability.collectors.{name}"
        health = seen.collected.get(name, {}).get("health")
        if health is None:
            sheet.put(f"{path}.samples", 0)
            sheet.put(f"{path}.alive", False)
            continue
        why = "It looks once."
        if not health["samples"]:
            why = NO_SENSOR if name == "power" else "It gave nothing."
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
