# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One real cell, with a policy that advises: its metrics, its bag, and that they agree."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pqc_bench.cell.suite_set import choose_suites
from pqc_bench.cost.sensors import Sensors
from pqc_bench.matrix.state_file import COMPLETED, State
from pqc_bench.metrics import read_metrics
from pqc_bench.power.energy import EnergyOfTrace
from pqc_bench.power.marks import read_marks
from pqc_bench.power.trace import read_trace
from pqc_bench.speed.program import run_speed
from pqc_sim.pair.programs import tool_program
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

SUITE = "cs-mlkem768-aesgcm-mldsa65"
CELL = f"baseline/mavlink/clean/{SUITE}"
LIMIT_S = 400


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    out = tmp_path_factory.mktemp("run")
    # Timing all primitives would take a minute.
    speed = run_speed(tool_program("pqc_speed"), 20, patterns=["aesgcm"], show=False)
    (out / "speed.json").write_text(json.dumps(speed))
    command = [sys.executable, "-m", "pqc_bench.bench_command", "matrix", "--suites", SUITE]
    command += ["--seconds", "1.5", "--repeat", "1", "--policy", "advise", "--out", str(out)]
    command += ["--power", f"--source hwmon --sys-root {Sensors(out / 'sys').root}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    yield out


@pytest.fixture(scope="module")
def metrics(run: Path) -> dict[str, Any]:
    return read_metrics(run / "cells" / CELL / "metrics.json")


@pytest.fixture(scope="module")
def bag(run: Path) -> dict[str, list[Any]]:
    """The bag's messages by topic."""
    messages: dict[str, list[Any]] = {}
    store = get_typestore(Stores.EMPTY)
    with AnyReader([run / "cells" / CELL / "bag"], default_typestore=store) as reader:
        for connection, _, data in reader.messages():
            message = reader.deserialize(data, connection.msgtype)
            messages.setdefault(connection.topic, []).append(message)
    return messages


def test_the_cell_is_completed_and_sane(run: Path, metrics: dict[str, Any]) -> None:
    state = State.resumed(run / "state.json", [], retry=False)
    assert state.count(COMPLETED) == len(state.entries())
    assert metrics["c_lifecycle"]["success"] is True
    # A busy machine may keep the load from its slots, and the runner from taking samples.
    flags = {flag["name"] for flag in metrics["r_validation"]["flags"]}
    late = {"generator_behind", "dead_collector", "disturbed", "unsteady_governor"}
    assert flags <= late, metrics["r_validation"]["flags"]


def test_the_cell_keeps_the_trace_of_its_power_and_what_happened_when(
    run: Path, metrics: dict[str, Any]
) -> None:
    power = metrics["p_power_energy"]
    assert (power["source"], power["power_w"]["mean"]) == ("hwmon", 4.3)
    assert power["energy_j"] == pytest.approx(4.3 * power["seconds"])
    trace = read_trace(run / "cells" / CELL / power["trace"])
    assert len(trace.seconds) >= power["power_w"]["count"] > 0
    marks = read_marks(run / "cells" / CELL / "power_marks.json")
    assert {mark.kind for mark in marks.marks} >= {"idle", "handshake", "traffic", "rekey"}
    energies = EnergyOfTrace(trace)
    assert [mark for mark in marks.marks if not energies.covers(mark.span(trace.monotonic_s))] == []


def test_the_handshake_was_timed_at_both_ends(metrics: dict[str, Any]) -> None:
    handshake = metrics["d_handshake"]
    assert handshake["success"] is True
    assert handshake["drone"]["total_ms"] > 0.0
    assert handshake["gcs"]["total_ms"] > 0.0
    assert 0.0 < handshake["primitives_ms"] < handshake["total_ms"]


def test_fresh_keys_came_into_use_under_traffic(metrics: dict[str, Any]) -> None:
    (rekey,) = metrics["f_rekey"]["records"]
    assert rekey["success"] is True
    assert rekey["epoch_after"] == rekey["epoch_before"] + 1
    assert metrics["f_rekey"]["lost"] == 0
    assert metrics["r_validation"]["ends_agree"] is True


def test_every_datagram_arrived_unaltered(metrics: dict[str, Any]) -> None:
    assert metrics["k_mavlink_integrity"]["intact"] is True
    behind = any(f["name"] == "generator_behind" for f in metrics["r_validation"]["flags"])
    assert metrics["g_data_plane"]["drone_to_gcs"]["offered"] > (0 if behind else 200)
    assert metrics["h_latency_jitter"]["drone_to_gcs"]["min_ms"] > 0.0
    # The vehicle stands on the ground, and its avionics draw some watts.
    assert metrics["l_flight_controller"]["predicted_flight_constraint_w"] > 0.0


def test_the_cipher_was_timed_before(run: Path, metrics: dict[str, Any]) -> None:
    (aead,) = json.loads((run / "speed.json").read_text())["aeads"]
    assert aead["algorithm"] == metrics["b_crypto_identity"]["aead"]
    for name in ("seal", "open"):
        medians = [op["median_ns"] for op in aead["operations"] if op["operation"] == name]
        assert metrics["g_data_plane"][f"{name}_ns"] in medians
        assert metrics["metric_status"][f"g_data_plane.{name}_ns"]["status"] == "elsewhere"


def test_the_bag_holds_status_link_events_and_diagnostics(bag: dict[str, list[Any]]) -> None:
    for namespace in ("/pqc", "/gcs/pqc"):
        for topic in ("status", "link", "events"):
            assert bag[f"{namespace}/{topic}"]
    assert bag["/diagnostics"]


def test_the_bag_agrees_with_the_metrics(
    bag: dict[str, list[Any]], metrics: dict[str, Any]
) -> None:
    counted = metrics["q_observability"]["bag"]["messages"]
    expected = {topic: count for topic, count in counted.items() if count}
    assert {topic: len(messages) for topic, messages in bag.items()} == expected
    for namespace, end in (("/pqc", "drone"), ("/gcs/pqc", "gcs")):
        last = bag[f"{namespace}/status"][-1]
        assert last.suite == metrics["a_run_context"]["suite"] == SUITE
        assert last.epoch == metrics["f_rekey"]["records"][0]["epoch_after"]
        assert last.traffic.plain_in_packets == metrics["g_data_plane"][end]["plain_in_packets"]
        assert last.traffic.plain_out_packets == metrics["g_data_plane"][end]["plain_out_packets"]
    kinds = {event.kind_text for event in bag["/pqc/events"]}
    assert {"rekey_started", "rekey_committed"} <= kinds
    stamps = {
        event.kind_text: event.stamp.sec + event.stamp.nanosec * 1e-9
        for event in bag["/pqc/events"]
    }
    rekey_ms = 1000.0 * (stamps["rekey_committed"] - stamps["rekey_started"])
    assert metrics["f_rekey"]["total_ms"] == pytest.approx(rekey_ms, abs=0.01)


def test_the_bag_holds_the_decisions_of_the_policy(
    bag: dict[str, list[Any]], metrics: dict[str, Any]
) -> None:
    assert metrics["a_run_context"]["policy"] == "advise"
    recorded = metrics["m_control_plane"]["policy"]
    decisions = [
        decision
        for decision in bag["/pqc/decision"]
        if recorded["first_s"] <= decision.stamp.sec <= recorded["last_s"]
    ]
    assert len(decisions) == recorded["decisions"] > 0
    assert Counter(decision.action for decision in decisions) == recorded["actions"]
    assert Counter(decision.rule for decision in decisions) == recorded["rules"]
    # A policy that has received nothing for too long names no suite.
    suites = {decision.from_suite for decision in decisions}
    assert recorded["suite"] in suites
    assert SUITE in suites <= {SUITE, ""}
    # It advises: the one rekey is the runner's.
    assert metrics["c_lifecycle"]["rekeys"] == len(metrics["f_rekey"]["records"]) == 1


def test_the_bag_opens_with_ros2(run: Path) -> None:
    command = ["ros2", "bag", "info", str(run / "cells" / CELL / "bag")]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "mcap" in text
    assert "/pqc/status" in text


def test_the_registry_of_the_tunnel_has_the_same_paper_set(bag: dict[str, list[Any]]) -> None:
    suites = bag["/pqc/suites"][-1].suites
    assert {suite.id for suite in suites if suite.set == "paper"} == set(choose_suites("paper"))
    assert {suite.id for suite in suites} == set(choose_suites("all"))


def test_parameters_and_logs_are_in_the_folder(run: Path) -> None:
    folder = run / "cells" / CELL
    parameters = yaml.safe_load((folder / "parameters.yaml").read_text())
    assert parameters["/pqc/tunnel"]["ros__parameters"]["suite"] == SUITE
    assert parameters["/pqc/policy"]["ros__parameters"]["advise_only"] is True
    assert (folder / "logs" / "launch.log").is_file()
    assert (run / "run.json").is_file()
