# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The MAVLink side of arm authorisation: requests out of datagrams, and the answers to them.

An autopilot that asks (PX4 with COM_ARM_AUTH_REQ) sends MAV_CMD_ARM_AUTHORIZATION_REQUEST and reads
the COMMAND_ACK: when accepted, for how many seconds from result_param2; when denied, the reason
from progress. The message set and the service's page name these fields the other way round, so
that both have the value.
"""

from __future__ import annotations

from dataclasses import dataclass

from pymavlink.dialects.v20 import common as mavlink

from pqc_policy.sensing.mirror import frames

_COMMAND = mavlink.MAV_CMD_ARM_AUTHORIZATION_REQUEST
_TEXT_BYTES = 50  # of a STATUSTEXT
_EVERY_COMPONENT = 0


@dataclass(frozen=True, slots=True)
class ArmRequest:
    """Who asks: the system and component that the answer is for."""

    system: int
    component: int


class ArmRequests:
    """Reads requests to one authorizer and writes its messages."""

    def __init__(self, system: int, component: int, valid_s: int) -> None:
        """Answer as this system and component; an authorisation lasts valid_s (1 to 200)."""
        self._own = (system, component)
        self._valid_s = valid_s
        self._codec = mavlink.MAVLink(None, srcSystem=system, srcComponent=component)
        self._codec.robust_parsing = True

    def take(self, datagram: bytes) -> list[ArmRequest]:
        """Return the requests to this authorizer in a datagram."""
        found = []
        for number, frame in frames(datagram):
            if number != mavlink.MAVLINK_MSG_ID_COMMAND_LONG:
                continue
            try:
                message = self._codec.decode(bytearray(frame))
            except mavlink.MAVError:
                continue
            if self._is_for_us(message):
                found.append(ArmRequest(message.get_srcSystem(), message.get_srcComponent()))
        return found

    def _is_for_us(self, message: mavlink.MAVLink_message) -> bool:
        return (
            message.get_type() == "COMMAND_LONG"
            and message.command == _COMMAND
            and message.target_system == self._own[0]
            and message.target_component in (_EVERY_COMPONENT, self._own[1])
        )

    def answer(self, request: ArmRequest, refusal: str | None) -> list[bytes]:
        """Return the answer; one that denies is followed by a STATUSTEXT with the reason."""
        accepted = refusal is None
        reason = mavlink.MAV_ARM_AUTH_DENIED_REASON_GENERIC
        value = self._valid_s if accepted else reason
        ack = mavlink.MAVLink_command_ack_message(
            _COMMAND,
            mavlink.MAV_RESULT_ACCEPTED if accepted else mavlink.MAV_RESULT_DENIED,
            value,
            value,
            request.system,
            request.component,
        )
        messages = [ack]
        if refusal is not None:
            text = f"PQC no arming: {refusal}".encode("ascii", "replace")[:_TEXT_BYTES]
            messages.append(mavlink.MAVLink_statustext_message(mavlink.MAV_SEVERITY_WARNING, text))
        return [bytes(message.pack(self._codec)) for message in messages]

    def heartbeat(self) -> bytes:
        """Return a heartbeat, by which routers learn where the authorizer is."""
        message = mavlink.MAVLink_heartbeat_message(
            mavlink.MAV_TYPE_ONBOARD_CONTROLLER,
            mavlink.MAV_AUTOPILOT_INVALID,
            0,
            0,
            mavlink.MAV_STATE_ACTIVE,
            3,
        )
        return bytes(message.pack(self._codec))
