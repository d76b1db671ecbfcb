# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The result of one flight with one strategy."""

from __future__ import annotations

from dataclasses import dataclass, field

LEVELS = ("1", "3", "5", "none")


@dataclass
class Outcome:
    """Counts and times of one flight; times in s."""

    seconds: int = 0
    lost_to_rekeys: int = 0  # datagrams of both directions that the air would have delivered
    longest_gap_s: float = 0.0  # longest gap in the data around a rekey
    energy_j: float = 0.0  # marginal, of the drone: rekeys, handshakes and the cipher
    seconds_at_level: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LEVELS, 0.0))
    wanted: int = 0
    done: int = 0
    failed: int = 0
    switches: int = 0
    ratchets: int = 0
    emergencies_seen: int = 0
    emergencies_met: int = 0
    hot_s: float = 0.0  # above the emergency's temperature
    warmest_c: float = 0.0
    lockout_s: float = 0.0  # most seconds of a working link without fresh keys
    unkeyed_s: float = 0.0  # time without a session
    # Datagrams that an adversary reads, and those that it might have read.
    exposed: dict[str, tuple[float, float]] = field(default_factory=dict)
    window_mean_s: float = 0.0  # of the times of traffic under one key
    window_most_s: float = 0.0
    delayed: int = 0  # commands that waited for more than 250 ms because of keys
    air_bytes: float = 0.0  # of rekeys, handshakes and fetches
    worth: float = 0.0  # the sum of R (pqc_policy's worth.py) of all seconds
