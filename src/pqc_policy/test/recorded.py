# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Makes messages of the policy's topics from their fields, and bags of such messages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from ament_index_python.packages import get_package_share_directory
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

SECOND = 1_000_000_000
MESSAGE_TYPES = {
    "status": "TunnelStatus",
    "link": "LinkReport",
    "events": "TunnelEvent",
    "suites": "SuiteList",
    "battery": "BatteryPrediction",
    "vehicle": "VehicleState",
    "thermal": "ThermalReading",
    "power": "PowerReading",
    "advisor": "AdvisorVerdict",
    "decision": "PolicyDecision",
    "computer": "ComputerLoad",
    "held_suite": "HeldSuite",
    "fleet_warning": "FleetWarning",
}
MLKEM768 = "cs-mlkem768-aesgcm-mldsa65"
ESTABLISHED, REKEYING = 3, 4
REKEY_FAILED, ROLLBACK, REFUSED = 7, 8, 13


def _store() -> Any:
    store = get_typestore(Stores.ROS2_JAZZY)
    types: dict[str, Any] = {}
    for file in (Path(get_package_share_directory("pqc_msgs")) / "msg").glob("*.msg"):
        types.update(get_types_from_msg(file.read_text(), f"pqc_msgs/msg/{file.stem}"))
    store.register(types)
    return store


STORE = _store()


def stamp(at_s: float) -> Any:
    ns = round(at_s * SECOND)
    return STORE.types["builtin_interfaces/msg/Time"](sec=ns // SECOND, nanosec=ns % SECOND)


def _zero(field_type: Any) -> Any:
    """Return the default value of a field in a new ROS message."""
    node, detail = field_type
    if node.name == "NAME":
        return _blank(detail)
    if node.name == "BASE":
        return {"string": "", "bool": False}.get(
            detail[0], 0.0 if detail[0].startswith("float") else 0
        )
    return [] if detail[0][0].name == "NAME" or detail[0][1][0] == "string" else np.array([])


def _blank(type_name: str, /, **fields: Any) -> Any:
    _, definition = STORE.fielddefs[type_name]
    values = {field: _zero(field_type) for field, field_type in definition}
    return STORE.types[type_name](**(values | fields))


def made(topic: str, at_s: float, **fields: Any) -> Any:
    """Return a message of a topic, stamped at a time in seconds; other fields are zero."""
    return _blank(f"pqc_msgs/msg/{MESSAGE_TYPES[topic]}", stamp=stamp(at_s), **fields)


def part(type_name: str, **fields: Any) -> Any:
    """Return a message that is a field of another message."""
    return _blank(f"pqc_msgs/msg/{type_name}", **fields)


def parameters(at_s: float, **values: Any) -> Any:
    """Return the policy's parameters as the node publishes them; `__` in a name is a dot."""
    kinds = {bool: (1, "bool"), int: (2, "integer"), float: (3, "double"), str: (4, "string")}
    entries = []
    for name, value in values.items():
        kind, field = kinds.get(type(value), (9, "string_array"))
        typed = _blank("rcl_interfaces/msg/ParameterValue", type=kind, **{f"{field}_value": value})
        dotted = name.replace("__", ".")
        entries.append(_blank("rcl_interfaces/msg/Parameter", name=dotted, value=typed))
    return _blank("rcl_interfaces/msg/ParameterEvent", stamp=stamp(at_s), new_parameters=entries)


def status(at_s: float, suite: str = MLKEM768, **fields: Any) -> Any:
    """Return the status of an established session, with keys that are 1 s old."""
    return made(
        "status", at_s, **({"suite": suite, "key_age_s": 1.0, "state": ESTABLISHED} | fields)
    )


def link(at_s: float, gap_p95_s: float = 0.02, **fields: Any) -> Any:
    """Return a link report that contains the peer's view."""
    view = part("LinkView", gap_p95_s=gap_p95_s, loss=0.0, packets_per_s=50.0)
    return made("link", at_s, **({"remote_valid": True, "remote": view} | fields))


def calm_second(at_s: float, suite: str = MLKEM768) -> dict[str, Any]:
    return {
        "status": status(at_s, suite),
        "link": link(at_s),
        "battery": made("battery", at_s, voltage_v=15.6, rate_mv_per_min=-40.0, charge=0.9),
        "thermal": made("thermal", at_s, temperature_c=55.0),
        "vehicle": made("vehicle", at_s, armed=True),
    }


Entry = tuple[float, str, Any]  # time of reception in s, topic, message


def write_bag(path: Path, entries: Iterable[Entry], namespace: str = "/pqc") -> Path:
    from pqc_policy.policy.telemetry import PARAMETERS, TOPICS

    writer = Writer(path, version=9, storage_plugin=StoragePlugin.MCAP)
    connections: dict[str, Any] = {}
    with writer:
        for received_s, topic, message in entries:
            full = f"{namespace}/{topic}" if topic in (*TOPICS, PARAMETERS, "decision") else topic
            if full not in connections:
                connections[full] = writer.add_connection(
                    full, message.__msgtype__, typestore=STORE
                )
            data = STORE.serialize_cdr(message, message.__msgtype__)
            writer.write(connections[full], round(received_s * SECOND), data)
    return path


def flight(seconds: int, start_s: float = 1000.0, delay_s: float = 0.2) -> list[Entry]:
    """Return the entries of a calm flight that starts a tenth after a whole second."""
    return [
        (start_s + second + 0.1 + delay_s, topic, message)
        for second in range(seconds)
        for topic, message in calm_second(start_s + second + 0.1).items()
    ]
