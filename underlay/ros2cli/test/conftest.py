# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A separate graph with one node for the tests, and fixtures that run ros2 in this process."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest
from ros2cli import graph as discovery
from ros2cli.cli import main
from ros2cli.command import param

PATIENCE_S = 60.0

PARTNER = """
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult, IntegerRange
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from std_msgs.msg import String
from std_srvs.srv import SetBool

rclpy.init()
node = rclpy.create_node("partner", namespace="pqc")
node.declare_parameter("suite", "fast", ParameterDescriptor(description="Which one to use."))
node.declare_parameter(
    "level", 3,
    ParameterDescriptor(integer_range=[IntegerRange(from_value=1, to_value=5, step=1)]))
node.declare_parameter("link.ports", [1, 2])
node.declare_parameter("fixed", 1.5, ParameterDescriptor(read_only=True))

latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
node.create_publisher(String, "status", latched).publish(String(data="ready"))

def flip(request, response):
    response.success = request.data
    response.message = "flipped" if request.data else "left alone"
    return response

node.create_service(SetBool, "flip", flip)
chatter = node.create_publisher(String, "chatter", qos_profile_sensor_data)
array = node.create_publisher(DiagnosticArray, "array", 10)
count = 0

def tick():
    global count
    count += 1
    chatter.publish(String(data=f"hello {count}"))
    status = DiagnosticStatus(name="one", values=[KeyValue(key="k", value="v")])
    array.publish(DiagnosticArray(status=[status]))

node.create_timer(0.02, tick)
print("ready", flush=True)
try:
    rclpy.spin(node)
except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
    pass
"""


def take_domain() -> tuple[int, socket.socket]:
    """Reserve a ROS domain that no other tests use, until the socket is closed."""
    for domain in random.sample(range(1, 101), 100):
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            lock.bind(f"\0ros_test_domain_{domain}")
        except OSError:
            lock.close()
        else:
            return domain, lock
    raise RuntimeError("every ROS domain is taken")


@pytest.fixture(scope="session", autouse=True)
def graph() -> Iterator[None]:
    domain, lock = take_domain()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    os.environ["ROS_DOMAIN_ID"] = str(domain)
    with lock:
        yield


@pytest.fixture(scope="session", autouse=True)
def patience() -> Iterator[None]:
    """Makes the commands wait long enough for a busy machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discovery, "_LONGEST_DISCOVERY_S", PATIENCE_S)
        patch.setattr(param, "_SERVICE_TIMEOUT_S", PATIENCE_S)
        yield


@pytest.fixture(scope="session")
def partner(graph) -> Iterator[str]:
    """Runs a node with topics, a service and parameters; gives its name."""
    process = subprocess.Popen([sys.executable, "-c", PARTNER], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "ready"
    yield "/pqc/partner"
    process.terminate()
    process.wait(PATIENCE_S)
    process.stdout.close()


@pytest.fixture
def ros2(capfd) -> Callable[..., str]:
    """Runs a command line that must succeed; gives its output."""

    def run(*arguments: str) -> str:
        assert main(list(arguments)) in (None, 0)
        return capfd.readouterr().out

    return run


@pytest.fixture
def ros2_until(ros2) -> Callable[..., str]:
    """Runs a command line again until its output holds a text; gives the output."""

    def run(text: str, *arguments: str) -> str:
        end = time.monotonic() + PATIENCE_S
        while True:
            output = ros2(*arguments)
            if text in output:
                return output
            assert time.monotonic() < end, f"'{text}' is not in:\n{output}"

    return run
