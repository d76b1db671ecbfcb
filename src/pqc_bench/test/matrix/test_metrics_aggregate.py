# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import pytest
from observed_cell import observed_cell
from pqc_bench.cell.blaster_load import as_load_report
from pqc_bench.cell.observed import Observed
from pqc_bench.cell.plain_message import as_plain
from pqc_bench.metrics.aggregator import aggregate
from pqc_bench.metrics.algorithm_sizes import sizes_of
from pqc_bench.metrics.canonical import seal
from pqc_bench.metrics.handshakes import phi_percent
from pqc_bench.metrics.schema import problems
from pqc_policy.policy.suites import FORMER, SUITES

from pqc_msgs.msg import LinkReport, TunnelStatus


@pytest.fixture(name="seen")
def a_cell() -> Observed:
    return observed_cell()


def valid(seen: Observed) -> dict[str, Any]:
    """Return the document of a cell, which follows the schema."""
    document = aggregate(seen)
    assert problems(seal(document)) == []
    return document


def flags(seen: Observed) -> set[str]:
    return {flag["name"] for flag in valid(seen)["r_validation"]["flags"]}


def test_a_sound_cell_is_valid_and_not_flagged() -> None:
    document = valid(observed_cell())
    assert document["r_validation"]["flags"] == []
    assert document["r_validation"]["sane"] is True
    assert document["r_validation"]["ends_agree"] is True
    assert document["c_lifecycle"]["success"] is True


def test_the_schema_has_every_figure_of_todays_messages(seen: Observed) -> None:
    for end in seen.last:
        for views in (seen.first, seen.last):
            views[end] = filled(as_plain(TunnelStatus()), views[end])
        seen.links[end] = filled(as_plain(LinkReport()), seen.links[end])
    valid(seen)


def filled(today: dict[str, Any], recorded: dict[str, Any]) -> dict[str, Any]:
    """Return what was recorded, with the members that messages got since."""
    nested = {name: part for name, part in recorded.items() if isinstance(part, dict)}
    return {**today, **recorded, **{name: filled(today[name], nested[name]) for name in nested}}


def operation(name: str, text_bytes: int, median_ns: float) -> dict[str, Any]:
    timed = {"operation": name, "text_bytes": text_bytes, "median_ns": median_ns}
    return {**timed, "samples": 200}


def test_the_ciphers_times_are_those_of_the_loads_size_and_say_where_they_are_from(
    seen: Observed,
) -> None:
    assert aggregate(seen)["g_data_plane"]["seal_ns"] is None
    sizes = (64, 256, 1024)
    seen.cipher_alone = [operation("seal", size, 200.0 + size) for size in sizes]
    seen.cipher_alone += [operation("open", size, 300.0 + size) for size in sizes]
    document = valid(seen)
    data = document["g_data_plane"]
    assert (data["seal_ns"], data["open_ns"]) == (264.0, 364.0)
    for name in ("seal_ns", "open_ns"):
        why = document["metric_status"][f"g_data_plane.{name}"]
        assert why["status"] == "elsewhere"
        assert "with 64 bytes, not inside this cell" in why["reason"]
    for flow in seen.collected["mavlink"]["report"]["flows"].values():
        flow["offered_bytes"] = 256 * flow["offered"]
    assert aggregate(seen)["g_data_plane"]["seal_ns"] == 456.0


def test_every_zero_says_what_it_means() -> None:
    status = aggregate(observed_cell())["metric_status"]
    said = {path: why["reason"] for path, why in status.items() if why["status"] == "zero"}
    assert said["f_rekey.records.0.epoch_before"] == "The first keys have epoch 0."
    assert said["h_latency_jitter.error_bound_ms"] == "Both ends' times are of one clock."
    counted = said["g_data_plane.drone_to_gcs.lost"]
    measured = said["g_data_plane.drone_window.loss_ratio"]
    assert counted == "It was counted, and there was none."
    assert measured == "It was measured, and came out as zero."


