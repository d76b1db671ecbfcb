# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Sanity checks: each odd value is flagged with a sentence; flagged cells stay in all figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pqc_bench.cell.cell import CLEAN, DECISIONS, OFF
from pqc_bench.cell.observed import ENDS, Observed
from pqc_bench.collectors.disturbance import disturbance

WAYS = {"drone_to_gcs": "from the drone", "gcs_to_drone": "to the drone"}
_BAG_KINDS = ("status", "link", "events")
# Drops that an end may have on a clean link without strangers: all but those of what arrived.
_OWN_DROPS = ("no_session", "queue_full", "oversize", "stale", "foreign")
# Most machines have no power sensor.
_OPTIONAL = "power"
_LATE_SHARE = 0.05
# Deviation from a target, as a part of it, that is flagged if the program reports no fault.
_FAR_OFF = 0.25
# The least share of the asked datagrams that a valid load sends.
_LEAST_SENT = 0.98
_LOSS = "g_data_plane.loss_ratio"
# Shares of the CPU in % that a cell may lose, with the beginning of the sentence.
_DISTURBED = (
    ("foreign_cpu_percent", 10.0, "Other programs used"),
    ("stolen_cpu_percent", 5.0, "The host took away"),
)
_CLOCK_RATIO = 1.25
# The governor under which the clock does not follow the load.
_STEADY_GOVERNOR = "performance"


class Finding(NamedTuple):
    """A sentence, and the paths of the values that it concerns."""

    text: str
    paths: tuple[str, ...] = ()


def findings_of(seen: Observed) -> list[tuple[str, Finding]]:
    """Return the findings, each with the name of its check."""
    return [(name, finding) for name, check in _CHECKS.items() for finding in check(seen)]


def _no_traffic(seen: Observed) -> Iterator[Finding]:
    if seen.report is None:
        yield Finding("The load wrote no report.")
        return
    for way, words in WAYS.items():
        if seen.report["flows"][way]["delivered"] == 0:
            yield Finding(f"Nothing arrived {words}.", (f"g_data_plane.{way}.delivered",))


def _negative_latency(seen: Observed) -> Iterator[Finding]:
    for way, words in WAYS.items():
        least = (seen.report or {}).get("latency", {}).get(way, {}).get("min_ms")
        if least is not None and least < -(seen.clock_error_ms or 0.0):
            text = f"A datagram {words} arrived {-least:.3f} ms before it was sent."
            yield Finding(text, (f"h_latency_jitter.{way}.min_ms",))
    compared = seen.collected.get("latency", {})
    error = compared.get("clock_error_ms", 0.0)
    for name in ("rtt_ms", "delay_to_peer_ms", "delay_from_peer_ms"):
        value = compared.get(name)
        if value is not None and value < -error:
            words = name.removesuffix("_ms").replace("_", " ").replace("rtt", "round trip")
            text = f"The tunnel reports a {words} of {value:.3f} ms."
            yield Finding(text, (f"h_latency_jitter.tunnel.{name}",))


def _dead_collector(seen: Observed) -> Iterator[Finding]:
    if "traffic" not in seen.times:
        return
    for name in ("environment", "system", "power", "network", "latency", "mavlink"):
        health = seen.collected.get(name, {}).get("health")
        if name == _OPTIONAL and (health is None or health["samples"] == 0):
            continue
        if health is None or not health["samples"]:
            yield Finding(f"The collector {name} took no sample.")
        elif not health["alive"]:
            yield Finding(
                f"The collector {name} took {health['samples']} samples and paused for up to "
                f"{health['longest_gap_ms']:.0f} ms.",
                (f"q_observability.collectors.{name}.longest_gap_ms",),
            )


def _clock_not_synced(seen: Observed) -> Iterator[Finding]:
    if not seen.clock_synced:
        yield Finding("The clocks of both ends weren't compared before traffic began.")


