# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The SROS 2 policy files have a rule for everything that the nodes of the launch files do."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from ament_index_python.packages import get_package_share_path, get_packages_with_prefixes
from launch import LaunchDescription
from rcl_interfaces.srv import ListParameters
from rclpy.node import NodeNameNonExistentError

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from graph_client import GraphTestCase
from pqc_testing.ports import free_ports
from pqc_testing.ros_graph import isolate_graph
from security_policy import COMMAND, SecurityPolicy, Use, complaints, uses_of
from tunnel_pair import make_tunnel_pair
from user_files import launch_end, parameter_file

SOURCES = "config/sros2"
INSTALLED = get_package_share_path("pqc_tunnel") / SOURCES
NAMESPACES = {"drone": "/pqc", "gcs": "/gcs/pqc"}
# Fast DDS 3.2 authenticates with permissions of 6,080 bytes and not with 6,410.
FAST_DDS_PERMISSIONS_BYTES = 6000

isolate_graph()


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends as a user would."""
    pair = make_tunnel_pair()
    (mirror_port,) = free_ports(1)
    pair.drone["mirror_port"] = mirror_port
    return (
        LaunchDescription(
            [
                launch_end(
                    "drone",
                    f"params_file:={parameter_file(pair.folder, 'drone.yaml', pair.drone)}",
                    f"mirror_port:={mirror_port}",
                    "processes:=each",  # as in a secured graph
                ),
                launch_end(
                    "gcs", f"params_file:={parameter_file(pair.folder, 'gcs.yaml', pair.gcs)}"
                ),
                launch_testing.actions.ReadyToTest(),
            ]
        ),
        {"pair": pair},
    )


class TestSecurityPolicy(GraphTestCase):
    """The live graph compared with the files."""

    def policy(self, end: str) -> SecurityPolicy:
        """Return the policy of one end, of the packages that are installed here."""
        policy = SecurityPolicy.of_file(INSTALLED / f"{end}.policy.xml")
        if "pqc_exposure" not in get_packages_with_prefixes():
            policy.rules -= policy.enclaves.pop("/exposure")
        return policy

    def nodes(self, end: str) -> set[str]:
        """Return the live nodes of one end."""
        return {
            f"{namespace}/{name}"
            for name, namespace in self.graph.node.get_node_names_and_namespaces()
            if namespace == NAMESPACES[end]
        }

    def uses(self, end: str) -> set[Use]:
        """Return the uses of the nodes of one end in the live graph."""
        try:
            return set().union(*(uses_of(node, self.graph.node) for node in self.nodes(end)))
        except NodeNameNonExistentError:
            return set()  # discovered by name only so far

    def uses_of_complete_graph(self, end: str) -> set[Use]:
        """Return the uses of the nodes of one end once each is complete."""
        policy = self.policy(end)
        for node in policy.nodes(NAMESPACES[end]):
            self.graph.call(ListParameters, f"{node}/list_parameters", ListParameters.Request())
            for use in sorted(policy.always_used(node)):
                self.graph.wait_for(
                    lambda use=use: use in self.uses(end),
                    f"{use}; remove the rule from {SOURCES}/{end}.policy.xml if it is gone",
                )
        return self.uses(end)

    def test_everything_that_a_node_does_has_a_rule_and_every_rule_a_use(self) -> None:
        for end in NAMESPACES:
            uses = self.uses_of_complete_graph(end)
            file = f"{SOURCES}/{end}.policy.xml"
            self.assertEqual([], complaints(uses, self.policy(end), file))

    def test_a_topic_without_a_rule_is_reported_with_the_command_that_finds_rules(self) -> None:
        text = (INSTALLED / "drone.policy.xml").read_text()
        rule = "<topic>decision</topic>"
        self.assertEqual(text.count(rule), 3)  # published by the policy, read by two nodes
        older = SecurityPolicy(text.replace(rule, ""))
        self.assertEqual(
            complaints(self.uses_of_complete_graph("drone"), older, "old.policy.xml"),
            [
                f"{use}, for which old.policy.xml has no rule. {COMMAND}"
                for use in (
                    "/pqc/messenger subscribes to /pqc/decision",
                    "/pqc/policy publishes /pqc/decision",
                    "/pqc/tunnel subscribes to /pqc/decision",
                )
            ],
        )

    def test_the_permissions_fit_into_the_handshake_of_fast_dds(self) -> None:
        for end in NAMESPACES:
            policy = self.policy(end)
            for enclave in policy.enclaves:
                size = policy.permissions_bytes(enclave)
                self.assertLess(size, FAST_DDS_PERMISSIONS_BYTES, (end, enclave))

    def test_each_node_runs_in_an_enclave_of_its_own_with_its_rules_alone(self) -> None:
        for end, namespace in NAMESPACES.items():
            policy = self.policy(end)
            for node in policy.nodes(namespace):
                owners = {rule.node for rule in policy.enclaves[policy.enclave_of(node)]}
                self.assertEqual(owners, {node})
            wanted = {node: policy.enclave_of(node) for node in policy.nodes(namespace)}
            self.graph.wait_for(
                lambda end=end, wanted=wanted: self.enclaves(end) == wanted, f"{wanted}"
            )

    def enclaves(self, end: str) -> dict[str, str]:
        """Return the enclaves of the live nodes of one end."""
        return {
            f"{namespace}/{name}": enclave
            for name, namespace, enclave in (
                self.graph.node.get_node_names_and_namespaces_with_enclaves()
            )
            if namespace == NAMESPACES[end]
        }

    def test_only_the_operator_may_wipe_and_beside_it_only_the_policy_may_rekey(self) -> None:
        drone, ground = self.policy("drone"), self.policy("gcs")
        self.assertEqual(drone.callers("/pqc/wipe"), {"/operator"})
        self.assertEqual(drone.callers("/pqc/rekey"), {"/operator", "/policy"})
        self.assertEqual(ground.callers("/gcs/pqc/wipe"), {"/operator"})
        self.assertEqual(ground.callers("/gcs/pqc/rekey"), {"/operator"})


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After SIGINT."""

    def test_launch_and_everything_it_started_stop_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
