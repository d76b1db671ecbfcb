# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the vehicle may arm: only while the tunnel encrypts and the policy's inputs are known."""

from __future__ import annotations

from dataclasses import dataclass

from pqc_policy.parameters import ParameterFault, parameter
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import Reading
from pqc_policy.policy.wording import INPUT_NAMES, listed

NEWEST_S = 3.0  # status and decision come every second


@dataclass(frozen=True)
class ArmAuthorizerConfig:
    """Where the autopilot asks, and as whom the authorizer answers."""

    port: int = parameter(
        0,
        "UDP port on which a MAVLink router of this machine asks for MAV_CMD_ARM_AUTHORIZATION_"
        "REQUEST: arming is denied unless the tunnel encrypts and all required inputs are known. "
        "0: nobody is asked.",
        "",
        0,
        65535,
        live=False,
        section="Arm authorisation",
    )
    address: str = parameter("", "Local address of that port; needed with it.", live=False)
    system_id: int = parameter(
        10,
        "MAVLink system id of the authorizer, as the autopilot knows it.",
        "",
        1,
        255,
        live=False,
    )
    component_id: int = parameter(
        191, "MAVLink component id of the authorizer.", "", 1, 255, live=False
    )
    valid_s: int = parameter(10, "How long an authorisation lasts.", "s", 1, 200, live=False)

    def __post_init__(self) -> None:
        """Raise ParameterFault for a port without an address."""
        if self.port and not self.address:
            raise ParameterFault("arm_authorizer.address is needed where its port is set.")


def refusal(encrypted: Reading[bool], decision: Reading[Decision]) -> str | None:
    """Return why the vehicle may not arm, as a clause; None if it may."""
    newest = decision.fresh(NEWEST_S)
    if encrypted.fresh(NEWEST_S) is None:
        return "the tunnel has no fresh status"
    if not encrypted.value:
        return "the tunnel does not encrypt"
    if newest is None:
        return "the policy has not decided"
    if newest.missing:
        return f"no {listed(INPUT_NAMES[name] for name in newest.missing)}"
    return None
