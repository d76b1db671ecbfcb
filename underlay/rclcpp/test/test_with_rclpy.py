# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A C++ node on this rclcpp and a Python node on the real rclpy understand each other."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PATIENCE_S = 60.0


def take_a_domain() -> socket.socket:
    """Take a ROS domain that no other test on this machine uses, while the socket is open."""
    holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    for domain in range(100, 0, -1):
        try:
            holder.bind(f"\0ros_test_domain_{domain}")
        except OSError:
            continue
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        return holder
    raise RuntimeError("no free ROS domain")


DOMAIN = take_a_domain()

import rclpy  # noqa: E402
from rcl_interfaces.msg import Log, Parameter, ParameterEvent, ParameterType, ParameterValue  # noqa: E402
from rcl_interfaces.srv import (  # noqa: E402
    DescribeParameters,
    GetParameters,
    GetParameterTypes,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.node import Node  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data  # noqa: E402
from std_msgs.msg import String  # noqa: E402
from std_srvs.srv import SetBool  # noqa: E402


@pytest.fixture
def node() -> Iterator[Node]:
    with rclpy.init():
        node = rclpy.create_node("tester")
        yield node
        node.destroy_node()


def start(*arguments: str, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen([os.environ["PEER_NODE"], *arguments], text=True, **options)


@pytest.fixture
def peer() -> Iterator[subprocess.Popen[str]]:
    process = start("--ros-args", "-p", "volume:=2.0")
    yield process
    process.kill()
    process.wait()


def until(node: Node, done: Callable[[], bool]) -> bool:
    """Serve the node until it is so, and say whether it came to be so."""
    end = time.monotonic() + PATIENCE_S
    while not done() and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.1)
    return done()


def call(node: Node, service: type, name: str, **fields: object) -> object:
    client = node.create_client(service, name)
    assert client.wait_for_service(timeout_sec=PATIENCE_S)
    future = client.call_async(service.Request(**fields))
    rclpy.spin_until_future_complete(node, future, timeout_sec=PATIENCE_S)
    return future.result()


def number(name: str, value: float) -> Parameter:
    return Parameter(
        name=name,
        value=ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value),
    )


def test_messages_go_both_ways(node: Node, peer: object) -> None:
    heard: list[str] = []
    node.create_subscription(String, "echo", lambda message: heard.append(message.data), 10)
    publisher = node.create_publisher(String, "say", qos_profile_sensor_data)

    def echoed() -> bool:
        publisher.publish(String(data="hello"))
        return "hello" in heard

    assert until(node, echoed)


def test_a_latched_message_reaches_who_comes_late(node: Node, peer: object) -> None:
    assert until(node, lambda: node.count_publishers("/latched") == 1)
    heard: list[str] = []
    qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_subscription(String, "latched", lambda message: heard.append(message.data), qos)
    assert until(node, lambda: bool(heard))
    assert heard == ["2.000000"]


def test_a_service_can_answer_later(node: Node, peer: object) -> None:
    client = node.create_client(SetBool, "later")
    assert client.wait_for_service(timeout_sec=PATIENCE_S)
    release = node.create_publisher(String, "release", 10)
    assert until(node, lambda: release.get_subscription_count() == 1)
    future = client.call_async(SetBool.Request(data=True))
    call(node, ListParameters, "/peer/list_parameters")
    assert not future.done()
    release.publish(String(data="now"))
    assert until(node, future.done)
    assert future.result() == SetBool.Response(success=True, message="now")


def test_parameters_can_be_read_and_set_within_their_rules(node: Node, peer: object) -> None:
    names = call(node, ListParameters, "/peer/list_parameters").result.names
    assert {"use_sim_time", "volume"} <= set(names)
    types = call(node, GetParameterTypes, "/peer/get_parameter_types", names=["volume"]).types
    assert list(types) == [ParameterType.PARAMETER_DOUBLE]
    (described,) = call(
        node, DescribeParameters, "/peer/describe_parameters", names=["volume"]
    ).descriptors
    assert described.description == "how loud"
    assert described.floating_point_range[0].to_value == 10.0

    wanted = [number("volume", 11.0), number("absent", 1.0), number("volume", 3.0)]
    results = call(node, SetParameters, "/peer/set_parameters", parameters=wanted).results
    assert [result.successful for result in results] == [False, False, True]
    assert "range" in results[0].reason
    assert "not declared" in results[1].reason
    refused = call(
        node,
        SetParametersAtomically,
        "/peer/set_parameters_atomically",
        parameters=[number("volume", 4.0), number("absent", 1.0)],
    )
    assert not refused.result.successful
    (value,) = call(node, GetParameters, "/peer/get_parameters", names=["volume"]).values
    assert value.double_value == 3.0


def test_changes_of_parameters_are_events(node: Node, peer: object) -> None:
    changed: list[float] = []

    def on_event(event: ParameterEvent) -> None:
        if event.node == "/peer":
            changed.extend(change.value.double_value for change in event.changed_parameters)

    node.create_subscription(ParameterEvent, "/parameter_events", on_event, 10)
    assert until(node, lambda: node.count_publishers("/parameter_events") == 2)

    def seen() -> bool:
        call(node, SetParameters, "/peer/set_parameters", parameters=[number("volume", 5.0)])
        return 5.0 in changed

    assert until(node, seen)


def test_what_is_logged_appears_on_rosout(node: Node, peer: object) -> None:
    logged: list[tuple[str, str]] = []
    node.create_subscription(Log, "/rosout", lambda log: logged.append((log.name, log.msg)), 10)
    publisher = node.create_publisher(String, "say", qos_profile_sensor_data)

    def seen() -> bool:
        publisher.publish(String(data="hello"))
        return ("peer", "heard hello") in logged

    assert until(node, seen)


def test_a_parameter_file_names_nodes_by_pattern(node: Node, tmp_path: Path) -> None:
    file = tmp_path / "parameters.yaml"
    patterns = {"/**": 1.0, "/*/peer": 9.0, "/some/*/peer": 7.0, "/some/*": 9.0}
    file.write_text(
        "".join(
            f"{pattern}:\n  ros__parameters:\n    volume: {volume}\n"
            for pattern, volume in patterns.items()
        )
    )
    process = start("--ros-args", "--params-file", str(file), "-r", "__ns:=/some/where")
    try:
        (value,) = call(
            node, GetParameters, "/some/where/peer/get_parameters", names=["volume"]
        ).values
        assert value.double_value == 7.0
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number_of_signal", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_node_in_good_order(node: Node, number_of_signal: int) -> None:
    process = start(stdout=subprocess.PIPE)
    assert until(node, lambda: ("peer", "/") in node.get_node_names_and_namespaces())
    process.send_signal(number_of_signal)
    output, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert output.splitlines() == ["shut down"]


def test_a_bad_parameter_ends_the_node_with_its_reason() -> None:
    process = start("--ros-args", "-p", "volume:=11.0", stderr=subprocess.PIPE)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "volume" in errors
