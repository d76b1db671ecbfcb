# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages have the fields of MAVROS, in the same order, which is what goes on the wire."""

from mavros_msgs.msg import State, StatusText


def test_state_has_the_fields_of_mavros() -> None:
    assert list(State.get_fields_and_field_types().items()) == [
        ("header", "std_msgs/Header"),
        ("connected", "boolean"),
        ("armed", "boolean"),
        ("guided", "boolean"),
        ("manual_input", "boolean"),
        ("mode", "string"),
        ("system_status", "uint8"),
    ]


def test_status_text_has_the_fields_of_mavros() -> None:
    assert list(StatusText.get_fields_and_field_types().items()) == [
        ("header", "std_msgs/Header"),
        ("severity", "uint8"),
        ("text", "string"),
    ]


def test_severities_are_those_of_syslog() -> None:
    names = ["EMERGENCY", "ALERT", "CRITICAL", "ERROR", "WARNING", "NOTICE", "INFO", "DEBUG"]
    assert [getattr(StatusText, name) for name in names] == list(range(8))