def test_both_views_of_the_handshake_are_kept(seen: Observed) -> None:
    handshake = aggregate(seen)["d_handshake"]
    for end in ("drone", "gcs"):
        total_ms = 1000.0 * seen.first[end]["handshake"]["total_s"]
        assert handshake[end]["total_ms"] == pytest.approx(total_ms)
    assert handshake["drone"]["total_ms"] != handshake["gcs"]["total_ms"]
    assert handshake["total_ms"] == handshake["drone"]["total_ms"]


def test_each_operation_comes_from_the_end_that_does_it() -> None:
    document = aggregate(observed_cell())
    views, primitives = document["d_handshake"], document["e_primitives"]
    for operation, end in (
        ("keygen", "gcs"),
        ("sign", "gcs"),
        ("verify", "drone"),
        ("encapsulate", "drone"),
        ("decapsulate", "gcs"),
    ):
        other = {"gcs": "drone", "drone": "gcs"}[end]
        assert primitives[f"{operation}_ms"] == views[end][f"{operation}_ms"] > 0.0
        assert views[other].get(f"{operation}_ms") is None
    parts = sum(primitives[f"{name}_ms"] for name in ("keygen", "sign", "verify"))
    parts += primitives["encapsulate_ms"] + primitives["decapsulate_ms"]
    assert views["primitives_ms"] == pytest.approx(parts)
    assert views["primitives_ms"] + views["other_ms"] == pytest.approx(views["total_ms"])


def test_every_suite_of_the_table_has_the_sizes_that_liboqs_states() -> None:
    everywhere = [suite for suite in SUITES if not {suite.kem, suite.signature} & {*FORMER}]
    assert len(everywhere) == 176
    assert all(len(sizes_of(suite)) == 4 for suite in everywhere)
    seen = observed_cell()
    seen.suite = "cs-classicmceliece348864-aesgcm-sphincs128s"
    found = aggregate(seen)["e_primitives"]
    assert (found["kem_public_key_bytes"], found["kem_ciphertext_bytes"]) == (261120, 96)
    assert (found["signature_bytes"], found["signature_public_key_bytes"]) == (7856, 32)


def test_the_counters_of_both_tunnels_are_kept_apart(seen: Observed) -> None:
    data = aggregate(seen)["g_data_plane"]
    for end in ("drone", "gcs"):
        assert data[end] == seen.last[end]["traffic"]
        assert data[f"{end}_drops"] == seen.last[end]["drops"]
    assert data["drone"]["plain_in_packets"] == data["drone_to_gcs"]["offered"]
    assert data["gcs"]["plain_out_packets"] == data["drone_to_gcs"]["delivered"]


def test_phi_is_the_share_of_time_that_rekeys_take() -> None:
    assert phi_percent(60_000.0)["60"] == pytest.approx(50.0)
    # ML-KEM-768 with ML-DSA-65 in the seeds: 12.7 ms, every 60 s.
    assert phi_percent(12.7)["60"] == pytest.approx(0.021, abs=0.0005)


def test_a_rekeys_gap_is_that_of_the_busier_direction(seen: Observed) -> None:
    assert seen.report is not None
    steady, during = (seen.report["windows"][name] for name in ("steady", "rekey"))
    rekey = aggregate(seen)["f_rekey"]
    assert rekey["longest_gap_ms"] == pytest.approx(during["drone_to_gcs"]["longest_gap_ms"])
    assert rekey["longest_gap_steady_ms"] == pytest.approx(steady["drone_to_gcs"]["longest_gap_ms"])
    steady["gcs_to_drone"]["sent"] = steady["drone_to_gcs"]["sent"]
    rekey = aggregate(seen)["f_rekey"]
    assert rekey["longest_gap_ms"] == pytest.approx(during["gcs_to_drone"]["longest_gap_ms"])


def test_a_missing_sensor_is_null_with_the_reason() -> None:
    document = aggregate(observed_cell())
    assert document["p_power_energy"]["energy_j"] is None
    assert document["metric_status"]["p_power_energy.energy_j"]["reason"] == "no sensor"


