# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A drone and a ground station are closed to the radio's network.

Both are started as the README says, on machines of their own (network namespaces), with a stand-in
for MAVROS that binds as MAVROS does. The configuration of version 0.1 shows that the tries succeed
where something is open.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from ament_index_python.packages import get_packages_with_prefixes
from launch import LaunchDescription
from launch.actions import ExecuteProcess

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from graph_client import PATIENCE_S
from mavros_package import install_stand_in
from network_namespaces import INTERFACE, Namespace, why_not
from radio_network import RadioNetwork, radio_network
from stranger import (
    USUAL_PORTS,
    Eavesdropper,
    command,
    is_readable,
    open_ports,
    try_ros,
    try_tcp,
    try_udp,
)
from tunnel_pair import make_identities, program
from user_files import open_graph, parameter_file

WHY_NOT = why_not("ss")
SHIPPED = "as shipped"
VERSION_0_1 = "version 0.1"
GROUND_PROGRAM = ("127.0.0.1", 14550)
LEGITIMATE, FORGED = 7, 666  # markers of commands
ENDS_OF_VERSION_0_1 = ("mavros:=true", "gcs_url:=udp://@127.0.0.1:14590")


class Site:
    """The folder with keys, parameter files and a package of the name mavros."""

    def __init__(self, folder: Path, radio: RadioNetwork) -> None:
        self.folder = folder
        self.radio = radio
        self.obeyed = folder / "obeyed.txt"
        make_identities(folder, ("drone1",))
        self.mavros = install_stand_in(folder)

    def start(self, machine: Namespace, end: str, how: str, *arguments: str) -> ExecuteProcess:
        """Return `ros2 launch` of one end on a machine."""
        environment = {
            "AMENT_PREFIX_PATH": f"{self.mavros}:{os.environ['AMENT_PREFIX_PATH']}",
            "OBEYED_COMMANDS": str(self.obeyed),
            "ROS_DOMAIN_ID": "0",
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
            "FASTDDS_DEFAULT_PROFILES_FILE": "",
            "FASTRTPS_DEFAULT_PROFILES_FILE": "",
        }
        if how == VERSION_0_1:
            environment |= open_graph(self.folder)
        return ExecuteProcess(
            cmd=machine.command("ros2", "launch", "pqc_tunnel", f"{end}.launch.py", *arguments),
            additional_env=environment,
            name=end,
            output="screen",
            sigterm_timeout="60",
            sigkill_timeout="20",
        )


