# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The reader of the node's log may hang or close: the node runs on, and ends on SIGTERM."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import pytest
import yaml
from launch import LaunchDescription

from pqc_msgs.msg import TunnelStatus
from pqc_msgs.srv import Rekey

sys.path.insert(0, str(Path(__file__).parent))

from applications import GREETING, Application, Stream, introduce
from graph_client import LATCHED, PATIENCE_S, GraphTestCase
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import TunnelPair, make_tunnel_pair, program, tunnel_node

isolate_graph()

MIB = 1 << 20


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start the ground's end; each test runs a drone's node of its own."""
    pair = make_tunnel_pair()
    ground = tunnel_node("gcs/pqc", pair.gcs)
    return (
        LaunchDescription([ground, launch_testing.actions.ReadyToTest()]),
        {"pair": pair},
    )


def fill(writer: int) -> None:
    """Write to a pipe until it is full."""
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, b"#" * 4096)
    os.set_blocking(writer, True)


class TestLogReader(GraphTestCase):
    """A node whose standard error is a pipe."""

    def command(self, pair: TunnelPair) -> list[str]:
        """Return the command line of the drone's node."""
        file = pair.folder / "drone.yaml"
        file.write_text(yaml.safe_dump({"/**/tunnel": {"ros__parameters": pair.drone}}))
        arguments = ["--ros-args", "-r", "__ns:=/pqc", "--params-file", str(file)]
        return [program("tunnel_node"), *arguments]

    @contextlib.contextmanager
    def drone(self, pair: TunnelPair, errors: int) -> Iterator[subprocess.Popen]:
        """Run the drone's node; it must end by itself when it gets SIGTERM."""
        process = subprocess.Popen(self.command(pair), stderr=errors)
        try:
            yield process
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE_S), 0)
        finally:
            process.kill()
            process.wait()

    def wait_established(self) -> None:
        """Wait for a status of the drone that fulfils the condition."""
        heard = self.graph.listen(TunnelStatus, "/pqc/status", LATCHED)
        self.graph.wait_for(
            lambda: heard and heard[-1].state == TunnelStatus.STATE_ESTABLISHED,
            "the drone to be established",
        )

    def rekey(self) -> None:
        """Rekey, which writes several lines to the log."""
        answer = self.graph.call(Rekey, "/pqc/rekey", Rekey.Request())
        self.assertTrue(answer.success, answer.message)

    def test_the_node_outlives_the_reader(self, pair: TunnelPair) -> None:
        reader, writer = os.pipe()
        with self.drone(pair, writer) as process:
            os.close(writer)
            self.wait_established()
            os.close(reader)
            self.rekey()
            self.assertIsNone(process.poll())

    def test_a_reader_that_hangs_delays_neither_traffic_nor_rekeys_nor_the_end(
        self, pair: TunnelPair
    ) -> None:
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        fill(writer)
        with self.drone(pair, writer):
            os.close(writer)
            self.wait_established()
            drone, ground = Application(pair.drone_plaintext), Application(pair.gcs_plaintext)
            self.addCleanup(drone.close)
            self.addCleanup(ground.close)
            ground.send(GREETING)
            introduce(drone, ground)
            stream = Stream(drone, ground)
            for _ in range(3):
                self.rekey()
            stream.stop()
            self.assertEqual(stream.received, stream.sent)

    def test_too_little_memory_is_refused_with_one_sentence(self, pair: TunnelPair) -> None:
        for size in (128, 160, 256, 384):
            limit = (size * MIB, size * MIB)
            ended = subprocess.run(
                self.command(pair),
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
                preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_AS, limit),
            )
            self.assertEqual(ended.returncode, 1, ended.stderr)
            self.assertEqual(
                ended.stderr,
                "tunnel_node: The tunnel needs 512 MiB of address space, but the limit of this "
                "process (ulimit -v or -d) leaves less.\n",
            )
