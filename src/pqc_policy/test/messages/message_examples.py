# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Decisions and requests as the tests of messages use them."""

from __future__ import annotations

from typing import Any

from pqc_msgs.msg import PolicyDecision, PolicyInputs
from pqc_msgs.srv import CapturePower, HoldSuite

HEAVY = "cs-mlkem768-aesgcm-mldsa65"
LIGHT = "cs-mlkem512-aesgcm-mldsa44"
LIGHTEST = "cs-mlkem512-aesgcm-falcon512"
HELD = "cs-mlkem1024-aesgcm-mldsa87"


def hold(suite: str, seconds: float = 0.0) -> HoldSuite.Request:
    return HoldSuite.Request(suite=suite, seconds=seconds)


def capture(seconds: float, rate_hz: float, name: str) -> CapturePower.Request:
    return CapturePower.Request(seconds=seconds, rate_hz=rate_hz, name=name)


HOLD = hold(LIGHTEST, 90.5)
CAPTURE = capture(30.0, 250.5, "hover-7.csv")


def decision(action: str, from_suite: str, to_suite: str = "", **fields: Any) -> PolicyDecision:
    """Return a decision that asks the tunnel for its suite, if it has one."""
    fields = {"rule": "calm", "asked": bool(to_suite)} | fields
    return PolicyDecision(action=action, from_suite=from_suite, to_suite=to_suite, **fields)


def step_down(**fields: Any) -> PolicyDecision:
    return decision("DOWN", HEAVY, LIGHT, **{"rule": "link"} | fields)


def full_decision(**fields: Any) -> PolicyDecision:
    """Return advice with everything that a report tells."""
    inputs = PolicyInputs(
        armed=True,
        link_loss=0.215,
        link_rtt_s=0.042,
        link_gap_p95_s=1.5,
        battery_voltage_v=14.83,
        battery_charge=0.5,
        thermal_temperature_c=-3.5,
        advisor_verdict="attack",
        advisor_class="jamming",
        phase="transit",
        held_suite=HELD,
    )
    told = {
        "strategy": "expert",
        "ratchet": True,
        "asked": False,
        "hold": "limit",
        "missing": ["link", "thermal"],
        "cue": "The link is jammed: gain height.",
        "cue_id": "jammed",
        "inputs": inputs,
    }
    return step_down(**told | fields)
