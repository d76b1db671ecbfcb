# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Categories G to L: the traffic, its latency, and MAVLink at both ends."""

from __future__ import annotations

from typing import Any

from pqc_bench.cell.observed import ENDS, Observed, Plain
from pqc_bench.collectors.mavlink import mavlink_of
from pqc_bench.metrics.sheet import NOT_APPLICABLE, Sheet

WAYS = ("drone_to_gcs", "gcs_to_drone")
# Header, time, kind and tag of a frame (docs/protocol.md).
_OVERHEAD_BYTES = 6 + 2 + 1 + 16
_MS_PER_S = 1000.0
_NO_LINK = "There was no emulated link."
_OWN_PACE = "The vehicle sends by its own schedule; messages that it skips are slips."
_NOT_MAVLINK = "This load isn't MAVLink."
_ONE_CLOCK = {
    "mavlink": "From each datagram's sending to its arrival in the kernel at the other"
    " application, byte for byte the same; one machine, one clock.",
    "mavproxy": "From each datagram's sending beside the first tunnel to its arrival in the kernel"
    " beside the other, byte for byte the same; one machine, one clock. The way through MAVProxy is"
    " in the round trip alone.",
    "blaster": "From the time stamp in each datagram to its arrival at the other application;"
    " one machine, one clock.",
}

_TWO_CLOCKS = (
    "From each datagram's sending to its arrival in the kernel at the other application; two "
    "clocks, compared by the tunnels."
)
_NO_CLOCKS = "The clocks of both ends weren't compared: the round trip needs one clock only."


def data_plane(seen: Observed, sheet: Sheet) -> None:
    """Record category G: counters of both tunnels and of the load."""
    for end in ENDS:
        status = seen.last.get(end)
        if status is not None:
            sheet.put(f"g_data_plane.{end}", status["traffic"])
            sheet.put(f"g_data_plane.{end}_drops", status["drops"])
        if end in seen.links:
            sheet.put(f"g_data_plane.{end}_window", _window(seen.links[end]["local"]))
    if "drone" in seen.last:
        sheet.put("g_data_plane.packets_under_key", seen.last["drone"]["packets_under_key"])
    sheet.put("g_data_plane.overhead_bytes_per_packet", float(_OVERHEAD_BYTES))
    _link_taken(seen, sheet)
    network = seen.collected.get("network", {})
    sheet.put("g_data_plane.kernel_drops", network.get("kernel_drops"))
    report = seen.report
    if report is None:
        return
    offered = lost = 0
    for way in WAYS:
        flow = report["flows"][way]
        offered += flow["offered"]
        lost += flow["lost"]
        seconds = report["seconds"]
        flow = {
            **flow,
            "loss_ratio": flow["lost"] / flow["offered"] if flow["offered"] else None,
            "offered_per_s": flow["offered"] / seconds if seconds else None,
        }
        sheet.put(f"g_data_plane.{way}", flow, "Nothing was offered.")
        if seen.load != "blaster":
            for name in ("asked", "skipped", "refused"):
                sheet.lack(f"g_data_plane.{way}.{name}", _OWN_PACE, NOT_APPLICABLE)
    sheet.put("g_data_plane.loss_ratio", lost / offered if offered else None, "Nothing passed.")
    _rate(seen, sheet)


def _rate(seen: Observed, sheet: Sheet) -> None:
    seconds = (seen.span_ms("traffic", "done") or 0.0) / _MS_PER_S
    if not seconds or set(seen.last) != set(ENDS) or set(seen.first) != set(ENDS):
        return
    for name, counter in (("cipher", "cipher_out_bytes"), ("plain", "plain_out_bytes")):
        passed = sum(
            seen.last[end]["traffic"][counter] - seen.first[end]["traffic"][counter] for end in ENDS
        )
        sheet.put(f"g_data_plane.{name}_bytes_per_s", passed / seconds)


def _window(view: Plain) -> Plain:
    return {
        "window_s": view["window_s"],
        "packets_per_s": view["packets_per_s"],
        "bytes_per_s": view["bytes_per_s"],
        "loss_ratio": view["loss"],
        "gap_p95_ms": view["gap_p95_s"] * _MS_PER_S,
        "longest_silence_ms": view["longest_silence_s"] * _MS_PER_S,
        "jitter_ms": view["jitter_s"] * _MS_PER_S,
        **{name: view[name] for name in ("blackouts", "packets", "lost", "reordered")},
        "duplicates": view["duplicates"],
    }


def _link_taken(seen: Observed, sheet: Sheet) -> None:
    path = "g_data_plane.link_taken"
    if seen.link_seed is None:
        sheet.put(path, None, _NO_LINK, NOT_APPLICABLE)
    elif seen.link_summary is not None:
        udp = seen.link_summary["udp"]
        lost = ("lost", "lost_in_outage", "queue_dropped", "oversize")
        sheet.put(path, sum(udp[way][name] for way in WAYS for name in lost))


