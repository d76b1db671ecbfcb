# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration as users start it, with the real tunnel."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

from demo_runs import demo, started, summary_of, wait_for_line
from pqc_sim.vehicle.parameter_table import TABLE


def test_it_shows_real_mavlink_through_the_tunnel_and_a_rekey(tmp_path: Path) -> None:
    file = tmp_path / "summary.json"
    run = demo("--seconds", "20", "--summary", str(file))
    assert run.returncode == 0, run.stdout + run.stderr
    summary = json.loads(file.read_text(encoding="utf-8"))
    assert summary["rekeys"] >= 1
    assert summary["epoch"] >= 1
    assert summary["handshake_ms"] > 0
    assert {one["family"] for one in summary["layers"]} == {"lattices", "codes"}
    assert summary["vehicle"]["took_off"]
    assert summary["ground_program"] == {
        "parameters": len(TABLE),
        "mission_items": 8,
        "links_lost": 0,
        "fault": None,
    }
    for direction in ("drone_to_gcs", "gcs_to_drone"):
        flow = summary["mavlink"][direction]
        assert flow["sent"] == flow["received"] > 0
        assert (flow["lost"], flow["corrupted"]) == (0, 0)
    assert "MAVLink went both ways" in run.stdout.splitlines()[-1]
    assert "{" not in run.stdout
    assert "\x1b" not in run.stdout + run.stderr


def test_two_demos_at_once_do_not_meet(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "twö and a space"]
    for folder in folders:
        folder.mkdir()
    options = ("--seconds", "8", "--rate", "50", "--json")
    with started(folders[0], *options) as first, started(folders[1], *options) as second:
        runs = [process.communicate(timeout=300) for process in (first, second)]
        codes = [first.returncode, second.returncode]
    assert codes == [0, 0], runs
    for output, _ in runs:
        summary = json.loads(output)
        assert (summary["rekeys"], summary["epoch"]) == (1, 1)
    assert not any(any(folder.iterdir()) for folder in folders)


def test_a_graph_with_a_tunnel_in_it_is_refused(tmp_path: Path) -> None:
    with started(tmp_path, "--seconds", "60") as process:
        assert process.stdout is not None
        domain = process.stdout.readline().rpartition(" ROS domain ")[2].strip()
        wait_for_line(process, "  established  ")
        run = demo("--seconds", "5", ROS_DOMAIN_ID=domain)
        process.send_signal(signal.SIGTERM)
    assert run.returncode == 1
    assert run.stderr.startswith("demo: a tunnel publishes /")
    assert f"/status in ROS domain {domain} already: end it, choose another" in run.stderr


def test_a_drone_that_gets_too_hot_goes_to_the_lightest_suite_by_itself() -> None:
    run = demo("--flight", "hot", "--seconds", "40", "--json")
    assert run.returncode == 0, run.stdout + run.stderr
    summary = summary_of(run)
    moves = [line for line in summary["decisions"] if line["to"] not in (None, line["from"])]
    assert moves, summary["decisions"]
    assert (moves[0]["action"], moves[0]["rule"]) == ("DOWN_TO_LIGHTEST", "emergency")
    assert moves[0]["from"] == "cs-classicmceliece460896-aesgcm-mldsa65"
    assert moves[0]["to"] == "cs-mlkem512-aesgcm-falcon512"
    assert summary["rekeys"] >= 1
    for direction in ("drone_to_gcs", "gcs_to_drone"):
        flow = summary["mavlink"][direction]
        assert flow["sent"] == flow["received"] > 0
    # The lines of progress show what the flight is about.
    assert re.search(r"heat [\d.]+ °C   \+[\d.]+ °C/min  telemetry_aware", run.stderr)
