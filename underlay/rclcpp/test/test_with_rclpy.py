# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that a C++ node on this rclcpp and a Python node on the real rclpy communicate."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PATIENCE_S = 60.0


def take_a_domain() -> socket.socket:
    """Reserve a ROS domain that no other test on this machine uses, until the socket is closed."""
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
from rclpy.duration import Duration  # noqa: E402
from rclpy.node import Node  # noqa: E402
from rclpy.qos import (  # noqa: E402
    DurabilityPolicy,
    LivelinessPolicy,
    QoSProfile,
    qos_profile_sensor_data,
)
from rosgraph_msgs.msg import Clock  # noqa: E402
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
def peer(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    arguments = getattr(request, "param", ("-p", "volume:=2.0"))
    pipe = subprocess.PIPE
    process = start("--ros-args", *arguments, stdout=pipe, stderr=pipe)
    yield process
    process.kill()
    process.communicate()


def until(node: Node, done: Callable[[], bool]) -> bool:
    """Spin the node until the condition holds; False if it never does."""
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


def truth(name: str, value: bool) -> Parameter:
    return Parameter(
        name=name, value=ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=value)
    )


class Talk:
    """Sends text to the peer and collects the text of its echo."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.received: list[str] = []
        node.create_subscription(String, "echo", lambda text: self.received.append(text.data), 10)
        self.publisher = node.create_publisher(String, "say", qos_profile_sensor_data)
        assert until(node, lambda: "ready" in self.received or self.say("ready"))

    def say(self, text: str) -> None:
        self.publisher.publish(String(data=text))

    def until(self, done: Callable[[], bool]) -> bool:
        return until(self.node, done)


def test_messages_go_both_ways(node: Node, peer: object) -> None:
    talk = Talk(node)
    talk.say("hello")
    assert talk.until(lambda: "hello" in talk.received)


def test_a_dropped_subscription_receives_nothing(node: Node, peer: object) -> None:
    talk = Talk(node)
    talk.say("deafen")
    assert talk.until(lambda: node.count_subscribers("/say") == 0)


def test_a_late_subscriber_gets_the_last_latched_message(node: Node, peer: object) -> None:
    assert until(node, lambda: node.count_publishers("/latched") == 1)
    received: list[str] = []
    qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_subscription(String, "latched", lambda message: received.append(message.data), qos)
    assert until(node, lambda: bool(received))
    assert received == ["2.000000"]


def test_a_subscription_asks_for_deadline_and_liveliness(node: Node, peer: object) -> None:
    assert until(node, lambda: node.count_subscribers("/punctual") == 1)
    (asked,) = node.get_subscriptions_info_by_topic("/punctual")
    assert asked.qos_profile.deadline == Duration(seconds=2.5)
    assert asked.qos_profile.liveliness is LivelinessPolicy.AUTOMATIC
    assert asked.qos_profile.liveliness_lease_duration == Duration(seconds=5)


def test_a_service_answers_on_return(node: Node, peer: object) -> None:
    assert call(node, SetBool, "now", data=True).success


def test_a_service_can_answer_later(node: Node, peer: object) -> None:
    talk = Talk(node)
    client = node.create_client(SetBool, "later")
    assert client.wait_for_service(timeout_sec=PATIENCE_S)
    future = client.call_async(SetBool.Request(data=True))
    assert talk.until(lambda: "asked" in talk.received)  # "now" may be answered before
    call(node, SetBool, "now", data=True)
    assert not future.done()
    talk.say("answer")
    assert until(node, future.done)
    assert future.result() == SetBool.Response(success=True, message="later")


def test_a_cancelled_timer_that_another_thread_resets_calls_once(node: Node, peer: object) -> None:
    talk = Talk(node)
    assert "timer" not in talk.received
    talk.say("timer")
    assert talk.until(lambda: "timer" in talk.received)
    talk.say("end")
    assert talk.until(lambda: "end" in talk.received)
    assert talk.received.count("timer") == 1


def test_parameters_can_be_read(node: Node, peer: object) -> None:
    listed = call(node, ListParameters, "/peer/list_parameters").result
    assert {"use_sim_time", "volume", "radio.channel"} <= set(listed.names)
    assert list(listed.prefixes) == ["radio"]
    nested = call(node, ListParameters, "/peer/list_parameters", prefixes=["radio"]).result
    assert list(nested.names) == ["radio.channel"]
    names = ["volume", "radio.channel"]
    types = call(node, GetParameterTypes, "/peer/get_parameter_types", names=names).types
    assert list(types) == [ParameterType.PARAMETER_DOUBLE, ParameterType.PARAMETER_INTEGER]
    volume, channel = call(
        node, DescribeParameters, "/peer/describe_parameters", names=names
    ).descriptors
    assert volume.description == "how loud"
    assert volume.floating_point_range[0].to_value == 10.0
    assert channel.read_only
    values = call(node, GetParameters, "/peer/get_parameters", names=names).values
    assert (values[0].double_value, values[1].integer_value) == (2.0, 3)
    unknown = call(node, GetParameters, "/peer/get_parameters", names=["volume", "absent"])
    assert not unknown.values


def test_parameters_can_be_set_within_type_and_range(node: Node, peer: object) -> None:
    wanted = [
        number("volume", 11.0),
        number("absent", 1.0),
        truth("volume", True),
        Parameter(name="radio.channel"),
        Parameter(name="volume"),
        number("volume", 10.0),
    ]
    results = call(node, SetParameters, "/peer/set_parameters", parameters=wanted).results
    assert [result.successful for result in results] == [False] * 5 + [True]
    reasons = ["range", "not declared", "type", "read-only", "undeclare"]
    for result, reason in zip(results, reasons, strict=False):
        assert reason in result.reason
    rejected = call(
        node,
        SetParametersAtomically,
        "/peer/set_parameters_atomically",
        parameters=[number("volume", 4.0), number("absent", 1.0)],
    )
    assert not rejected.result.successful
    (value,) = call(node, GetParameters, "/peer/get_parameters", names=["volume"]).values
    assert value.double_value == 10.0


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


def test_the_publishers_of_a_topic_are_known(node: Node, peer: object) -> None:
    node.create_publisher(String, "/echo", 10)
    talk = Talk(node)

    def seen() -> bool:
        talk.say("publishers")
        return {"/ peer", "/ tester"} <= set(talk.received)

    assert talk.until(seen)


def test_the_servers_of_a_service_are_counted(node: Node, peer: object) -> None:
    talk = Talk(node)
    assert talk.until(lambda: "1" in talk.received or talk.say("servers"))
    second = node.create_service(SetBool, "/now", lambda _, response: response)
    assert talk.until(lambda: "2" in talk.received or talk.say("servers"))
    node.destroy_service(second)


def test_a_node_may_refuse_a_change_of_its_parameters(node: Node, peer: object) -> None:
    talk = Talk(node)

    def refused() -> bool:
        talk.say("fix parameters")
        wanted = [number("volume", 4.0)]
        (result,) = call(node, SetParameters, "/peer/set_parameters", parameters=wanted).results
        return not result.successful and result.reason == "the volume is fixed"

    assert until(node, refused)
    wanted = [truth("use_sim_time", False)]
    (result,) = call(node, SetParameters, "/peer/set_parameters", parameters=wanted).results
    assert result.successful


def test_log_messages_appear_on_rosout(node: Node, peer: object) -> None:
    logged: list[tuple[str, str]] = []
    node.create_subscription(Log, "/rosout", lambda log: logged.append((log.name, log.msg)), 10)
    talk = Talk(node)

    def seen() -> bool:
        talk.say("hello")
        return ("peer", "received hello") in logged

    assert until(node, seen)


def test_simulated_time_can_be_switched_on_and_off(node: Node, peer: object) -> None:
    talk = Talk(node)
    clock = node.create_publisher(Clock, "/clock", 10)

    def switch(simulated: bool) -> None:
        wanted = [truth("use_sim_time", simulated)]
        call(node, SetParameters, "/peer/set_parameters", parameters=wanted)

    def tick() -> None:
        message = Clock()
        message.clock.sec = 42
        clock.publish(message)
        talk.say("time")

    switch(True)
    assert talk.until(lambda: "42000000000" in talk.received or tick())
    switch(False)
    talk.received.clear()
    assert talk.until(lambda: bool(talk.received and int(talk.received[-1]) > 10**18) or tick())


ARRAYS = {
    "integers": "[1, 2]",
    "doubles": "[0.5]",
    "bools": "[true]",
    "strings": "[a, b]",
}


@pytest.mark.parametrize(
    "peer", [[word for name in ARRAYS for word in ("-p", f"{name}:={ARRAYS[name]}")]], indirect=True
)
def test_overrides_keep_their_types(node: Node, peer: object) -> None:
    talk = Talk(node)
    talk.say("overrides")
    wanted = {
        "integers integer_array",
        "doubles double_array",
        "bools bool_array",
        "strings string_array",
    }
    assert talk.until(lambda: wanted <= set(talk.received))


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


@pytest.mark.parametrize("peer", [["-r", "__node:=renamed", "-r", "now:=/b"]], indirect=True)
def test_names_are_remapped(node: Node, peer: object) -> None:
    assert call(node, SetBool, "/b", data=True).success
    assert until(node, lambda: "renamed" in node.get_node_names())


def test_shutdown_ends_spin(node: Node, peer: subprocess.Popen[str]) -> None:
    Talk(node).say("stop")
    output, _ = peer.communicate(timeout=PATIENCE_S)
    assert (peer.returncode, output) == (0, "stopped\n")


def test_spin_throws_the_exception_of_a_callback(node: Node, peer: subprocess.Popen[str]) -> None:
    Talk(node).say("throw")
    _, errors = peer.communicate(timeout=PATIENCE_S)
    assert peer.returncode == 2
    assert "thrown by a callback" in errors


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-p", "volume:=11.0"], "'volume' could not be set"),
        (["-p", "volume:=loud"], "'volume' has invalid type: Wrong parameter type"),
        (["--nonsense"], "found unknown ROS arguments: '--nonsense'"),
        (["-r", "nonsense"], "failed to initialize rcl"),
    ],
)
def test_a_bad_argument_ends_the_node_with_its_reason(arguments: list[str], reason: str) -> None:
    process = start("--ros-args", *arguments, stderr=subprocess.PIPE)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert reason in errors
