# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A node that cannot run prints the reason in one sentence and exits with a non-zero code."""

from __future__ import annotations

import socket
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import pytest
import yaml
from launch import LaunchDescription
from launch_testing.util import KeepAliveProc

sys.path.insert(0, str(Path(__file__).parent))

from graph_client import PATIENCE_S
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import TunnelPair, make_tunnel_pair, program

isolate_graph()


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start nothing: each test runs a node of its own to its end."""
    pair = make_tunnel_pair()
    return (
        LaunchDescription([KeepAliveProc(), launch_testing.actions.ReadyToTest()]),
        {"pair": pair},
    )


# A restart may help after the first, and does not after the second.
CANNOT_RUN_NOW = 1
MISCONFIGURED = 2


class TestRefusals(unittest.TestCase):
    """Errors that a user sees."""

    def run_with(self, parameters_file: Path, code: int = MISCONFIGURED) -> str:
        """Run a node that cannot start; return its one line on stderr, without rcl's log."""
        ended = subprocess.run(
            [program("tunnel_node"), "--ros-args", "--params-file", str(parameters_file)],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        self.assertEqual(ended.returncode, code, ended.stderr)
        lines = [line for line in ended.stderr.splitlines() if "[rcl]" not in line]
        self.assertEqual(len(lines), 1, ended.stderr)
        self.assertTrue(lines[0].startswith("tunnel_node: "), lines[0])
        return lines[0]

    def refusal(
        self, parameters: dict[str, Any], pair: TunnelPair, code: int = MISCONFIGURED
    ) -> str:
        """Return the error of a node with these parameters."""
        file = pair.folder / "refused.yaml"
        file.write_text(yaml.safe_dump({"/**/tunnel": {"ros__parameters": parameters}}))
        return self.run_with(file, code)

    def test_without_a_role(self, pair: TunnelPair) -> None:
        parameters = {name: value for name, value in pair.drone.items() if name != "role"}
        self.assertIn("role", self.refusal(parameters, pair))

    def test_a_port_out_of_range(self, pair: TunnelPair) -> None:
        line = self.refusal(pair.drone | {"datagram_port": 70000}, pair)
        self.assertIn("datagram_port", line)
        self.assertIn("65535", line)

    def test_a_value_of_the_wrong_type(self, pair: TunnelPair) -> None:
        self.assertIn("min_level", self.refusal(pair.drone | {"min_level": "high"}, pair))

    def test_a_misspelt_parameter_is_refused_with_the_nearest_name(self, pair: TunnelPair) -> None:
        line = self.refusal(pair.drone | {"gcs_adress": "192.0.2.1"}, pair)
        self.assertIn("gcs_adress", line)
        self.assertIn("gcs_address", line)

    def test_an_unknown_suite(self, pair: TunnelPair) -> None:
        line = self.refusal(pair.drone | {"suite": "cs-mlkem768-aesgcm-mldsa66"}, pair)
        self.assertIn("cs-mlkem768-aesgcm-mldsa65", line)

    def test_an_identity_that_is_not_there(self, pair: TunnelPair) -> None:
        nowhere = str(pair.folder / "nowhere")
        self.assertIn(nowhere, self.refusal(pair.drone | {"identity_dir": nowhere}, pair))

    def test_keys_that_others_can_read(self, pair: TunnelPair) -> None:
        secrets = [
            path
            for path in Path(pair.drone["identity_dir"]).rglob("*")
            if path.is_file() and path.stat().st_mode & 0o777 == 0o600
        ]
        self.assertNotEqual(secrets, [])
        for secret in secrets:
            secret.chmod(0o644)
            self.assertIn(secret.name, self.refusal(pair.drone, pair))
            secret.chmod(0o600)

    def test_a_port_in_use(self, pair: TunnelPair) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind((pair.drone["bind_address"], pair.drone["datagram_port"]))
            line = self.refusal(pair.drone, pair, CANNOT_RUN_NOW)
        self.assertIn(str(pair.drone["datagram_port"]), line)

    def test_a_parameter_file_that_is_not_yaml(self, pair: TunnelPair) -> None:
        file = pair.folder / "broken.yaml"
        file.write_text("tunnel: [unclosed\n")
        self.assertIn("broken.yaml", self.run_with(file))

    def test_a_parameter_file_of_which_nothing_applies(self, pair: TunnelPair) -> None:
        file = pair.folder / "elsewhere.yaml"
        file.write_text(yaml.safe_dump({"/uav/tunnel": {"ros__parameters": pair.drone}}))
        sentence = "has no section for /tunnel, only for /uav/tunnel; name one /**/tunnel."
        self.assertIn(f"{file} {sentence}", self.run_with(file))

    def test_a_parameter_file_that_is_not_there(self, pair: TunnelPair) -> None:
        self.assertIn("nowhere.yaml", self.run_with(pair.folder / "nowhere.yaml"))
