# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A drone and a ground station as ROS nodes: traffic, rekeys, services, topics, a clean end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from launch import LaunchDescription
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, ListParameters, SetParameters

from pqc_msgs.msg import LinkReport, SuiteList, TunnelEvent, TunnelStatus
from pqc_msgs.srv import ListSuites, Rekey, Wipe

sys.path.insert(0, str(Path(__file__).parent))

from applications import GREETING, Application, Stream, introduce
from graph_client import LATCHED, PATIENCE_S, GraphTestCase
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import (
    OTHER_SUITE,
    SUITE,
    TunnelPair,
    make_tunnel_pair,
    program,
)

isolate_graph()


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends."""
    pair = make_tunnel_pair()
    pair.gcs["control_name"] = "gcs"
    pair.drone["control_name"] = "drone"
    drone, gcs = pair.nodes(additional_env={"PQC_RUN_DIR": str(pair.folder / "run")})
    return (
        LaunchDescription([drone, gcs, launch_testing.actions.ReadyToTest()]),
        {"pair": pair},
    )


def tunnel_processes() -> list[Path]:
    """Return the folders under /proc of the nodes that this test has started."""
    folders = []
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text(encoding="utf-8").split():
            command = Path("/proc", pid, "cmdline").read_bytes().split(b"\0")[0]
            if command.endswith(b"tunnel_node"):
                folders.append(Path("/proc", pid))
    return folders


def pqc(pair: TunnelPair, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command on the control sockets of this test."""
    return subprocess.run(
        [program("pqc"), *words],
        env={**os.environ, "PQC_RUN_DIR": str(pair.folder / "run")},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


class TestTunnel(GraphTestCase):
    """While both ends run."""

    def applications(self, pair: TunnelPair) -> tuple[Application, Application]:
        """Return the programs on the drone and on the ground, introduced to each other."""
        drone, ground = Application(pair.drone_plaintext), Application(pair.gcs_plaintext)
        self.addCleanup(drone.close)
        self.addCleanup(ground.close)
        ground.send(GREETING)  # now the ground's tunnel knows where to deliver
        introduce(drone, ground)
        introduce(ground, drone)
        return drone, ground

    def established(self, topic: str) -> TunnelStatus:
        """Return the status of one end once it is established."""
        heard = self.graph.listen(TunnelStatus, topic, LATCHED)
        return self.graph.wait_for(
            lambda: next((s for s in heard if s.state == TunnelStatus.STATE_ESTABLISHED), None),
            f"{topic} to be established",
        )

    def test_a_hang_up_ends_neither(self, pair: TunnelPair) -> None:
        for topic in ("/pqc/status", "/gcs/pqc/status"):
            self.established(topic)
        nodes = tunnel_processes()
        for folder in nodes:
            os.kill(int(folder.name), signal.SIGHUP)
        self.assertEqual(pqc(pair, "show").returncode, 0)
        self.assertEqual(tunnel_processes(), nodes)

    def test_both_ends_report_the_same_session_and_that_it_is_encrypted(self) -> None:
        drone = self.established("/pqc/status")
        gcs = self.established("/gcs/pqc/status")
        self.assertTrue(drone.encrypted)
        self.assertTrue(gcs.encrypted)
        self.assertEqual(drone.session, gcs.session)
        self.assertEqual(len(drone.session), 16)
        self.assertEqual((drone.role, gcs.role), (TunnelStatus.ROLE_DRONE, TunnelStatus.ROLE_GCS))
        self.assertEqual(gcs.peer, "drone1")
        self.assertIn(drone.suite, (SUITE, OTHER_SUITE))
        self.assertIn(drone.level, (1, 3))
        self.assertEqual(drone.aead_key_bits, 256)

    def test_datagrams_of_every_size_pass_unchanged_in_both_directions(
        self, pair: TunnelPair
    ) -> None:
        drone, ground = self.applications(pair)
        sizes = [1, 2, 8, 63, 64, 65, 263, 280, 511, 1024, 1399, 1400]
        for size in sizes:
            datagram = bytes(random.choices(range(0xFD), k=size))  # never a frame of MAVLink
            drone.send(datagram)
            self.assertEqual(ground.receive(), datagram)
            ground.send(datagram)
            self.assertEqual(drone.receive(), datagram)

    def test_a_rekey_to_another_suite_by_service_call_loses_nothing(self, pair: TunnelPair) -> None:
        drone, ground = self.applications(pair)
        before = self.established("/pqc/status")
        down, up = Stream(drone, ground), Stream(ground, drone)
        target = OTHER_SUITE if before.suite != OTHER_SUITE else SUITE
        answer = self.graph.call(
            Rekey, "/pqc/rekey", Rekey.Request(suite=target, reason="because a test wants it")
        )
        down.stop()
        up.stop()
        self.assertTrue(answer.success, answer.message)
        self.assertEqual(answer.suite, target)
        self.assertEqual(answer.epoch, before.epoch + 1)
        self.assertGreater(answer.timing.total_s, 0.0)
        self.assertEqual(down.received, down.sent)
        self.assertEqual(up.received, up.sent)

        heard = self.graph.listen(TunnelStatus, "/gcs/pqc/status", LATCHED)
        ground_after = self.graph.wait_for(
            lambda: next((s for s in heard if s.epoch == answer.epoch), None),
            "the ground to send under the new keys",
        )
        self.assertEqual(ground_after.suite, target)
        self.assertEqual(ground_after.session, before.session)

    def test_a_rekey_without_a_suite_makes_fresh_keys_of_the_same(self) -> None:
        before = self.established("/pqc/status")
        events = self.graph.listen(TunnelEvent, "/pqc/events")

        def rekeyed() -> bool:
            answer = self.graph.call(Rekey, "/pqc/rekey", Rekey.Request())
            self.assertTrue(answer.success, answer.message)
            self.assertEqual(answer.suite, before.suite)
            return self.graph.comes(
                lambda: TunnelEvent.REKEY_COMMITTED in [event.kind for event in events]
            )

        # The node may not have discovered the subscriber yet.
        self.graph.wait_for(rekeyed, "the event of a rekey")

    def test_the_ground_can_ask_for_a_rekey_too(self) -> None:
        self.established("/gcs/pqc/status")
        answer = self.graph.call(Rekey, "/gcs/pqc/rekey", Rekey.Request(reason="from the ground"))
        self.assertTrue(answer.success, answer.message)

    def test_a_wipe_by_service_call_ends_the_session_and_a_new_one_follows(self) -> None:
        heard = {
            end: self.graph.listen(TunnelStatus, f"{end}/pqc/status", LATCHED)
            for end in ("", "/gcs")
        }
        for end in ("", "/gcs"):
            before = self.established(f"{end}/pqc/status").session
            answer = self.graph.call(Wipe, f"{end}/pqc/wipe", Wipe.Request())
            self.assertTrue(answer.success, answer.message)
            self.assertEqual(answer.message, "The keys are wiped.")
            again = self.graph.call(Wipe, f"{end}/pqc/wipe", Wipe.Request())
            self.assertFalse(again.success)
            self.assertIn("`pqc wipe` and SIGUSR2 do not wait", again.message)

            def agreed(former: str = before) -> bool:
                newest = [statuses[-1] for statuses in heard.values() if statuses]
                return (
                    len(newest) == 2
                    and newest[0].session == newest[1].session != former
                    and all(s.state == TunnelStatus.STATE_ESTABLISHED for s in newest)
                )

            self.graph.wait_for(agreed, f"a new session after the wipe of {end}/pqc")

    def test_time_stays_of_the_kind_that_it_was_at_the_start(self) -> None:
        for simulated in (True, False):
            value = ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=simulated)
            request = SetParameters.Request(
                parameters=[Parameter(name="use_sim_time", value=value)]
            )
            (result,) = self.graph.call(
                SetParameters, "/pqc/tunnel/set_parameters", request
            ).results
            self.assertEqual(result.successful, not simulated)
            self.assertEqual("can't change while the node runs" in result.reason, simulated)

    def test_the_command_shows_and_rekeys_both_ends_as_it_does_without_ros(
        self, pair: TunnelPair
    ) -> None:
        self.established("/pqc/status")
        self.established("/gcs/pqc/status")
        shown = pqc(pair, "show")
        self.assertEqual(shown.returncode, 0, shown.stdout + shown.stderr)
        for part in ("tunnel: drone", "tunnel: gcs", "(tunnel_node ", "established, encrypted"):
            self.assertIn(part, shown.stdout)
        for end in ("drone", "gcs"):
            rekeyed = pqc(pair, "rekey", end)
            self.assertEqual(rekeyed.returncode, 0, rekeyed.stderr)
            self.assertIn(f"The tunnel {end} has new keys: cs-", rekeyed.stdout)
        stopped = pqc(pair, "down", "drone")
        self.assertEqual(stopped.returncode, 1)
        self.assertIn("This tunnel is a ROS node: end its launch instead.", stopped.stderr)

    def test_a_rekey_to_an_unknown_suite_is_refused_with_the_nearest_ones(self) -> None:
        before = self.established("/pqc/status")
        answer = self.graph.call(
            Rekey, "/pqc/rekey", Rekey.Request(suite="cs-mlkem768-aesgcm-mldsa66")
        )
        self.assertFalse(answer.success)
        self.assertIn("cs-mlkem768-aesgcm-mldsa66", answer.message)
        self.assertIn("cs-mlkem768-aesgcm-mldsa65", answer.message)
        self.assertEqual(answer.suite, before.suite)

    def test_a_rekey_to_a_suite_that_is_not_allowed_is_refused(self) -> None:
        self.established("/pqc/status")
        answer = self.graph.call(
            Rekey, "/pqc/rekey", Rekey.Request(suite="cs-hqc128-aesgcm-falcon512")
        )
        self.assertFalse(answer.success)
        self.assertNotEqual(answer.message, "")

    def test_every_suite_is_listed_and_can_be_used_or_says_why_not(self) -> None:
        suites = self.graph.call(ListSuites, "/pqc/list_suites", ListSuites.Request()).suites
        self.assertEqual(len({suite.id for suite in suites}), len(suites))
        self.assertEqual(len([suite for suite in suites if suite.set == "paper"]), 72)
        for suite in suites:
            self.assertEqual(suite.reason == "", suite.available and suite.allowed, suite.id)
            self.assertEqual(suite.aead_key_bits, 128 if "Ascon" in suite.aead else 256)
            self.assertIn(suite.level, (1, 3, 5))

    def test_whoever_comes_late_still_gets_the_list_of_suites(self) -> None:
        suites = self.graph.call(ListSuites, "/pqc/list_suites", ListSuites.Request()).suites
        heard = self.graph.listen(SuiteList, "/pqc/suites", LATCHED)
        latched = self.graph.wait_for(lambda: heard[-1] if heard else None, "the list of suites")
        self.assertEqual(latched.suites, suites)

    def test_the_link_is_reported_as_both_ends_see_it(self) -> None:
        reports = self.graph.listen(LinkReport, "/pqc/link")
        report = self.graph.wait_for(
            lambda: next((r for r in reports if r.remote_valid), None), "the ground's own view"
        )
        self.assertGreater(report.local.window_s, 0.0)
        self.assertEqual(report.local.loss, 0.0)
        self.assertEqual(report.remote.loss, 0.0)

    def test_diagnostics_say_that_all_is_well(self) -> None:
        self.established("/pqc/status")
        heard = self.graph.listen(DiagnosticArray, "/diagnostics")
        ok = b"\x00"
        status = self.graph.wait_for(
            lambda: next(
                (
                    status
                    for message in heard
                    for status in message.status
                    if status.hardware_id == "/pqc/tunnel"
                    and status.name.endswith("encryption")
                    and status.level == ok
                ),
                None,
            ),
            "diagnostics of the drone's end",
        )
        self.assertIn("Encrypted with cs-", status.message)
        self.assertIn("yes", [value.value for value in status.values if value.key == "encrypted"])

    def test_no_core_file_would_hold_keys_and_they_lie_in_locked_memory(self) -> None:
        nodes = tunnel_processes()
        self.assertEqual(len(nodes), 2)
        for node in nodes:
            limits = (node / "limits").read_text(encoding="utf-8")
            self.assertRegex(limits, r"Max core file size +0 +0 ")
            status = (node / "status").read_text(encoding="utf-8")
            self.assertGreaterEqual(int(status.split("VmLck:")[1].split()[0]), 4096)

    def test_parameters_are_described_and_cannot_be_changed_in_flight(self) -> None:
        names = self.graph.call(
            ListParameters, "/pqc/tunnel/list_parameters", ListParameters.Request()
        ).result.names
        for name in ("identity_dir", "gcs_address", "plaintext_port", "rekey.max_age_s", "suite"):
            self.assertIn(name, names)
        descriptors = self.graph.call(
            DescribeParameters,
            "/pqc/tunnel/describe_parameters",
            DescribeParameters.Request(names=["identity_dir", "datagram_port"]),
        ).descriptors
        for descriptor in descriptors:
            self.assertTrue(descriptor.read_only)
            self.assertNotEqual(descriptor.description, "")
        self.assertEqual(descriptors[1].integer_range[0].to_value, 65535)
        elsewhere = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value="192.0.2.1")
        results = self.graph.call(
            SetParameters,
            "/pqc/tunnel/set_parameters",
            SetParameters.Request(parameters=[Parameter(name="gcs_address", value=elsewhere)]),
        ).results
        self.assertFalse(results[0].successful)


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After SIGINT."""

    def test_both_ends_stop_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
