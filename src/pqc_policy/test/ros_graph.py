# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Real nodes as processes in a ROS graph of their own, and a client that waits for them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import rclpy
from pqc_testing.ros_graph import reserve_domain
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import qos_profile_sensor_data

PACKAGE = Path(__file__).parents[1]
PATIENCE_S = 120.0  # longest time that a test waits for anything


@contextlib.contextmanager
def own_graph(logs: Path) -> Iterator[None]:
    """Run the block, and the processes it starts, in a ROS domain that no other test uses."""
    before = dict(os.environ)
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    os.environ["ROS_LOG_DIR"] = str(logs)
    domain, holder = reserve_domain()
    with holder:
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


class NodeProcess:
    """One program of this package, started from the source tree."""

    def __init__(self, name: str, log: Path, *arguments: str, **options: Any) -> None:
        """Start it; `options` are passed to Popen and override the log."""
        self._log = log
        program = f"from pqc_policy.nodes.entry_points import {name}; raise SystemExit({name}())"
        path = os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-c", program, "--ros-args", *arguments],
                env={**os.environ, "PYTHONPATH": path},
                **{"stdout": output, "stderr": subprocess.STDOUT} | options,
            )

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def output(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send the signal; return the exit code of the process."""
        self._process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait for the end of the process; return its exit code."""
        return self._process.wait(PATIENCE_S)

    def close(self) -> None:
        """Kill the process if it is still running."""
        if self.running:
            self._process.kill()
            self._process.wait()


class Listener:
    """A node for tests; every wait has a time limit and raises AssertionError after it."""

    def __init__(self, patience_s: float = PATIENCE_S, **names: str) -> None:
        """Create the node, with the keywords of rclpy.create_node."""
        self._patience_s = patience_s
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self.node = rclpy.create_node(**{"node_name": "test_client"} | names, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Destroy the node and shut its context down."""
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)

    def subscribe(
        self, message_type: Any, topic: str, qos: Any = qos_profile_sensor_data
    ) -> list[Any]:
        """Subscribe to a topic; return the list to which its messages are appended."""
        received: list[Any] = []
        self.node.create_subscription(message_type, topic, received.append, qos)
        return received

    def wait_for(
        self,
        condition: Callable[[], Any],
        what: str,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Any:
        """Spin until `condition()` is true and return its value; call `meanwhile` at 10 Hz."""
        deadline, next_s = time.monotonic() + self._patience_s, 0.0
        while not (result := condition()):
            now_s = time.monotonic()
            assert now_s < deadline, f"timed out waiting for {what}"
            if now_s >= next_s:
                next_s = now_s + 0.1
                meanwhile()
            self._executor.spin_once(timeout_sec=0.05)
        return result

    def call(self, service_type: Any, name: str, request: Any) -> Any:
        future = self.begin_call(service_type, name, request)
        self.wait_for(future.done, f"the response of {name}")
        return future.result()

    def begin_call(self, service_type: Any, name: str, request: Any) -> Any:
        """Send a request as soon as the service is available; return the future of its response."""
        client = self.node.create_client(service_type, name)
        self.wait_for(client.service_is_ready, f"the service {name}")
        return client.call_async(request)
