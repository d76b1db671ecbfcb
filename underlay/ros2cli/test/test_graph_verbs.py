# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the verbs for nodes, topics, services and parameters."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import pytest
import yaml
from conftest import PATIENCE_S
from ros2cli.cli import main
from ros2cli.command.topic import rate_text

SOON = ("--spin-time", "0.3")
PATIENT = ("--timeout", "60")


def test_nodes_are_listed_without_hidden_ones(partner, ros2):
    assert ros2("node", "list", *SOON).splitlines() == [partner]


def test_info_of_a_node_lists_its_topics_and_services(partner, ros2_until):
    lines = ros2_until("/pqc/flip", "node", "info", partner).splitlines()
    assert lines[0] == partner
    assert "    /pqc/status: std_msgs/msg/String" in lines
    assert "    /pqc/flip: std_srvs/srv/SetBool" in lines
    assert lines.index("  Publishers:") < lines.index("  Service Servers:")


def test_topics_are_listed_with_their_types(partner, ros2_until):
    lines = ros2_until("/pqc/chatter", "topic", "list", "-t", *SOON).splitlines()
    assert "/pqc/chatter [std_msgs/msg/String]" in lines
    assert "/pqc/array [diagnostic_msgs/msg/DiagnosticArray]" in lines


def test_type_of_a_topic_is_printed(partner, ros2):
    assert ros2("topic", "type", "/pqc/chatter") == "std_msgs/msg/String\n"


def test_info_of_a_topic_counts_and_shows_endpoints(partner, ros2, ros2_until):
    text = ros2("topic", "info", "/pqc/chatter")
    assert text == "Type: std_msgs/msg/String\nPublisher count: 1\nSubscription count: 0\n"
    # A topic may be known before the name of the node is.
    text = ros2_until("Node name: partner", "topic", "info", "-v", "/pqc/chatter")
    assert "Reliability: BEST_EFFORT" in text
    assert "Topic type hash: RIHS01_" in text


def test_echo_receives_from_best_effort_publishers(partner, ros2):
    text = ros2("topic", "echo", "--once", "/pqc/chatter")
    assert re.fullmatch(r"data: hello \d+\n---\n", text)


def test_echo_receives_latched_messages(partner, ros2):
    assert ros2("topic", "echo", "--once", "/pqc/status") == "data: ready\n---\n"


def test_echo_prints_one_field(partner, ros2):
    assert ros2("topic", "echo", "--once", "--field", "data", "/pqc/status") == "ready\n---\n"
    assert main(["topic", "echo", "--once", "--field", "nothing", "/pqc/status"]) == (
        "Invalid field 'nothing': there is no 'nothing'"
    )


def test_echo_prints_nested_messages_as_yaml(partner, ros2):
    text = ros2("topic", "echo", "--once", "/pqc/array", "diagnostic_msgs/msg/DiagnosticArray")
    message = yaml.safe_load(text.removesuffix("---\n"))
    assert message["status"][0]["name"] == "one"
    assert message["status"][0]["values"] == [{"key": "k", "value": "v"}]


def test_echo_with_given_policies_may_get_nothing(partner, ros2):
    volatile = ("--qos-durability", "volatile", "--timeout", "0.3")
    assert ros2("topic", "echo", *volatile, "/pqc/status") == ""


@pytest.fixture
def short_discovery(monkeypatch):
    """Shortens discovery, for names that do not exist."""
    monkeypatch.setattr("ros2cli.graph._LONGEST_DISCOVERY_S", 0.3)


@pytest.mark.parametrize("verb", ["echo", "hz"])
def test_a_verb_that_is_ended_by_sigterm_prints_no_traceback(partner, verb):
    program = "import sys; from ros2cli.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "topic", verb, "/pqc/chatter"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline()
    process.terminate()
    assert process.communicate(timeout=PATIENCE_S)[1] == ""
    # rclpy ends to wait in one way or in another.
    assert process.returncode in (0, signal.SIGTERM)