def load_report(**figures: Any) -> dict[str, Any]:
    report = {"seconds": 6.0, "target_cpu_percent": 25.9, "reached_cpu_percent": 25.5}
    report |= {"waited_cpu_percent": 0.0, "target_memory_mib": 334.2, "reached_memory_mib": 335.0}
    return {**report, "faults": [], **figures}


def beside(seen: Observed, report: dict[str, Any] | None) -> None:
    seen.scenario, seen.scenario_command = "light", "python3 -m pqc_bench.load light"
    seen.scenario_report = report


def test_the_report_of_the_scenarios_program_is_recorded(seen: Observed) -> None:
    beside(seen, load_report())
    document = valid(seen)
    assert document["r_validation"]["flags"] == []
    assert document["a_run_context"]["scenario_told"] == load_report()


def test_the_flag_of_a_scenario_repeats_the_programs_own_words(seen: Observed) -> None:
    beside(seen, load_report(faults=["it used 9.0 % of the CPU instead of 25.9 %"]))
    (flag,) = aggregate(seen)["r_validation"]["flags"]
    assert flag["name"] == "scenario_missed"
    assert "it used 9.0 % of the CPU instead of 25.9 %." in flag["text"]


def decision(second: int, action: str, rule: str) -> dict[str, Any]:
    suite = "cs-mlkem768-aesgcm-mldsa65"
    stamp = {"sec": second, "nanosec": 0}
    to_suite = "" if action == "HOLD" else "cs-mlkem512-aesgcm-mldsa44"
    told = {"stamp": stamp, "action": action, "rule": rule, "from_suite": suite}
    return {**told, "to_suite": to_suite, "asked": False}


def test_what_a_policy_decided_is_counted(seen: Observed) -> None:
    seen.policy = "advise"
    seen.decisions = [decision(7, "HOLD", "safety"), decision(8, "DOWN", "emergency")]
    seen.bag["messages"]["/pqc/decision"] = 4
    document = valid(seen)
    assert document["r_validation"]["flags"] == []
    assert document["a_run_context"]["policy"] == "advise"
    assert document["m_control_plane"]["policy"] == {
        "decisions": 2,
        "wishes": 1,
        "actions": {"HOLD": 1, "DOWN": 1},
        "rules": {"safety": 1, "emergency": 1},
        "suite": "cs-mlkem768-aesgcm-mldsa65",
        "first_s": 7,
        "last_s": 8,
    }


