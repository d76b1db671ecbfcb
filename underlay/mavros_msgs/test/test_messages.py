# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that the message has the fields of MAVROS in the same order, and so the same encoding."""

from mavros_msgs.msg import State


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
