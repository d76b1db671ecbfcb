# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Sanity checks: what looks wrong is flagged, with a sentence; nothing is ever left out for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pqc_bench.matrix.session import DECISIONS, OFF
from pqc_bench.metrics.observed import ENDS, Observed

WAYS = {"drone_to_gcs": "from the drone", "gcs_to_drone": "to the drone"}
_BAG_KINDS = ("status", "link", "events")
# On a clean link none of these classes of drops may come; strangers aren't there.
_LINK_DROPS = ("replay", "auth_fail", "seq_old", "decrypt_fail", "malformed", "unknown")
# Power is no duty: most machines have no sensor.
_OPTIONAL = "power"
_LATE_SHARE = 0.05
# By what part of its target a program may miss that before it is told here, if it doesn't itself.
_FAR_OFF = 0.25
CLEAN = "clean"


def flags_of(seen: Observed) -> list[dict[str, str]]:
    """Return the findings, each with a name and a sentence."""
    return [{"name": name, "text": text} for name, check in _CHECKS.items() for text in check(seen)]


def _no_traffic(seen: Observed) -> Iterator[str]:
    if seen.report is None:
        yield "The load didn't report."
        return
    for way, words in WAYS.items():
        if seen.report["flows"][way]["delivered"] == 0:
            yield f"Nothing arrived {words}."


def _negative_latency(seen: Observed) -> Iterator[str]:
    for way, words in WAYS.items():
        least = (seen.report or {}).get("latency", {}).get(way, {}).get("min_ms")
        if least is not None and least < 0.0:
            yield f"A datagram {words} arrived {-least:.3f} ms before it was sent."
    compared = seen.collected.get("latency", {})
    error = compared.get("clock_error_ms", 0.0)
    for name in ("rtt_ms", "delay_to_peer_ms", "delay_from_peer_ms"):
        value = compared.get(name)
        if value is not None and value < -error:
            yield f"The tunnel tells of {name} = {value:.3f}."


def _dead_collector(seen: Observed) -> Iterator[str]:
    if "traffic" not in seen.times:
        return
    for name in ("environment", "system", "power", "network", "latency", "mavlink"):
        health = seen.collected.get(name, {}).get("health")
        if name == _OPTIONAL and (health is None or health["samples"] == 0):
            continue
        if health is None or not health["samples"]:
            yield f"The collector {name} gave nothing."
        elif not health["alive"]:
            yield (
                f"The collector {name} gave {health['samples']} samples and was silent for up to "
                f"{health['longest_gap_ms']:.0f} ms."
            )


def _clock_not_synced(seen: Observed) -> Iterator[str]:
    if not seen.clock_synced:
        yield "The clocks of both ends weren't compared before traffic began."


def _handshake_missing(seen: Observed) -> Iterator[str]:
    if any(not seen.first.get(end, {}).get("session") for end in ENDS):
        yield "There was no handshake that both ends tell of."
    elif any(seen.first[end]["handshake"]["total_s"] <= 0.0 for end in ENDS):
        yield "An end tells of a handshake that took no time."
    elif any(seen.first[end]["suite"] != seen.suite for end in ENDS):
        yield "Another suite came into use than was asked for."


def _rekey_missing(seen: Observed) -> Iterator[str]:
    done = [rekey for rekey in seen.rekeys if rekey["success"]]
    if not done:
        yield "No rekey came into use."
    for rekey in done:
        if rekey["epoch_after"] == rekey["epoch_before"]:
            yield "A rekey succeeded and the epoch stayed."


def _loss_on_clean_link(seen: Observed) -> Iterator[str]:
    if seen.link != CLEAN or seen.report is None:
        return
    for way, words in WAYS.items():
        flow = seen.report["flows"][way]
        if flow["lost"] > 0:
            yield f"{flow['lost']} of {flow['offered']} datagrams {words} were lost."


def _drops_on_clean_link(seen: Observed) -> Iterator[str]:
    if seen.link != CLEAN:
        return
    for end in ENDS:
        drops = seen.last.get(end, {}).get("drops", {})
        found = {name: drops[name] for name in _LINK_DROPS if drops.get(name)}
        if found:
            words = ", ".join(f"{name} {count}" for name, count in found.items())
            yield f"The tunnel of the {end} dropped datagrams: {words}."


def _altered_data(seen: Observed) -> Iterator[str]:
    for way, words in WAYS.items():
        flow = (seen.report or {}).get("flows", {}).get(way, {})
        if flow.get("corrupted"):
            yield f"{flow['corrupted']} datagrams {words} came out altered."
        if flow.get("duplicated"):
            yield f"{flow['duplicated']} datagrams {words} came out more than once."


def _epoch_mismatch(seen: Observed) -> Iterator[str]:
    if set(seen.last) != set(ENDS):
        return
    drone, gcs = (seen.last[end] for end in ENDS)
    for name in ("session", "epoch", "suite"):
        if drone[name] != gcs[name]:
            yield f"The ends differ in their {name}: {drone[name]} and {gcs[name]}."


def _tunnel_lost(seen: Observed) -> Iterator[str]:
    for end in ENDS:
        if seen.events.get(end, {}).get("peer_lost"):
            yield f"The tunnel of the {end} lost its peer."


def _bag_incomplete(seen: Observed) -> Iterator[str]:
    if "traffic" not in seen.times:
        return
    messages = (seen.bag or {}).get("messages", {})
    topics = [f"/{place}/{kind}" for place in ("pqc", "gcs/pqc") for kind in _BAG_KINDS]
    topics += ["/diagnostics", *([DECISIONS] if seen.policy != OFF else [])]
    for topic in topics:
        if not messages.get(topic):
            yield f"The bag has nothing of {topic}."


def _generator_behind(seen: Observed) -> Iterator[str]:
    for way, words in WAYS.items():
        flow = (seen.report or {}).get("flows", {}).get(way)
        if flow and flow["slips"] > _LATE_SHARE * max(flow["offered"], 1):
            yield f"The load was late with {flow['slips']} datagrams {words}."


def _scenario_missed(seen: Observed) -> Iterator[str]:
    if seen.scenario_command is None or "traffic" not in seen.times:
        return
    told = seen.scenario_told
    if told is None:
        yield "The scenario's program told nothing of itself."
        return
    for fault in told["faults"]:
        yield f"The scenario's program tells: {fault.rstrip('.')}."
    for name, words in (("cpu_percent", "% of the CPU"), ("memory_mib", "MiB")):
        target, reached = told[f"target_{name}"], told[f"reached_{name}"]
        if told["faults"] or target is None or reached is None:
            continue
        if abs(reached - target) > _FAR_OFF * target:
            yield f"The scenario's program used {reached:.1f} {words} instead of {target:.1f}."


_CHECKS: dict[str, Callable[[Observed], Iterator[str]]] = {
    "no_traffic": _no_traffic,
    "negative_latency": _negative_latency,
    "dead_collector": _dead_collector,
    "clock_not_synced": _clock_not_synced,
    "handshake_missing": _handshake_missing,
    "rekey_missing": _rekey_missing,
    "loss_on_clean_link": _loss_on_clean_link,
    "drops_on_clean_link": _drops_on_clean_link,
    "altered_data": _altered_data,
    "epoch_mismatch": _epoch_mismatch,
    "tunnel_lost": _tunnel_lost,
    "bag_incomplete": _bag_incomplete,
    "generator_behind": _generator_behind,
    "scenario_missed": _scenario_missed,
}
