# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The stored mission, and the vehicle's side of the protocol that transfers it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.vehicle.reply import Reply

_MAX_ITEMS = 700
_RETRY_NS = 1_000_000_000
_TRIES = 5
_FRAMES = frozenset(
    {
        mavlink.MAV_FRAME_GLOBAL,
        mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT,
        mavlink.MAV_FRAME_GLOBAL_INT,
        mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT_INT,
        mavlink.MAV_FRAME_MISSION,
    }
)
_DEGREES = 1e7

Item = mavlink.MAVLink_mission_item_int_message


@dataclass
class Mission:
    """The items as they were uploaded; item 0 is the home position and isn't flown."""

    items: list[Item] = field(default_factory=list)
    current: int = 0

    @property
    def flyable(self) -> bool:
        return len(self.items) > 1


@dataclass
class _Upload:
    """An upload of `count` items in progress; `items` have arrived."""

    partner: tuple[int, int]
    count: int
    asked_ns: int
    items: list[Item] = field(default_factory=list)
    tries: int = 1

    @property
    def wanted(self) -> int:
        return len(self.items)


class MissionProtocol:
    """The mission side of MAVLink's mission protocol; fences and rally points are refused."""

    def __init__(self, mission: Mission) -> None:
        self._mission = mission
        self._upload: _Upload | None = None

    def handle(self, message: mavlink.MAVLink_message, now_ns: int) -> Reply:
        kind = getattr(message, "mission_type", mavlink.MAV_MISSION_TYPE_MISSION)
        if kind != mavlink.MAV_MISSION_TYPE_MISSION:
            return self._handle_other_kind(message, kind)
        match message.get_type():
            case "MISSION_COUNT":
                return self._begin(message, now_ns)
            case "MISSION_ITEM_INT":
                return self._take(message, now_ns)
            case "MISSION_REQUEST_LIST":
                count = len(self._mission.items)
                return [mavlink.MAVLink_mission_count_message(*_sender(message), count, kind)]
            case "MISSION_REQUEST_INT" | "MISSION_REQUEST":
                return self._give(message)
            case "MISSION_CLEAR_ALL":
                self._mission.items, self._mission.current = [], 0
                return [_ack(_sender(message), mavlink.MAV_MISSION_ACCEPTED)]
            case "MISSION_SET_CURRENT":
                return self.set_current(message.seq)
            case _:
                return []

    def advance(self, now_ns: int) -> Reply:
        """Request a missing item again; cancel the upload after a few tries."""
        upload = self._upload
        if upload is None or now_ns - upload.asked_ns < _RETRY_NS:
            return []
        if upload.tries == _TRIES:
            self._upload = None
            return [_ack(upload.partner, mavlink.MAV_MISSION_OPERATION_CANCELLED)]
        upload.tries += 1
        upload.asked_ns = now_ns
        return [mavlink.MAVLink_mission_request_int_message(*upload.partner, upload.wanted)]

    def set_current(self, index: int) -> Reply:
        """Choose the item to fly to; an unknown index changes nothing."""
        if index < len(self._mission.items):
            self._mission.current = index
        return [self.current_message()]

    def current_message(self) -> mavlink.MAVLink_mission_current_message:
        total = max(0, len(self._mission.items) - 1)
        return mavlink.MAVLink_mission_current_message(self._mission.current, total)

    def _begin(self, message: mavlink.MAVLink_mission_count_message, now_ns: int) -> Reply:
        partner = _sender(message)
        if message.count > _MAX_ITEMS:
            return [_ack(partner, mavlink.MAV_MISSION_NO_SPACE)]
        if message.count == 0:
            self._mission.items, self._mission.current = [], 0
            return [_ack(partner, mavlink.MAV_MISSION_ACCEPTED)]
        self._upload = _Upload(partner, message.count, now_ns)
        return [mavlink.MAVLink_mission_request_int_message(*partner, 0)]

    def _take(self, item: Item, now_ns: int) -> Reply:
        upload = self._upload
        partner = _sender(item)
        if upload is None or upload.partner != partner:
            return [_ack(partner, mavlink.MAV_MISSION_INVALID_SEQUENCE)]
        if item.seq != upload.wanted:
            # A repeated or early item: the next one has been requested already.
            return []
        fault = _fault_of(item)
        if fault is not None:
            self._upload = None
            return [_ack(partner, fault)]
        upload.items.append(item)
        upload.asked_ns, upload.tries = now_ns, 1
        if upload.wanted < upload.count:
            return [mavlink.MAVLink_mission_request_int_message(*partner, upload.wanted)]
        self._mission.items = upload.items
        self._mission.current = min(self._mission.current, len(upload.items) - 1)
        self._upload = None
        return [_ack(partner, mavlink.MAV_MISSION_ACCEPTED)]

    def _give(self, message: mavlink.MAVLink_message) -> Reply:
        partner = _sender(message)
        if not message.seq < len(self._mission.items):
            return [_ack(partner, mavlink.MAV_MISSION_INVALID_SEQUENCE)]
        target = {"target_system": partner[0], "target_component": partner[1]}
        current = int(message.seq == self._mission.current)
        held = _fields(self._mission.items[message.seq])
        return [Item(**held | target | {"seq": message.seq, "current": current})]

    @staticmethod
    def _handle_other_kind(message: mavlink.MAVLink_message, kind: int) -> Reply:
        if message.get_type() == "MISSION_REQUEST_LIST":
            return [mavlink.MAVLink_mission_count_message(*_sender(message), 0, kind)]
        if message.get_type() == "MISSION_ACK":
            return []
        return [_ack(_sender(message), mavlink.MAV_MISSION_UNSUPPORTED, kind)]


def has_place(item: Item) -> bool:
    return bool(item.x or item.y)


def _sender(message: mavlink.MAVLink_message) -> tuple[int, int]:
    return message.get_srcSystem(), message.get_srcComponent()


def _ack(partner: tuple[int, int], result: int, kind: int = 0) -> mavlink.MAVLink_message:
    return mavlink.MAVLink_mission_ack_message(*partner, result, kind)


def _fault_of(item: Item) -> int | None:
    if item.frame not in _FRAMES:
        return int(mavlink.MAV_MISSION_UNSUPPORTED_FRAME)
    numbers = (item.param1, item.param2, item.param3, item.z)
    if not all(math.isfinite(number) for number in numbers):
        return int(mavlink.MAV_MISSION_INVALID)
    if abs(item.x) > 90 * _DEGREES:
        return int(mavlink.MAV_MISSION_INVALID_PARAM5_X)
    if abs(item.y) > 180 * _DEGREES:
        return int(mavlink.MAV_MISSION_INVALID_PARAM6_Y)
    return None


def _fields(item: mavlink.MAVLink_message) -> dict[str, Any]:
    return {name: getattr(item, name) for name in item.fieldnames}
