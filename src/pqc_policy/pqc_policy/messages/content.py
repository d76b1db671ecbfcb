# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a message consists of: a kind and its bytes, numbers in steps, and short names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

MOST_BYTES = 64
LONGEST_NAME = 14
# Each format of a number has a lowest value, a highest one, and one that stands for unknown.
_RANGES = {"B": (0, 0xFE, 0xFF), "H": (0, 0xFFFE, 0xFFFF), "h": (-0x7FFF, 0x7FFF, -0x8000)}


class Kind(IntEnum):
    """Kinds of messages that this package sends or reads."""

    COMPUTER = 1
    DECISION = 2
    REQUEST = 3
    ANSWER = 4
    WARNING = 5
    LINE = 7


@dataclass(frozen=True)
class Message:
    """A message as the tunnel carries it."""

    kind: Kind
    content: bytes


def to_steps(value: float, step: float, number: str) -> int:
    """Return the number of steps that a message has for a value; NaN is unknown."""
    low, high, unknown = _RANGES[number]
    return round(min(max(value / step, low), high)) if math.isfinite(value) else unknown


def from_steps(steps: int, step: float, number: str) -> float:
    """Return the value of a number of steps; NaN if it is unknown."""
    return math.nan if steps == _RANGES[number][2] else steps * step


def is_visible(text: bytes, *, spaces: bool = False) -> bool:
    """Return whether every terminal shows the text as it is: visible ASCII."""
    return all(byte < 0x7F and (byte > 0x20 or (spaces and byte == 0x20)) for byte in text)


def name_bytes(name: str) -> bytes:
    """Return the bytes of a name, cut to the longest that fits."""
    cut = name[:LONGEST_NAME].encode("ascii", "replace")
    return bytes((len(cut),)) + cut


def take_name(content: bytes) -> tuple[str, bytes] | None:
    """Return the name at the beginning and what follows it; None without such a name."""
    if not content or content[0] > LONGEST_NAME or len(content) <= content[0]:
        return None
    name, rest = content[1 : 1 + content[0]], content[1 + content[0] :]
    return (name.decode("ascii"), rest) if is_visible(name) else None