def latency(seen: Observed, sheet: Sheet) -> None:
    """Record category H: by the load's clock, and by the clock comparison of the tunnels."""
    sheet.zero("h_latency_jitter.tunnel.clock_drift_ppm", "It takes longer than this to measure.")
    compared = seen.collected.get("latency")
    if compared is not None:
        for name in ("valid", "samples"):
            sheet.put(f"h_latency_jitter.tunnel.{name}", compared[name])
        if compared["valid"]:
            for name in set(compared) - {"valid", "samples", "health"}:
                sheet.put(f"h_latency_jitter.tunnel.{name}", compared[name])
        else:
            sheet.lack("h_latency_jitter.tunnel", "The clocks weren't compared.")
    report = seen.report
    if report is None:
        return
    sheet.put("h_latency_jitter.method", _ONE_CLOCK[seen.load] if seen.one_machine else _TWO_CLOCKS)
    sheet.put("h_latency_jitter.error_bound_ms", seen.clock_error_ms, _NO_CLOCKS)
    sheet.zero("h_latency_jitter.error_bound_ms", "Both ends' times are of one clock.")
    few = "Too few datagrams for this percentile: 20 for the 95th, 100 for the 99th."
    for way in WAYS:
        _one_way(seen, way, report["latency"][way], sheet, few)
        if seen.load == "blaster":
            sheet.lack(
                f"h_latency_jitter.{way}.jitter_ms",
                "The blaster keeps no order of its figures; the tunnel's jitter is in the windows.",
            )
    if report["round_trip"] is None:
        reason = "The blaster's datagrams aren't answered; the tunnel's figure is beside this."
        sheet.lack("h_latency_jitter.round_trip", reason, NOT_APPLICABLE)
    else:
        sheet.put("h_latency_jitter.round_trip", report["round_trip"], few)


def _one_way(seen: Observed, way: str, found: Plain, sheet: Sheet, few: str) -> None:
    """Record the delays of a direction, unless the comparison of clocks is less exact than they."""
    error_ms, usual_ms = seen.clock_error_ms, found["p50_ms"]
    path = f"h_latency_jitter.{way}"
    if error_ms is None:
        sheet.lack(path, _NO_CLOCKS)
    elif usual_ms is not None and error_ms > usual_ms:
        sheet.lack(
            path,
            f"The clocks of both ends are compared to {error_ms:.3f} ms, more than the delay: "
            "the round trip has no such error.",
        )
    else:
        sheet.put(path, found, few)


def mavlink(seen: Observed, sheet: Sheet) -> None:
    """Record categories I to L: messages at both ends, their comparison, and the vehicle."""
    categories = (
        "i_mavlink_drone",
        "j_mavlink_gcs",
        "k_mavlink_integrity",
        "l_flight_controller",
    )
    if seen.load == "blaster":
        for category in categories:
            sheet.lack(category, _NOT_MAVLINK, NOT_APPLICABLE)
        return
    report = seen.report
    if report is None:
        return
    for category, end in zip(categories[:2], ENDS, strict=True):
        sheet.put(category, mavlink_of(report, end))
        program = report["mavlink"]["ends"][end].get("program")
        if program is None:
            sheet.lack(f"{category}.program", "This load is that end's program.", NOT_APPLICABLE)
        else:
            sheet.put(f"{category}.program", program)
    compared: dict[str, Any] = report["mavlink"]["compared"]
    for way in WAYS:
        sheet.put(f"k_mavlink_integrity.{way}", compared[way])
    sheet.put("k_mavlink_integrity.intact", all(compared[way]["identical"] for way in WAYS))
    said = report["mavlink"].get("seen", {})
    source = report["mavlink"].get("source")
    if source is not None:
        unsaid = "The vehicle did not report it while the traffic flowed."
        sheet.put("l_flight_controller", {"source": source, **said}, unsaid)
        return
    vehicle = report["mavlink"]["vehicle"]
    sheet.put(
        "l_flight_controller",
        {
            "source": "simulated",
            "armed": vehicle["armed"],
            "mode": vehicle["mode"],
            "battery_v": vehicle["battery_v"],
            "battery_charge_percent": 100.0 * vehicle["battery_charge"],
            "height_m": vehicle["height_m"],
            "speed_m_s": vehicle["speed_m_s"],
            "heartbeats": report["mavlink"]["ends"]["gcs"]["types"].get("HEARTBEAT", 0),
        },
    )
    path = "l_flight_controller.predicted_flight_constraint_w"
    power_w = said.get(path.rpartition(".")[2])
    sheet.put(path, power_w, "The vehicle reported no current of its battery.")