def _clocks_too_far_apart(seen: Observed) -> Iterator[Finding]:
    for way, words in WAYS.items():
        usual_ms = (seen.report or {}).get("latency", {}).get(way, {}).get("p50_ms")
        if seen.clock_error_ms is not None and (usual_ms or 0.0) < seen.clock_error_ms:
            yield Finding(
                f"One-way delays {words} are left out: the clocks are compared to "
                f"{seen.clock_error_ms:.3f} ms, and half of the datagrams took less."
            )


def _handshake_missing(seen: Observed) -> Iterator[Finding]:
    if any(not seen.first.get(end, {}).get("session") for end in ENDS):
        yield Finding("The ends did not both report a handshake.")
    elif any(seen.first[end]["handshake"]["total_s"] <= 0.0 for end in ENDS):
        yield Finding("An end reports a handshake that took no time.")
    elif any(seen.first[end]["suite"] != seen.suite for end in ENDS):
        yield Finding("The suite in use is not the requested one.")


def _rekey_missing(seen: Observed) -> Iterator[Finding]:
    if not any(rekey["success"] for rekey in seen.rekeys):
        yield Finding("No rekey succeeded.")
    for number, rekey in enumerate(seen.rekeys):
        if rekey["success"] and rekey["epoch_after"] == rekey["epoch_before"]:
            path = f"f_rekey.records.{number}.epoch_after"
            yield Finding("A rekey succeeded, but the epoch did not change.", (path,))


def _loss_on_clean_link(seen: Observed) -> Iterator[Finding]:
    if seen.link != CLEAN or seen.report is None:
        return
    for way, words in WAYS.items():
        flow = seen.report["flows"][way]
        if flow["lost"] > 0:
            yield Finding(
                f"{flow['lost']} of {flow['offered']} datagrams {words} were lost.",
                (f"g_data_plane.{way}.lost", f"g_data_plane.{way}.loss_ratio", _LOSS),
            )


def _drops_on_clean_link(seen: Observed) -> Iterator[Finding]:
    if seen.link != CLEAN:
        return
    for end in ENDS:
        drops = seen.last.get(end, {}).get("drops", {})
        found = {name: n for name, n in drops.items() if n and name not in _OWN_DROPS}
        if found:
            words = ", ".join(f"{name} {count}" for name, count in found.items())
            yield Finding(
                f"The tunnel of the {end} dropped datagrams: {words}.",
                tuple(f"g_data_plane.{end}_drops.{name}" for name in found),
            )


def _altered_data(seen: Observed) -> Iterator[Finding]:
    for way, words in WAYS.items():
        flow = (seen.report or {}).get("flows", {}).get(way, {})
        for name, fault in (("corrupted", "altered"), ("duplicated", "more than once")):
            if flow.get(name):
                text = f"{flow[name]} datagrams {words} arrived {fault}."
                yield Finding(text, (f"g_data_plane.{way}.{name}",))


def _epoch_mismatch(seen: Observed) -> Iterator[Finding]:
    if set(seen.last) != set(ENDS):
        return
    drone, gcs = (seen.last[end] for end in ENDS)
    for name in ("session", "epoch", "suite"):
        if drone[name] != gcs[name]:
            text = f"The ends differ in their {name}: {drone[name]} and {gcs[name]}."
            yield Finding(text, ("r_validation.ends_agree",))


def _tunnel_lost(seen: Observed) -> Iterator[Finding]:
    for end in ENDS:
        if seen.events.get(end, {}).get("peer_lost"):
            yield Finding(f"The tunnel of the {end} lost its peer.")


def _bag_incomplete(seen: Observed) -> Iterator[Finding]:
    if "traffic" not in seen.times or not seen.recorded:
        return
    messages = (seen.bag or {}).get("messages", {})
    topics = [f"/{place}/{kind}" for place in ("pqc", "gcs/pqc") for kind in _BAG_KINDS]
    topics += ["/diagnostics", *([DECISIONS] if seen.policy != OFF else [])]
    for topic in topics:
        if not messages.get(topic):
            yield Finding(f"The bag has no message of {topic}.")


