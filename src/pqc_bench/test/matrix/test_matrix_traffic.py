# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pqc_bench.cell.cell import link_profile
from pqc_bench.cell.conductor import Conductor
from pqc_bench.cell.distribution import distribution
from pqc_bench.cell.flow_match import FlowMatch
from pqc_bench.cell.parameters import session_parameters
from pqc_bench.cell.scenario import scenario_command, scenario_text
from pqc_sim.pair.ports import Ports
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.ports import LOOPBACK, free_ports

MS = 1_000_000
LIMIT_S = 120.0
TRAFFIC_S = 1.0  # enough for answers of the vehicle


def test_a_flow_counts_lost_late_repeated_and_altered_datagrams() -> None:
    flow = FlowMatch()
    for number, datagram in enumerate((b"a", b"b", b"c", b"d")):
        flow.note_sent(datagram, number * MS)
    flow.note_arrived(b"a", 1 * MS)
    flow.note_arrived(b"c", 4 * MS)
    flow.note_arrived(b"b", 5 * MS)
    flow.note_arrived(b"b", 6 * MS)
    flow.note_arrived(b"x", 7 * MS)
    counts = flow.as_dict()
    assert {name: counts[name] for name in ("offered", "delivered", "lost")} == {
        "offered": 4,
        "delivered": 3,
        "lost": 1,
    }
    assert (counts["reordered"], counts["duplicated"], counts["corrupted"]) == (1, 1, 1)
    assert flow.latencies_ms == pytest.approx([1.0, 2.0, 4.0])


def test_equal_datagrams_are_matched_in_their_order() -> None:
    flow = FlowMatch()
    flow.note_sent(b"same", 0)
    flow.note_sent(b"same", 10 * MS)
    flow.note_arrived(b"same", 1 * MS)
    flow.note_arrived(b"same", 11 * MS)
    assert flow.latencies_ms == pytest.approx([1.0, 1.0])
    assert flow.under_way == 0


def test_a_loss_belongs_to_the_window_it_was_sent_in() -> None:
    flow = FlowMatch()
    flow.note_sent(b"a", 0)
    flow.note_arrived(b"a", 1 * MS)
    flow.open_window("rekey")
    flow.note_sent(b"b", 2 * MS)
    flow.note_sent(b"c", 3 * MS)
    flow.note_arrived(b"c", 9 * MS)
    flow.open_window("steady")
    windows = flow.windows()
    assert windows["steady"] == {"sent": 1, "lost": 0, "longest_gap_ms": 0.0}
    assert windows["rekey"] == {"sent": 2, "lost": 1, "longest_gap_ms": pytest.approx(8.0)}


def test_missing_datagrams_are_overtaken_once_the_last_has_arrived() -> None:
    flow = FlowMatch()
    assert flow.overtaken
    flow.note_sent(b"a", 0)
    flow.note_sent(b"b", 1 * MS)
    flow.note_arrived(b"a", 2 * MS)
    assert not flow.overtaken
    flow.note_sent(b"c", 3 * MS)
    flow.note_arrived(b"c", 4 * MS)
    assert flow.overtaken
    assert flow.under_way == 1


def test_percentiles_need_enough_values() -> None:
    few = distribution([3.0, 1.0, 2.0])
    assert (few["p50_ms"], few["p95_ms"], few["max_ms"]) == (2.0, None, 3.0)
    many = distribution([float(value) for value in range(1, 101)])
    assert (many["p50_ms"], many["p95_ms"], many["p99_ms"]) == (50.0, 95.0, 99.0)
    assert many["jitter_ms"] == pytest.approx(1.0)
    assert distribution([])["mean_ms"] is None


def test_one_parameter_file_holds_all_parameters_of_both_nodes() -> None:
    ports = Ports(*range(1001, 1008))
    parameters = session_parameters(
        "cs-hqc128-aesgcm-mldsa44", ports, Path("/keys"), emulated_link=True
    )
    drone, gcs = (node["ros__parameters"] for node in parameters.values())
    assert list(parameters) == ["/pqc/tunnel", "/gcs/pqc/tunnel"]
    assert drone["suite"] == "cs-hqc128-aesgcm-mldsa44"
    assert drone["allow_experimental"] is gcs["allow_experimental"] is True
    assert drone["gcs_datagram_port"] == ports.link_datagram
    assert gcs["datagram_port"] == ports.gcs_datagram
    assert drone["max_age_s"] == 1.0
    with pytest.raises(RunFault, match="there is no suite"):
        session_parameters("cs-rsa", ports, Path("/keys"), emulated_link=False)


