# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the verbs for nodes, topics, services and parameters."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import pytest
import rclpy
import yaml
from conftest import PATIENCE_S
from ros2cli.cli import main
from ros2cli.graph import ros_node

SOON = ("--spin-time", "0.3")
PATIENT = ("--timeout", "60")


def test_nodes_are_listed_without_hidden_ones(partner, ros2):
    assert ros2("node", "list", *SOON).splitlines() == [partner]


def test_topics_are_listed_with_their_types(partner, ros2_until):
    lines = ros2_until("/pqc/chatter", "topic", "list", "-t", *SOON).splitlines()
    assert "/pqc/chatter [std_msgs/msg/String]" in lines
    assert "/pqc/array [diagnostic_msgs/msg/DiagnosticArray]" in lines


def test_echo_receives_from_best_effort_publishers(partner, ros2):
    text = ros2("topic", "echo", "--once", "/pqc/chatter")
    assert re.fullmatch(r"data: hello \d+\n---\n", text)


def test_echo_receives_latched_messages(partner, ros2):
    assert ros2("topic", "echo", "--once", "/pqc/status") == "data: ready\n---\n"


def test_echo_prints_nested_messages_as_yaml(partner, ros2):
    text = ros2("topic", "echo", "--once", "/pqc/array", "diagnostic_msgs/msg/DiagnosticArray")
    message = yaml.safe_load(text.removesuffix("---\n"))
    assert message["status"][0]["name"] == "one"
    assert message["status"][0]["values"] == [{"key": "k", "value": "v"}]


@pytest.fixture
def short_discovery(monkeypatch):
    """Shortens discovery, for names that do not exist."""
    monkeypatch.setattr("ros2cli.graph._LONGEST_DISCOVERY_S", 0.3)


def test_echo_that_is_ended_by_sigterm_prints_no_traceback(partner):
    program = "import sys; from ros2cli.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "topic", "echo", "/pqc/chatter"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline()
    process.terminate()
    assert process.communicate(timeout=PATIENCE_S)[1] == ""
    # rclpy ends to wait in one way or in another.
    assert process.returncode in (0, signal.SIGTERM)


@pytest.mark.parametrize(("ended", "seen"), [(True, SystemExit), (False, RuntimeError)])
def test_a_failure_to_wait_is_that_of_sigterm_if_it_has_ended_ros(ended, seen):
    with pytest.raises(seen), ros_node():
        if ended:
            rclpy.try_shutdown()
        raise RuntimeError("failed to initialize wait set")


def test_echo_of_an_unknown_topic_reports_the_reason(partner, short_discovery):
    assert main(["topic", "echo", "/nowhere"]) == (
        "Could not determine the type for the passed topic"
    )
    assert main(["topic", "echo", "/nowhere", "no_package/msg/Type"]) == (
        "The passed message type is invalid: 'no_package/msg/Type'"
    )


def test_a_service_is_called_with_values_in_yaml(partner, ros2):
    text = ros2("service", "call", "/pqc/flip", "std_srvs/srv/SetBool", "{data: true}")
    assert text.endswith(
        "requester: making request: std_srvs.srv.SetBool_Request(data=True)\n\n"
        "response:\nstd_srvs.srv.SetBool_Response(success=True, message='flipped')\n\n"
    )
    text = ros2("service", "call", "/pqc/flip", "std_srvs/srv/SetBool")
    assert "left alone" in text


def test_a_service_of_an_unknown_type_is_rejected():
    assert main(["service", "call", "/pqc/flip", "std_srvs/srv/Nothing"]) == (
        "The passed service type is invalid: 'std_srvs/srv/Nothing'"
    )
    assert main(["service", "call", "/pqc/flip", "std_srvs/srv/SetBool", "{nothing: 1}"]) == (
        "Failed to populate field: 'SetBool_Request' has no field 'nothing'"
    )


def test_parameters_are_listed_read_and_set(partner, ros2):
    lines = ros2("param", "list", partner, *PATIENT).splitlines()
    assert "  link.ports" in lines and "  suite" in lines
    assert ros2("param", "get", partner, "suite", *PATIENT) == "String value is: fast\n"
    assert ros2("param", "get", partner, "level", *PATIENT) == "Integer value is: 3\n"
    assert ros2("param", "set", partner, "suite", "slow", *PATIENT) == "Set parameter successful\n"
    assert ros2("param", "get", partner, "suite", *PATIENT) == "String value is: slow\n"
    assert ros2("param", "set", partner, "suite", "fast", *PATIENT) == "Set parameter successful\n"


def test_a_rejected_parameter_is_an_error_with_the_reason(partner):
    message = main(["param", "set", partner, "level", "9", *PATIENT])
    assert message.startswith("Setting parameter failed: ")
    assert main(["param", "set", partner, "fixed", "2.0", *PATIENT]).startswith(
        "Setting parameter failed: "
    )


def test_a_node_that_does_not_exist_is_an_error(partner, short_discovery):
    assert main(["param", "get", "/nobody", "x", "--timeout", "1"]) == "Node not found"


def test_an_interface_is_shown_with_its_parts(ros2):
    lines = ros2("interface", "show", "std_msgs/msg/Header").splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == [
        "builtin_interfaces/Time stamp",
        "\tint32 sec",
        "\tuint32 nanosec",
        "string frame_id",
    ]
    assert main(["interface", "show", "std_msgs/msg/Nothing"]) == (
        "Unknown interface 'std_msgs/msg/Nothing'"
    )
    assert main(["interface", "show", "std_msgs/Header"]).startswith(
        "Invalid name 'std_msgs/Header'. Expected three parts"
    )