class GroundProgram:
    """Listens on UDP 14550 of the ground station's machine, and sends a command a second."""

    def __init__(self, ground: Namespace) -> None:
        self._socket = ground.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(GROUND_PROGRAM)
        self._socket.settimeout(1.0)
        self._stopping = threading.Event()
        self.frames = 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop and close the socket."""
        self._stopping.set()
        self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        next_s = 0.0
        while not self._stopping.is_set():
            with contextlib.suppress(TimeoutError):
                datagram, sender = self._socket.recvfrom(65536)
                self.frames += is_readable(datagram)
                if time.monotonic() >= next_s:
                    next_s = time.monotonic() + 1.0
                    self._socket.sendto(command(LEGITIMATE), sender)


@pytest.mark.launch_test
@launch_testing.parametrize("how", [SHIPPED, VERSION_0_1])
def generate_test_description(how: str) -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends on machines of their own."""
    if WHY_NOT:
        nothing = ExecuteProcess(cmd=["sleep", "infinity"])
        return LaunchDescription([nothing, launch_testing.actions.ReadyToTest()]), {"site": None}
    stack = contextlib.ExitStack()
    radio = stack.enter_context(radio_network())
    site = Site(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pqc_closed_"))), radio)
    drone = parameter_file(
        site.folder,
        "drone.yaml",
        {"identity_dir": str(site.folder / "drone1"), "gcs_address": radio.ground.ipv4},
    )
    ground = parameter_file(site.folder, "gcs.yaml", {"identity_dir": str(site.folder / "gcs")})
    mavros = ENDS_OF_VERSION_0_1 if how == VERSION_0_1 else ("mavros:=true",)
    return (
        LaunchDescription(
            [
                site.start(radio.ground, "gcs", how, f"params_file:={ground}"),
                site.start(radio.drone, "drone", how, f"params_file:={drone}", *mavros),
                launch_testing.actions.ReadyToTest(),
            ]
        ),
        {"site": site, "stack": stack},
    )


@unittest.skipIf(WHY_NOT, WHY_NOT)
class TestClosed(unittest.TestCase):
    """A stranger's findings while both ends run."""

    def setUp(self) -> None:
        self.findings: list[str] = []

    def test_a_stranger_on_the_network_finds_nothing(self, site: Site, how: str) -> None:
        radio = site.radio
        program = GroundProgram(radio.ground)
        self.addCleanup(program.stop)
        self.wait_for(lambda: program.frames > 50, "the vehicle's MAVLink on the ground")
        self.wait_for(lambda: str(LEGITIMATE) in self.obeyed(site), "an obeyed command")

        radio.stranger.run("ip", "link", "set", INTERFACE, "promisc", "on")
        ear = Eavesdropper(radio.stranger)
        self.addCleanup(ear.stop)
        for machine in (radio.drone, radio.ground):
            for address in (machine.ipv4, machine.ipv6):
                udp = open_ports(machine, "udp") | set(USUAL_PORTS)
                for port in try_udp(radio.stranger, address, udp, FORGED):
                    self.findings.append(f"MAVLink or RTPS from UDP {port} of the {machine.name}")
                tcp = open_ports(machine, "tcp") | set(USUAL_PORTS)
                for port in try_tcp(radio.stranger, address, tcp, FORGED):
                    self.findings.append(f"MAVLink or RTPS from TCP {port} of the {machine.name}")
        if str(FORGED) in self.obeyed(site):
            self.findings.append("a command was obeyed")
        graph = try_ros(
            radio.stranger,
            [radio.drone.ipv4, radio.ground.ipv4],
            PATIENCE_S if how == VERSION_0_1 else 8.0,
        )
        if graph["nodes"]:
            self.findings.append("ROS nodes were seen")
        if graph["heard"]:
            self.findings.append("ROS topics were heard")
        if graph["rekey"] is not None:
            self.findings.append("/pqc/rekey answered")
        frames = program.frames
        self.assertGreater(ear.heard, 0, "the stranger hears the radio")
        for sender in ear.readable_from:
            self.findings.append(f"something readable was on the air, from {sender}")

        if how == SHIPPED:
            self.assertEqual(self.findings, [])
            self.wait_for(lambda: program.frames > frames + 50, "MAVLink to go on as before")
            self.assertEqual(self.exposure(radio.drone), set())
        else:
            for expected in (
                "MAVLink or RTPS from UDP 14555 of the drone",
                "a command was obeyed",
                "ROS nodes were seen",
                "ROS topics were heard",
                "/pqc/rekey answered",
                f"something readable was on the air, from {radio.drone.ipv4}",
            ):
                self.assertIn(expected, self.findings)
            exposed = self.exposure(radio.drone)
            self.assertLessEqual({"mavros_node", "tunnel_node", "drone_nodes"}, exposed)

    def wait_for(self, condition: Any, what: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"waited in vain for {what}")
            time.sleep(0.05)

    def exposure(self, machine: Namespace) -> set[str]:
        """Return the programs that the exposure check of a machine finds exposed."""
        if "pqc_exposure" not in get_packages_with_prefixes():
            self.skipTest("pqc_exposure, which is built after this package, is not installed here")
        check = machine.start(program("pqc"), "exposure", "--json", stdout=-1, text=True)
        report = json.loads(check.communicate(timeout=PATIENCE_S)[0])
        self.assertEqual(check.returncode == 1, report["verdict"] == "exposed")
        return {
            finding["process"] for finding in report["findings"] if finding["severity"] == "exposed"
        }

    def obeyed(self, site: Site) -> set[str]:
        return set(site.obeyed.read_text().split()) if site.obeyed.exists() else set()


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After the shutdown."""

    def test_everything_ends_and_the_machines_are_gone(
        self, site: Site, stack: contextlib.ExitStack, proc_info: Any
    ) -> None:
        if site is None:
            self.skipTest(WHY_NOT)
        stack.close()
        launch_testing.asserts.assertExitCodes(proc_info)
