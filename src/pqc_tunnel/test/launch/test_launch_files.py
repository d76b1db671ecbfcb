# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The launch files and the parameter files that a user starts from."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
import yaml
from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
    get_package_share_path,
    get_packages_with_prefixes,
)
from diagnostic_msgs.msg import DiagnosticArray
from launch import LaunchDescription
from rclpy.qos import qos_profile_sensor_data

from pqc_msgs.msg import BatteryPrediction, PolicyDecision, TunnelStatus, VehicleState

sys.path.insert(0, str(Path(__file__).parent))

from applications import Application
from graph_client import LATCHED, PATIENCE_S, GraphClient
from mavlink_datagrams import vehicle_traffic
from pqc_testing.ports import free_ports
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import OTHER_SUITE, TunnelPair, make_tunnel_pair
from user_files import launch_end, parameter_file, without_packages

isolate_graph()


def recorder_is_installed() -> bool:
    """Return whether bags can be recorded; not every distribution's image has rosbag2."""
    with contextlib.suppress(PackageNotFoundError):
        return bool(get_package_prefix("ros2bag"))
    return False


RECORDER = recorder_is_installed()
needs_recorder = unittest.skipUnless(RECORDER, "rosbag2 is not installed here")


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends as a user would, the drone's end with a recorder."""
    pair = make_tunnel_pair()
    drone_dir = pair.drone.pop("identity_dir")
    (mirror_port,) = free_ports(1)
    pair.drone["mirror_port"] = mirror_port
    # Any program of the ground, not that of the shipped file.
    pair.gcs |= {"plaintext_peer_address": "", "plaintext_peer_port": 0}
    return (
        LaunchDescription(
            [
                launch_end(
                    "drone",
                    f"params_file:={parameter_file(pair.folder, 'drone.yaml', pair.drone)}",
                    f"identity_dir:={drone_dir}",
                    f"suite:={OTHER_SUITE}",
                    f"mirror_port:={mirror_port}",
                    "log_level:=warn",
                    *(["record:=true", f"record_dir:={pair.folder}"] if RECORDER else []),
                ),
                launch_end(
                    "gcs",
                    f"params_file:={parameter_file(pair.folder, 'gcs.yaml', pair.gcs)}",
                    "namespace:=base/pqc",
                ),
                launch_testing.actions.ReadyToTest(),
            ]
        ),
        {"pair": pair},
    )