def test_echo_of_an_unknown_topic_reports_the_reason(partner, short_discovery):
    assert main(["topic", "echo", "/nowhere"]) == (
        "Could not determine the type for the passed topic"
    )
    assert main(["topic", "info", "/nowhere"]) == "Unknown topic '/nowhere'"
    assert main(["topic", "echo", "/nowhere", "no_package/msg/Type"]) == (
        "The passed message type is invalid: 'no_package/msg/Type'"
    )


def test_rate_of_evenly_spaced_messages_has_no_deviation():
    assert rate_text([0.0, 0.5, 1.0]) == (
        "average rate: 2.000\n\tmin: 0.500s max: 0.500s std dev: 0.00000s window: 2"
    )


def test_pub_waits_for_a_subscription(partner, ros2):
    alone = ["--once", "/lonely", "std_msgs/msg/String", "data: x", "--max-wait-time-secs", "0.2"]
    assert main(["topic", "pub", *alone]).startswith("Timed out waiting for subscribers")
    text = ros2(
        "topic", "pub", "-w", "0", "-t", "2", "-r", "50", "/x", "std_msgs/msg/String", "data: y"
    )
    assert "publishing #2: std_msgs.msg.String(data='y')" in text


def test_pub_reports_a_field_that_does_not_exist():
    assert main(["topic", "pub", "--once", "/x", "std_msgs/msg/String", "{nothing: 1}"]) == (
        "Failed to populate field: 'String' has no field 'nothing'"
    )


def test_services_are_listed_and_typed(partner, ros2_until, ros2):
    lines = ros2_until("/pqc/flip", "service", "list", "-t", *SOON).splitlines()
    assert "/pqc/flip [std_srvs/srv/SetBool]" in lines
    assert ros2("service", "type", "/pqc/flip") == "std_srvs/srv/SetBool\n"


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
    lines = ros2("param", "list", partner, "--spin-time", "60").splitlines()
    assert "  link.ports" in lines and "  suite" in lines
    assert ros2("param", "get", partner, "suite", *PATIENT) == "String value is: fast\n"
    assert ros2("param", "get", partner, "level", "--hide-type", *PATIENT) == "3\n"
    assert ros2("param", "set", partner, "suite", "slow", *PATIENT) == "Set parameter successful\n"
    assert ros2("param", "get", partner, "suite", *PATIENT) == "String value is: slow\n"
    assert ros2("param", "set", partner, "suite", "fast", *PATIENT) == "Set parameter successful\n"


def test_a_rejected_parameter_is_an_error_with_the_reason(partner):
    message = main(["param", "set", partner, "level", "9", *PATIENT])
    assert message.startswith("Setting parameter failed: ")
    assert main(["param", "set", partner, "fixed", "2.0", *PATIENT]).startswith(
        "Setting parameter failed: "
    )


def test_parameters_are_described(partner, ros2):
    text = ros2("param", "describe", partner, "suite", "level", "fixed", *PATIENT)
    assert "Parameter name: suite\n  Type: string\n  Description: Which one to use.\n" in text
    assert "    Min value: 1\n    Max value: 5\n    Step: 1\n" in text
    assert "    Read only: true\n" in text


def test_a_dump_is_a_parameter_file(partner, ros2):
    values = yaml.safe_load(ros2("param", "dump", partner, *PATIENT))[partner]["ros__parameters"]
    assert values["level"] == 3
    assert values["link"] == {"ports": [1, 2]}


def test_a_node_that_does_not_exist_is_an_error(partner, short_discovery):
    assert main(["param", "get", "/nobody", "x", "--timeout", "1"]) == "Node not found"
    assert main(["node", "info", "/nobody"]) == "Unable to find node '/nobody'"


def test_an_interface_is_shown_with_its_parts(ros2):
    lines = ros2("interface", "show", "std_msgs/msg/Header", "--no-comments").splitlines()
    assert lines == [
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