FLOWS = "collected.mavlink.report.flows"
LATENCY = "collected.mavlink.report.latency"
GONE = object()
# Counters of a machine where other programs use half of the CPU.
BUSY = {
    moment: {
        "busy_s": 0.7 * total_s,
        "own_s": 0.2 * total_s,
        "stolen_s": 0.0,
        "total_s": total_s,
        "processes": 9,
        "mhz": 2400.0,
        "governors": ["performance"],
        "throttled": 0,
        "firmware_limits": None,
    }
    for moment, total_s in (
        ("launched", 100.0),
        ("established", 104.0),
        ("traffic", 106.0),
        ("stopping", 110.0),
    )
}
# The same with the cell alone, whose cores follow the load.
ON_DEMAND = {
    moment: {
        **counters,
        "busy_s": 0.2 * counters["total_s"],
        "governors": ["ondemand", "performance"],
    }
    for moment, counters in BUSY.items()
}
# A Raspberry Pi that is too hot throughout.
HOT_PI = {
    moment: {**counters, "busy_s": 0.2 * counters["total_s"], "firmware_limits": 0xE0008}
    for moment, counters in BUSY.items()
}
# The place of a fault in the observations, the value there, its flag, and the odd values.
FAULTS: list[tuple[str, Any, str, set[str]]] = [
    (
        f"{FLOWS}.drone_to_gcs.lost",
        3,
        "loss_on_clean_link",
        {
            "g_data_plane.drone_to_gcs.loss_ratio",
            "g_data_plane.drone_to_gcs.lost",
            "g_data_plane.loss_ratio",
        },
    ),
    (f"{FLOWS}.gcs_to_drone.delivered", 0, "no_traffic", {"g_data_plane.gcs_to_drone.delivered"}),
    ("collected.mavlink.report", None, "no_traffic", set()),
    (
        f"{LATENCY}.drone_to_gcs.min_ms",
        -0.5,
        "negative_latency",
        {"h_latency_jitter.drone_to_gcs.min_ms"},
    ),
    (
        f"{LATENCY}.gcs_to_drone.min_ms",
        -0.5,
        "negative_latency",
        {"h_latency_jitter.gcs_to_drone.min_ms"},
    ),
    (
        "collected.latency.delay_to_peer_ms",
        -50.0,
        "negative_latency",
        {"h_latency_jitter.tunnel.delay_to_peer_ms"},
    ),
    (
        "collected.system.health.alive",
        False,
        "dead_collector",
        {"q_observability.collectors.system.longest_gap_ms"},
    ),
    ("collected.network", GONE, "dead_collector", set()),
    ("clock_synced", False, "clock_not_synced", set()),
    ("first.drone.session", "", "handshake_missing", set()),
    ("first.gcs.suite", "cs-mlkem512-aesgcm-mldsa44", "handshake_missing", set()),
    ("rekeys", [], "rekey_missing", set()),
    ("rekeys.0.epoch_after", 0, "rekey_missing", {"f_rekey.records.0.epoch_after"}),
    ("last.gcs.epoch", 7, "epoch_mismatch", {"r_validation.ends_agree"}),
    ("last.gcs.drops.novel", 2, "drops_on_clean_link", {"g_data_plane.gcs_drops.novel"}),
    ("last.gcs.drops.auth_fail", 2, "drops_on_clean_link", {"g_data_plane.gcs_drops.auth_fail"}),
    (f"{FLOWS}.drone_to_gcs.corrupted", 1, "altered_data", {"g_data_plane.drone_to_gcs.corrupted"}),
    ("events.gcs.peer_lost", 1, "tunnel_lost", set()),
    ("bag.messages./pqc/events", GONE, "bag_incomplete", set()),
    ("policy", "advise", "bag_incomplete", set()),
    ("scenario_report", None, "scenario_missed", set()),
    (
        "scenario_report.reached_cpu_percent",
        12.0,
        "scenario_missed",
        {"a_run_context.scenario_told.reached_cpu_percent"},
    ),
    (f"{FLOWS}.drone_to_gcs.slips", 400, "generator_behind", {"g_data_plane.drone_to_gcs.slips"}),
    ("machine", BUSY, "disturbed", {"q_observability.disturbance.foreign_cpu_percent"}),
    ("machine", HOT_PI, "disturbed", {"q_observability.disturbance.throttled"}),
    ("machine", ON_DEMAND, "unsteady_governor", {"q_observability.disturbance.governor"}),
]


def spoil(seen: Observed, place: str, value: Any) -> None:
    """Put a value to a place in the observations; GONE removes it."""
    *path, name = place.split(".")
    if "scenario_report" in place:
        beside(seen, load_report())
    inside: Any = vars(seen)
    for step in path:
        inside = inside[int(step) if step.isdigit() else step]
    if value is GONE:
        del inside[name]
    else:
        inside[name] = value


def odd_paths(seen: Observed) -> set[str]:
    status = aggregate(seen)["metric_status"]
    return {path for path, why in status.items() if why["status"] == "odd"}


@pytest.mark.parametrize(
    ("place", "value", "flag", "paths"), FAULTS, ids=[f"{at}-{flag}" for at, _, flag, _ in FAULTS]
)
def test_a_fault_of_a_cell_is_flagged_and_its_values_are_marked_odd(
    place: str, value: Any, flag: str, paths: set[str], seen: Observed
) -> None:
    assert odd_paths(seen) == set()
    spoil(seen, place, value)
    assert flags(seen) == {flag}
    assert odd_paths(seen) == paths


