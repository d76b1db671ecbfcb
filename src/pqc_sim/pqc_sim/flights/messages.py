# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages for bags, made from the installed definitions without ROS."""

from __future__ import annotations

from functools import cache
from math import frexp, isfinite, ldexp
from pathlib import Path
from typing import Any

import numpy as np
from ament_index_python.packages import get_package_share_directory
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

_PACKAGES = ("pqc_msgs", "mavros_msgs")
# Bits of the mantissa of every number; more would only make bags larger.
_BITS = 16
NANOSECONDS = 1_000_000_000


@cache
def store() -> Any:
    """Return the types of the messages in a flight; LookupError if they are not installed."""
    typestore = get_typestore(Stores.ROS2_JAZZY)
    types: dict[str, Any] = {}
    for package in _PACKAGES:
        folder = Path(get_package_share_directory(package)) / "msg"
        for file in sorted(folder.glob("*.msg")):
            text = file.read_text(encoding="utf-8")
            types.update(get_types_from_msg(text, f"{package}/msg/{file.stem}"))
    known = typestore.fielddefs
    typestore.register({name: kind for name, kind in types.items() if name not in known})
    return typestore


def made(name: str, **fields: Any) -> Any:
    """Return a message of a type like "pqc_msgs/msg/LinkReport"; the other fields are zero."""
    values = dict(_zeros(name))
    for field, value in fields.items():
        values[field] = shortened(value) if isinstance(value, float) else value
    return store().types[name](**values)


def stamp(at_ns: int) -> Any:
    return made(
        "builtin_interfaces/msg/Time", sec=at_ns // NANOSECONDS, nanosec=at_ns % NANOSECONDS
    )


def shortened(number: float, bits: int = _BITS) -> float:
    """Return a number with a shorter mantissa, by default exact to a hundred-thousandth."""
    if not isfinite(number):
        return number
    mantissa, exponent = frexp(number)
    return ldexp(round(ldexp(mantissa, bits)), exponent - bits)


@cache
def _zeros(name: str) -> tuple[tuple[str, Any], ...]:
    _, definition = store().fielddefs[name]
    return tuple((field, _zero(kind)) for field, kind in definition)


def _zero(kind: Any) -> Any:
    node, detail = kind
    if node.name == "NAME":
        return made(detail)
    if node.name == "BASE":
        base = detail[0]
        return {"string": "", "bool": False}.get(base, 0.0 if base.startswith("float") else 0)
    part = detail[0]
    if part[0].name == "NAME" or part[1][0] == "string":
        return []
    return np.zeros(detail[1] if node.name == "ARRAY" else 0, dtype=part[1][0])