def test_a_policy_beside_the_drone_may_only_advise() -> None:
    suite, ports = "cs-mlkem768-aesgcm-mldsa65", Ports(*range(1001, 1008))
    parameters = session_parameters(
        suite, ports, Path("/keys"), emulated_link=False, policy="advise"
    )
    assert set(parameters) >= {"/pqc/policy", "/pqc/sensing", "/pqc/advisor"}
    policy = parameters["/pqc/policy"]["ros__parameters"]
    assert policy["advise_only"] is True
    assert policy["strategy"] == "telemetry_aware"
    with pytest.raises(RunFault, match="there is no policy 'fly'"):
        session_parameters(suite, ports, Path("/keys"), emulated_link=False, policy="fly")


def test_scenarios_are_programs_that_others_can_replace() -> None:
    assert scenario_command("baseline") == []
    assert scenario_command("stand-in-light")[1:] == ["-m", "pqc_bench.load", "light"]
    assert scenario_text("stand-in-light") == "python3 -m pqc_bench.load light"
    assert scenario_command("heavy", "detector --model 'a b'") == ["detector", "--model", "a b"]


@pytest.mark.parametrize("detector", ["trees", "transformer"])
def test_a_real_detector_is_a_program_of_a_scenario(detector: str) -> None:
    usual = {"trees": "light", "transformer": "heavy"}[detector]
    assert scenario_command(usual) == scenario_command(usual, detector)
    assert scenario_text(usual) == scenario_text(usual, detector)
    command = scenario_command("stand-in-heavy", detector)
    assert command[1:] == ["-m", "pqc_bench.load.detector", detector]
    assert scenario_text("heavy", detector) == f"python3 -m pqc_bench.load.detector {detector}"


def test_links_are_profiles_by_name_or_file(tmp_path: Path) -> None:
    assert link_profile("clean") is None
    own = tmp_path / "own.yaml"
    own.write_text("description: own\n")
    assert link_profile(str(own)) == own
    with pytest.raises(RunFault, match="lossy-5"):
        link_profile("nowhere")
    with pytest.raises(RunFault, match="252 bytes"):
        link_profile("sik-57600")


@contextmanager
def traffic(folder: Path, load: str, *more: str) -> Iterator[subprocess.Popen[str]]:
    """Run a load whose two ends send to each other directly: a tunnel without a tunnel."""
    drone, ground = (f"{LOOPBACK}:{port}" for port in free_ports(2))
    command = [sys.executable, "-m", "pqc_bench.cell.traffic", "--load", load]
    command += ["--drone", ground, "--drone-bind", drone]
    command += ["--ground", drone, "--ground-bind", ground]
    command += ["--rate", "200", "--report", str(folder / "load.json"), *more]
    with subprocess.Popen(command, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("load", ["mavlink", "blaster"])
def test_a_load_follows_the_commands_of_its_control_socket(tmp_path: Path, load: str) -> None:
    with (
        Conductor(tmp_path / "control") as conductor,
        traffic(tmp_path, load, "--control", str(tmp_path / "control")) as process,
    ):
        wait_for(conductor, "ready", process)
        assert not (tmp_path / "load.json").exists()
        conductor.send("start")
        conductor.send("window rekey")
        time.sleep(TRAFFIC_S)
        conductor.send("stop")
        wait_for(conductor, "done", process)
        assert process.poll() is None
        conductor.send("leave")
        assert process.wait(LIMIT_S) == 0
    report = json.loads((tmp_path / "load.json").read_text())
    assert "rekey" in report["windows"]
    for way in ("drone_to_gcs", "gcs_to_drone"):
        flow = report["flows"][way]
        assert flow["delivered"] == flow["offered"] > 0
        assert report["latency"][way]["min_ms"] >= 0.0
    if load == "mavlink":
        assert report["mavlink"]["compared"]["drone_to_gcs"]["identical"] is True
        assert report["round_trip"]["count"] > 0


def wait_for(conductor: Conductor, word: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not conductor.received(word):
        assert time.monotonic() < deadline, f"the load never said {word}"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.02)
