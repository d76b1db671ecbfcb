# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The verbs that look at topics, services, parameters and interfaces."""

from __future__ import annotations

import re

import pytest
import yaml
from rcl_interfaces.msg import ParameterValue
from ros2cli.cli import main
from ros2cli.messages import message_to_yaml


def test_echo_fits_best_effort_publishers(partner, ros2):
    text = ros2("topic", "echo", "--once", "/pqc/chatter")
    assert re.fullmatch(r"data: hello \d+\n---\n", text)


def test_echo_gets_a_latched_message(partner, ros2):
    assert ros2("topic", "echo", "--once", "/pqc/status") == "data: ready\n---\n"


def test_echo_prints_nested_messages_as_yaml(partner, ros2):
    text = ros2("topic", "echo", "--once", "/pqc/array")
    message = yaml.safe_load(text.removesuffix("---\n"))
    assert message["status"][0]["name"] == "one"
    assert message["status"][0]["values"] == [{"key": "k", "value": "v"}]


@pytest.fixture
def short_discovery(monkeypatch):
    """Gives up early, for names that are not there."""
    monkeypatch.setattr("ros2cli.graph._LONGEST_DISCOVERY_S", 0.3)


def test_echo_of_an_unknown_topic_fails_in_words(partner, short_discovery):
    assert main(["topic", "echo", "/nowhere"]) == (
        "Could not determine the type for the passed topic"
    )


def test_long_text_and_long_arrays_are_cut():
    value = ParameterValue(string_value="x" * 200, integer_array_value=list(range(200)))
    shown = yaml.safe_load(message_to_yaml(value))
    assert shown["string_value"] == "x" * 128 + "..."
    assert shown["integer_array_value"] == [*range(128), "..."]


def test_a_service_is_called_with_values_in_yaml(partner, ros2):
    text = ros2("service", "call", "/pqc/flip", "std_srvs/srv/SetBool", "{data: true}")
    assert text.endswith(
        "requester: making request: std_srvs.srv.SetBool_Request(data=True)\n\n"
        "response:\nstd_srvs.srv.SetBool_Response(success=True, message='flipped')\n\n"
    )
    text = ros2("service", "call", "/pqc/flip", "std_srvs/srv/SetBool")
    assert "left alone" in text


def test_a_service_of_an_unknown_type_is_refused():
    assert main(["service", "call", "/pqc/flip", "std_srvs/srv/Nothing"]) == (
        "The passed service type is invalid: 'std_srvs/srv/Nothing'"
    )
    assert main(["service", "call", "/pqc/flip", "std_srvs/srv/SetBool", "{nothing: 1}"]) == (
        "Failed to populate field: 'SetBool_Request' has no field 'nothing'"
    )


def test_parameters_are_listed_and_set(partner, ros2):
    lines = ros2("param", "list", partner).splitlines()
    assert "  link.ports" in lines and "  suite" in lines
    assert ros2("param", "set", partner, "suite", "slow") == "Set parameter successful\n"
    assert ros2("param", "set", partner, "link.ports", "[3]") == "Set parameter successful\n"


@pytest.mark.parametrize("change", [("level", "9"), ("fixed", "2.0")])
def test_a_rejected_parameter_is_an_error_with_the_reason(partner, change):
    assert main(["param", "set", partner, *change]).startswith("Setting parameter failed: ")


def test_a_node_that_does_not_exist_is_an_error(partner, monkeypatch):
    monkeypatch.setattr("ros2cli.command.param._NODE_TIMEOUT_S", 0.3)
    assert main(["param", "list", "/nobody"]) == "Node not found"


@pytest.mark.parametrize("name", ["std_msgs/msg/Header", "std_msgs/Header"])
def test_an_interface_is_shown_with_its_parts(ros2, name):
    lines = ros2("interface", "show", name).splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == [
        "builtin_interfaces/Time stamp",
        "\tint32 sec",
        "\tuint32 nanosec",
        "string frame_id",
    ]
    assert main(["interface", "show", "std_msgs/msg/Nothing"]) == (
        "Unknown interface 'std_msgs/msg/Nothing'"
    )