def test_losses_of_an_emulated_link_are_no_fault_of_the_tunnel(seen: Observed) -> None:
    spoil(seen, f"{FLOWS}.drone_to_gcs.lost", 3)
    seen.link, seen.link_seed = "lossy-5", 1
    seen.link_summary = {"udp": {way: LINK_COUNTS for way in ("drone_to_gcs", "gcs_to_drone")}}
    document = valid(seen)
    assert document["r_validation"]["flags"] == []
    assert document["g_data_plane"]["link_taken"] == 6


LINK_COUNTS = {"lost": 3, "lost_in_outage": 0, "queue_dropped": 0, "oversize": 0}


def test_a_cell_that_failed_at_once_still_makes_a_valid_document() -> None:
    seen = Observed(
        scenario="light",
        load="blaster",
        link="clean",
        suite="cs-hqc128-aesgcm-mldsa44",
        seconds=2.0,
        failure="the first handshake didn't happen within 120 s",
    )
    document = valid(seen)
    assert document["c_lifecycle"]["success"] is False
    assert document["d_handshake"]["timed_out"] is True
    assert "didn't happen" in document["metric_status"]["d_handshake.total_ms"]["reason"]
    assert {"no_traffic", "handshake_missing"} <= {
        flag["name"] for flag in document["r_validation"]["flags"]
    }


def blaster_report() -> dict[str, Any]:
    counts = {"sent": 10, "received": 10, "lost": 0, "duplicated": 0, "reordered": 0}
    counts |= {"corrupted": 0, "longest_gap_ms": 1.5}
    way = {**counts, "receiver_drops": 0, "slips": 0, "skipped": 0, "refused": 0}
    way["latency_ms"] = {"count": 10, "shortest": 0.1, "mean": 0.2, "p50": 0.2, "p95": 0.3}
    way["latency_ms"] |= {"p99": 0.3, "longest": 0.4}
    windows = [
        {"name": name, "seconds": 1.0, "drone_to_gcs": counts, "gcs_to_drone": counts}
        for name in ("", "rekey", "steady")
    ]
    return {
        "seconds": 2.0,
        "rate": 5,
        "size": 256,
        "real_time": True,
        "directions": {"drone_to_gcs": way, "gcs_to_drone": way},
        "windows": windows,
    }


def test_the_blasters_figures_take_the_place_of_mavlinks(seen: Observed) -> None:
    seen.load = "blaster"
    seen.collected["mavlink"]["report"] = as_load_report(blaster_report())
    document = valid(seen)
    assert document["r_validation"]["flags"] == []
    assert document["h_latency_jitter"]["drone_to_gcs"]["p95_ms"] == 0.3
    assert document["g_data_plane"]["drone_to_gcs"]["offered_bytes"] == 2560
    assert document["k_mavlink_integrity"]["intact"] is None
    status = document["metric_status"]
    assert status["k_mavlink_integrity.intact"]["reason"] == "This load isn't MAVLink."


@pytest.mark.parametrize("lack", ["skipped", "refused"])
def test_a_blaster_that_sends_less_than_it_was_asked_for_is_flagged(
    lack: str, seen: Observed
) -> None:
    seen.load, report = "blaster", blaster_report()
    way = report["directions"]["drone_to_gcs"] = {**report["directions"]["drone_to_gcs"], lack: 4}
    way["sent"] -= 4 if lack == "skipped" else 0
    seen.collected["mavlink"]["report"] = as_load_report(report)
    document = valid(seen)
    assert document["g_data_plane"]["drone_to_gcs"][lack] == 4
    (flag,) = document["r_validation"]["flags"]
    assert flag["name"] == "generator_behind"
    assert "Of 10 datagrams from the drone the load sent 6" in flag["text"]


def test_the_windows_before_and_after_a_rekey_are_one() -> None:
    windows = as_load_report(blaster_report())["windows"]
    assert set(windows) == {"steady", "rekey"}
    assert windows["steady"]["drone_to_gcs"]["sent"] == 20