class TestLaunchFiles(unittest.TestCase):
    """Both ends as a user sees them."""

    def test_both_ends_find_each_other_and_arguments_win_over_the_files(
        self, pair: TunnelPair
    ) -> None:
        graph = GraphClient()
        self.addCleanup(graph.close)
        for topic in ("/pqc/status", "/base/pqc/status"):
            heard = graph.listen(TunnelStatus, topic, LATCHED)
            graph.wait_for(
                lambda heard=heard: any(status.encrypted for status in heard),
                f"{topic} to be encrypted",
            )
            self.assertEqual(heard[-1].suite, OTHER_SUITE)
        if RECORDER:
            graph.wait_for(lambda: list(pair.folder.glob("rosbag2_*/*")), "the bag")

    def test_the_policy_flies_along_and_sees_the_tunnel(self) -> None:
        graph = GraphClient()
        self.addCleanup(graph.close)
        decisions = graph.listen(PolicyDecision, "/pqc/decision")
        graph.wait_for(
            # Which suite it is depends on how busy this computer is.
            lambda: any(d.inputs.session_suite for d in decisions),
            "a decision made with the session in view",
        )

    def test_nodes_whose_process_dies_are_back_a_second_later(self) -> None:
        graph = GraphClient()
        self.addCleanup(graph.close)
        decisions = graph.listen(PolicyDecision, "/pqc/decision")
        vehicles = graph.listen(VehicleState, "/pqc/vehicle", qos_profile_sensor_data)
        graph.wait_for(lambda: decisions, "a decision")
        (process,) = self.drone_nodes()
        os.kill(process, signal.SIGKILL)
        graph.wait_for(lambda: {process} != self.drone_nodes() != set(), "another process")
        decisions.clear()
        vehicles.clear()
        graph.wait_for(lambda: decisions, "a decision of it")

    def drone_nodes(self) -> set[int]:
        """Return the ids of the processes of this test's graph that have the drone's nodes."""
        domain = f"ROS_DOMAIN_ID={os.environ['ROS_DOMAIN_ID']}\0".encode()
        found = set()
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (process / "cmdline").read_bytes().split(b"\0")
                program = any(word.endswith(b"/pqc_policy/drone_nodes") for word in words)
                if program and domain in (process / "environ").read_bytes():
                    found.add(int(process.name))
        return found

    def test_in_a_secured_graph_each_node_has_a_process_and_an_enclave_of_its_own(self) -> None:
        launch = get_package_share_path("pqc_tunnel") / "launch"
        in_one_process = runpy.run_path(str(launch / "policy.launch.py"))["in_one_process"]
        secured = {"ROS_SECURITY_ENABLE": "true"}
        self.assertTrue(in_one_process("auto", {}))
        self.assertTrue(in_one_process("auto", {"ROS_SECURITY_ENABLE": "false"}))
        self.assertFalse(in_one_process("auto", secured))
        self.assertFalse(in_one_process("each", {}))
        self.assertTrue(in_one_process("one", secured))

    def failed_launch(
        self, *arguments: str, packages: str = os.environ["AMENT_PREFIX_PATH"]
    ) -> str:
        """Run a launch of pqc_tunnel that must fail; return its output."""
        ended = subprocess.run(
            ["ros2", "launch", "pqc_tunnel", *arguments],
            env={**os.environ, "AMENT_PREFIX_PATH": packages},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        self.assertNotEqual(ended.returncode, 0)
        return ended.stdout + ended.stderr

    def test_a_package_that_is_requested_but_not_installed_is_reported_in_one_sentence(
        self,
    ) -> None:
        for end, argument, package in (
            ("drone", "mavros", "mavros"),
            ("drone", "aggregator", "diagnostic_aggregator"),
            ("gcs", "aggregator", "diagnostic_aggregator"),
        ):
            with self.subTest(end=end, package=package):
                with contextlib.suppress(PackageNotFoundError):
                    get_package_share_directory(package)
                    self.skipTest(f"{package} is installed here")
                output = self.failed_launch(f"{end}.launch.py", f"{argument}:=true")
                self.assertIn(f"{argument}:=true needs the package {package}", output)
                self.assertNotIn("tunnel_node", output)

    def test_both_ends_start_an_aggregator_that_is_installed_with_the_groups(self) -> None:
        package, program = "diagnostic_aggregator", "aggregator_node"
        with tempfile.TemporaryDirectory() as prefix:
            index = Path(prefix, "share", "ament_index", "resource_index", "packages", package)
            stand_in = Path(prefix, "lib", package, program)
            for file in (index, stand_in, Path(prefix, "share", package, "package.xml")):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()
            stand_in.write_text('#!/bin/sh\necho "stand-in $*"\nexec sleep 60\n')
            stand_in.chmod(0o755)
            # The tunnel, which has no keys, ends the launch.
            missing = f"identity_dir:={prefix}/keys"
            for end, *arguments in (("drone", missing, "policy:=false"), ("gcs", missing)):
                with self.subTest(end):
                    packages = os.pathsep.join((prefix, os.environ["AMENT_PREFIX_PATH"]))
                    output = self.failed_launch(f"{end}.launch.py", *arguments, packages=packages)
                    (line,) = (line for line in output.splitlines() if "stand-in" in line)
                    self.assertIn("__node:=analyzers", line)
                    self.assertIn("config/diagnostics.yaml", line)

    def test_the_tunnel_flies_alone_where_the_packages_beside_it_are_missing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            packages = without_packages(Path(folder), "pqc_exposure", "pqc_policy", "ros2bag")
            # The tunnel, which has no keys, ends the launch.
            missing = f"identity_dir:={folder}/keys"
            for end, lines in (("drone", 1), ("gcs", 0)):
                output = self.failed_launch(f"{end}.launch.py", missing, packages=packages)
                self.assertIn("tunnel can't start with its parameters and keys", output)
                sentence = "No policy flies along: the package pqc_policy is not installed here."
                self.assertEqual(output.count(sentence), lines, output)
                for node in ("drone_nodes", "exposure_node"):
                    self.assertNotIn(node, output)
            for file, argument, sentence in (
                ("drone", "record:=true", "record:=true needs the package rosbag2, which is"),
                ("policy", "strategy:=static", "the policy needs the package pqc_policy, which"),
            ):
                output = self.failed_launch(f"{file}.launch.py", argument, packages=packages)
                self.assertIn(sentence, output)
                self.assertNotIn("Traceback", output)
                self.assertNotIn("_node", output)

    def test_every_diagnosis_belongs_to_a_group_of_the_aggregator(self, pair: TunnelPair) -> None:
        file = get_package_share_path("pqc_tunnel") / "config" / "diagnostics.yaml"
        parameters = yaml.safe_load(file.read_text())["analyzers"]["ros__parameters"]
        groups = [group for group in parameters.values() if isinstance(group, dict)]
        graph = GraphClient()
        self.addCleanup(graph.close)
        arrays = graph.listen(DiagnosticArray, "/diagnostics")
        nodes = {"tunnel", "policy", "advisor", "sensing"}
        nodes |= {"exposure"} if "pqc_exposure" in get_packages_with_prefixes() else set()

        def names() -> set[str]:
            return {status.name for array in arrays for status in array.status}

        graph.wait_for(
            lambda: {name.split(":")[0] for name in names()} >= nodes, "diagnostics of every node"
        )
        for name in names():
            members = [
                any(name.startswith(text) for text in group.get("startswith", []))
                or any(text in name for text in group.get("contains", []))
                for group in groups
            ]
            self.assertEqual(members.count(True), 1, name)

    def test_a_tunnel_that_can_not_start_ends_the_launch_with_its_sentence(self) -> None:
        for end, argument in (("drone", "suite:=cs-mlkem512-aesgcm-mldsa44"), ("gcs", "")):
            with self.subTest(end), tempfile.TemporaryDirectory() as folder:
                file = parameter_file(
                    Path(folder), f"{end}.yaml", {"min_level": 3 if argument else 2}
                )
                output = self.failed_launch(
                    f"{end}.launch.py",
                    f"params_file:={file}",
                    "identity_dri:=/keys",
                    *([argument, "policy:=false"] if argument else []),
                )
                self.assertEqual(output.count("no launch argument identity_dri, so it has"), 1)
                self.assertEqual(output.count("tunnel_node: Parameter"), 1, output)
                self.assertIn("the tunnel can't start with its parameters and keys", output)

    def test_the_policy_that_can_not_start_ends_the_launch_with_its_sentence(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "policy.yaml")
            file.write_text("policy:\n  ros__parameters:\n    stale_s: 3.0\n")
            output = self.failed_launch("policy.launch.py", f"policy_params_file:={file}")
        sentence = f"The parameter file {file} has no section for /pqc/sensing, only for"
        self.assertIn(sentence, output)
        self.assertIn("drone_nodes can't start with its parameters", output)

    def test_an_argument_that_nothing_reads_is_one_warning(self) -> None:
        launch = get_package_share_path("pqc_tunnel") / "launch"
        arguments = runpy.run_path(str(launch / "arguments.launch.py"))
        known = {
            end: {*arguments["declared"](launch / f"{end}.launch.py")}
            for end in ("drone", "gcs", "policy", "record", "aggregator")
        }
        for name in ("gcs_address", "sys_root", "record_dir", "aggregator"):
            self.assertIn(name, known["drone"])
        self.assertNotIn("suite", known["gcs"])
        self.assertEqual(known["record"], {"namespace", "record_dir"})
        given = ["params_fil", "suite", "launch-prefix", "namespace"]
        warning = "There is no launch argument {}, so it has no effect{}".format
        self.assertEqual(
            arguments["warnings"](given, known["gcs"]),
            [warning("params_fil", "; did you mean params_file?"), warning("suite", ".")],
        )
        for words, started in (
            (["launch", "pqc_tunnel", "gcs.launch.py", "a:=b"], "gcs.launch.py"),
            (["launch", f"{launch}/drone.launch.py"], "drone.launch.py"),
            (["launch", "my_drone", "drone.launch.py"], None),
        ):
            file = arguments["started_file"](words)
            self.assertEqual(file and file.name, started)

    @needs_recorder
    def test_a_folder_where_no_bag_can_be_written_is_one_sentence(self) -> None:
        reasons = {"/nowhere": "No such file or directory", "/dev/null": "Not a directory"}
        for folder, reason in reasons.items():
            output = self.failed_launch("record.launch.py", f"record_dir:={folder}")
            self.assertIn(f"record_dir: no bag can be written in '{folder}': {reason}.", output)
            self.assertNotIn("Traceback", output)

    def test_launch_files_and_shell_keep_the_graph_of_each_middleware_local(self) -> None:
        share = get_package_share_path("pqc_tunnel")
        spec = importlib.util.spec_from_file_location(
            "environment", share / "launch" / "environment.launch.py"
        )
        environment = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(environment)
        names = {
            *(environment.RANGE, "RMW_IMPLEMENTATION", "ROS_DISTRO"),
            *(*environment.FAST_DDS, *environment.CYCLONE_DDS, *environment.ZENOH),
        }
        chosen = {"": {}}  # by the variable's name
        chosen |= {name: {name: "/chosen"} for name in names - {"ROS_DISTRO", environment.RANGE}}
        for middleware, distribution, choice, discovery in itertools.product(
            ("", "rmw_fastrtps_cpp", "rmw_cyclonedds_cpp", "rmw_zenoh_cpp", "rmw_other"),
            ("jazzy", "kilted"),
            chosen.values(),
            ("", "LOCALHOST", "SUBNET"),
        ):
            given = {**choice, "ROS_DISTRO": distribution}
            given |= {"RMW_IMPLEMENTATION": middleware} if middleware else {}
            given |= {environment.RANGE: discovery} if discovery else {}
            with self.subTest(**given):
                config = str((share / "config").resolve())
                expected = {**given, **environment.local_graph(given, config)}
                shell = subprocess.run(
                    ["bash", "-c", f"source {config}/local_graph.bash; env -0"],
                    env={**given, "PATH": os.environ["PATH"]},
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
                set_there = dict(line.split("=", 1) for line in shell.split("\0") if line)
                self.assertEqual({n: set_there[n] for n in names if n in set_there}, expected)
                if discovery == "SUBNET":
                    self.assertEqual(expected, given)
                elif not choice and middleware != "rmw_other":
                    self.assertGreater(len(expected), len(given))

    def test_every_launch_argument_is_described(self) -> None:
        for end in ("drone", "gcs", "policy"):
            shown = subprocess.run(
                ["ros2", "launch", "pqc_tunnel", f"{end}.launch.py", "--show-args"],
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=True,
            ).stdout
            if end in ("drone", "gcs"):
                for argument in ("namespace", "params_file", "log_level", "use_sim_time", "record"):
                    self.assertIn(f"'{argument}':", shown)
            self.assertNotIn("no description given", shown)

    def test_what_the_ground_says_in_the_vehicles_name_changes_nothing_at_the_drone(
        self, pair: TunnelPair
    ) -> None:
        graph = GraphClient()
        self.addCleanup(graph.close)
        batteries = graph.listen(BatteryPrediction, "/pqc/battery", qos_profile_sensor_data)
        vehicles = graph.listen(VehicleState, "/pqc/vehicle", qos_profile_sensor_data)
        vehicle, ground = Application(pair.drone_plaintext), Application(pair.gcs_plaintext)
        self.addCleanup(vehicle.close)
        self.addCleanup(ground.close)

        def fly() -> None:
            ground.send(vehicle_traffic(armed=False, cell_mv=3000))
            vehicle.send(vehicle_traffic(armed=True, cell_mv=4000))

        timer = graph.node.create_timer(0.1, fly)
        self.addCleanup(graph.node.destroy_timer, timer)
        graph.wait_for(lambda: batteries and vehicles, "battery and state of the vehicle")
        arrived: list[bytes] = []

        def hears() -> bool:
            with contextlib.suppress(TimeoutError):
                arrived.append(vehicle.receive(timeout_s=0.01))
            return bool(arrived)

        graph.wait_for(hears, "what the ground says")
        self.assertEqual(arrived[0], vehicle_traffic(armed=False, cell_mv=3000))
        seen = len(batteries)
        graph.wait_for(lambda: len(batteries) > seen + 5, "batteries since the ground's arrived")
        self.assertEqual({state.armed for state in vehicles}, {True})
        self.assertGreater(min(battery.voltage_v for battery in batteries), 15.5)


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After SIGINT."""

    def test_launch_and_everything_it_started_stop_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)

    @needs_recorder
    def test_the_bag_is_complete(self, pair: TunnelPair) -> None:
        (metadata,) = pair.folder.glob("rosbag2_*/metadata.yaml")
        information = yaml.safe_load(metadata.read_text())["rosbag2_bagfile_information"]
        topics = {
            topic["topic_metadata"]["name"]: topic["message_count"]
            for topic in information["topics_with_message_count"]
        }
        self.assertGreater(topics.get("/pqc/status", 0), 0)
        self.assertIn("/pqc/decision", topics)
        self.assertGreater(topics.get("/pqc/policy_parameters", 0), 0)
        self.assertNotIn("/base/pqc/status", topics)
