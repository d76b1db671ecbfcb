# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that the messages have the fields of MAVROS in the same order, and so the same encoding."""

from mavros_msgs.msg import ExtendedState, State, VfrHud


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


def test_extended_state_has_the_fields_of_mavros() -> None:
    assert list(ExtendedState.get_fields_and_field_types().items()) == [
        ("header", "std_msgs/Header"),
        ("vtol_state", "uint8"),
        ("landed_state", "uint8"),
    ]


def test_vfr_hud_has_the_fields_of_mavros() -> None:
    assert list(VfrHud.get_fields_and_field_types().items()) == [
        ("header", "std_msgs/Header"),
        ("airspeed", "float"),
        ("groundspeed", "float"),
        ("heading", "int16"),
        ("throttle", "float"),
        ("altitude", "float"),
        ("climb", "float"),
    ]