def _generator_behind(seen: Observed) -> Iterator[Finding]:
    for way, words in WAYS.items():
        flow = (seen.report or {}).get("flows", {}).get(way)
        if not flow:
            continue
        path = f"g_data_plane.{way}"
        if flow["slips"] > _LATE_SHARE * max(flow["offered"], 1):
            text = f"The load was late with {flow['slips']} datagrams {words}."
            yield Finding(text, (f"{path}.slips",))
        if "asked" not in flow:
            continue
        sent = flow["offered"] - flow["refused"]
        if sent < _LEAST_SENT * flow["asked"]:
            yield Finding(
                f"Of {flow['asked']} datagrams {words} the load sent {sent}: it skipped "
                f"{flow['skipped']}; its socket refused {flow['refused']}, which count as lost.",
                (f"{path}.offered",),
            )


def _disturbed(seen: Observed) -> Iterator[Finding]:
    for where, taken in _machines(seen):
        found = disturbance(taken)
        if found is not None:
            yield from _disturbances(found, where)


def _machines(seen: Observed) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield how sentences name each computer, and its counters."""
    yield "", seen.machine
    if seen.ground_machine:
        yield "At the ground station: ", seen.ground_machine


def _disturbances(found: dict[str, Any], where: str) -> Iterator[Finding]:
    # metrics.json has the figures of the drone's computer.
    path = "" if where else "q_observability.disturbance"

    def paths(name: str) -> tuple[str, ...]:
        return (f"{path}.{name}",) if path else ()

    for name, limit, words in _DISTURBED:
        if found[name] > limit:
            text = f"{words} {found[name]:.0f} % of the CPU; up to {limit:.0f} % disturbs nothing."
            yield Finding(where + text, paths(name))
    slow, fast = found["slowest_mhz"], found["fastest_mhz"]
    if slow and fast > _CLOCK_RATIO * slow:
        text = f"The clock of the CPU changed between {slow:.0f} and {fast:.0f} MHz."
        yield Finding(where + text, paths("slowest_mhz"))
    if found["throttled"]:
        text = "The CPU slowed itself down: heat or power."
        yield Finding(where + text, paths("throttled"))


def _unsteady_governor(seen: Observed) -> Iterator[Finding]:
    for where, taken in _machines(seen):
        governor = (disturbance(taken) or {}).get("governor")
        if governor not in (None, _STEADY_GOVERNOR):
            yield Finding(
                f"{where}The CPU's governor was {governor}: the clock may follow the load. "
                f"{_STEADY_GOVERNOR} keeps it high, as does --fix-clock.",
                () if where else ("q_observability.disturbance.governor",),
            )


def _scenario_missed(seen: Observed) -> Iterator[Finding]:
    if seen.scenario_command is None or "traffic" not in seen.times:
        return
    report = seen.scenario_report
    if report is None:
        yield Finding("The scenario's program wrote no report.")
        return
    for fault in report["faults"]:
        yield Finding(f"The scenario's program reports: {fault.rstrip('.')}.")
    for name, words in (("cpu_percent", "% of the CPU"), ("memory_mib", "MiB")):
        target, reached = report[f"target_{name}"], report[f"reached_{name}"]
        if report["faults"] or target is None or reached is None:
            continue
        if abs(reached - target) > _FAR_OFF * target:
            yield Finding(
                f"The scenario's program used {reached:.1f} {words} instead of {target:.1f}.",
                (f"a_run_context.scenario_told.reached_{name}",),
            )


_CHECKS: dict[str, Callable[[Observed], Iterator[Finding]]] = {
    "no_traffic": _no_traffic,
    "negative_latency": _negative_latency,
    "dead_collector": _dead_collector,
    "clock_not_synced": _clock_not_synced,
    "clocks_too_far_apart": _clocks_too_far_apart,
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
    "disturbed": _disturbed,
    "unsteady_governor": _unsteady_governor,
}
