# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Makes mavlink_frames.txt with pymavlink.

    python3 make_mavlink_frames.py

Each message of the dialect has a record: its class by its name, a frame with random fields, and for
messages that exist several times, `same` with other values of the same thing and `other` about
another one.
"""

from __future__ import annotations

import random
import re
from importlib.metadata import version
from pathlib import Path

from pymavlink.dialects.v20 import ardupilotmega as mavlink

OUT = Path(__file__).parent / "mavlink_frames.txt"
COMMAND = r"HEARTBEAT|SET_MODE|COMMAND_(INT|LONG|ACK)|SET_GPS_GLOBAL_ORIGIN|SET_HOME_POSITION"
STEERING = r"MANUAL_CONTROL|RC_CHANNELS_OVERRIDE|SET_(ATTITUDE|POSITION|ACTUATOR)_\w*TARGET\w*"
ORDERED = (
    r"PARAM_\w+|MISSION_\w+|FILE_TRANSFER_PROTOCOL|STATUSTEXT|LOG_\w+|LOGGING_\w+|FENCE_(FETCH_)?POINT"
    r"|RALLY_\w+|GPS_RTCM_DATA|SERIAL_CONTROL|TUNNEL|TERRAIN_(REQUEST|DATA|CHECK)"
)
# Fields that tell which of several things a message is about.
INSTANCES = {
    "RC_CHANNELS_SCALED": ["port"],
    "RC_CHANNELS_RAW": ["port"],
    "SERVO_OUTPUT_RAW": ["port"],
    "MANUAL_CONTROL": ["target"],
    "RC_CHANNELS_OVERRIDE": ["target_system", "target_component"],
    "SET_ATTITUDE_TARGET": ["target_system", "target_component"],
    "SET_POSITION_TARGET_LOCAL_NED": ["target_system", "target_component"],
    "SET_POSITION_TARGET_GLOBAL_INT": ["target_system", "target_component"],
    "SET_ACTUATOR_CONTROL_TARGET": ["group_mlx", "target_system", "target_component"],
    "TIMESYNC": ["tc1"],
    "DISTANCE_SENSOR": ["id"],
    "BATTERY_STATUS": ["id"],
    "MAG_CAL_PROGRESS": ["compass_id"],
    "PID_TUNING": ["axis"],
    "ADSB_VEHICLE": ["ICAO_address"],
    "COLLISION": ["id"],
    "DEBUG_VECT": ["name"],
    "NAMED_VALUE_FLOAT": ["name"],
    "NAMED_VALUE_INT": ["name"],
    "DEBUG": ["ind"],
    "AIS_VESSEL": ["MMSI"],
}
BITS = {"8": 7, "16": 15, "32": 31, "64": 63}

Fields = dict[str, object]


def fields_of(message: type, choose: random.Random) -> Fields:
    return {
        name: _value(kind, length, choose)
        for name, kind, length in zip(
            message.fieldnames,
            message.fieldtypes,
            [message.array_lengths[i] for i in _declared(message)],
            strict=True,
        )
    }


def _declared(message: type) -> list[int]:
    return [message.ordered_fieldnames.index(name) for name in message.fieldnames]


def _value(kind: str, length: int, choose: random.Random) -> object:
    if kind == "char":
        return bytes(choose.randrange(65, 91) for _ in range(max(1, length)))
    if kind in ("float", "double"):
        one = lambda: float(choose.randrange(1, 1000))  # noqa: E731
    else:
        bits = BITS[re.sub(r"\D", "", kind)]
        one = lambda: choose.randrange(1, 1 << bits)  # noqa: E731
    return [one() for _ in range(length)] if length else one()


def packed(message: type, fields: Fields, *, first: bool = False, signed: bool = False) -> str:
    link = mavlink.MAVLink(None, srcSystem=7, srcComponent=9)
    if signed:
        link.signing.secret_key = bytes(32)
        link.signing.sign_outgoing = True
        link.signing.timestamp = 1
    return message(**fields).pack(link, force_mavlink1=first).hex()


def traffic_of(name: str) -> str:
    for traffic, pattern in (("command", COMMAND), ("steering", STEERING), ("ordered", ORDERED)):
        if re.fullmatch(pattern, name):
            return traffic
    return "any"


def main() -> None:
    choose = random.Random(1)
    lines = [
        f"# pymavlink {version('pymavlink')}, dialect ardupilotmega: make_mavlink_frames.py",
        "",
    ]
    for number, message in sorted(mavlink.mavlink_map.items()):
        name = message.msgname
        fields = fields_of(message, choose)
        instance = INSTANCES.get(name, [])
        lines += [f"name = {name}", f"message = {number}", f"traffic = {traffic_of(name)}"]
        lines.append(f"frame = {packed(message, fields)}")
        if number in (0, 30, 76):
            lines.append(f"signed = {packed(message, fields, signed=True)}")
        if number < 256:
            lines.append(f"first = {packed(message, fields, first=True)}")
        if instance:
            same = fields_of(message, choose) | {key: fields[key] for key in instance}
            lines.append(f"same = {packed(message, same)}")
            for key in instance:
                other = fields | {key: fields_of(message, choose)[key]}
                lines.append(f"other_{key} = {packed(message, other)}")
        lines.append("")
    OUT.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
