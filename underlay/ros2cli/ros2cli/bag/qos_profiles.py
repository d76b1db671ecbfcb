# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Converts quality of service between rclpy and the rosbags library."""

from __future__ import annotations

from collections.abc import Iterable

from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSProfile,
    ReliabilityPolicy,
)
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)

_DEFAULT_DEPTH = 10


def to_bag(profile: QoSProfile) -> Qos:
    """Return a profile for the bag's metadata."""

    def time(name: str) -> QosTime:
        return QosTime(*divmod(getattr(profile, name).nanoseconds, 10**9))

    return Qos(
        QosHistory[profile.history.name],
        profile.depth,
        QosReliability[profile.reliability.name],
        QosDurability[profile.durability.name],
        time("deadline"),
        time("lifespan"),
        QosLiveliness[profile.liveliness.name],
        time("liveliness_lease_duration"),
        False,
    )


def for_playing(recorded: Iterable[Qos]) -> QoSProfile:
    """Return the profile that connects to every subscription of the recorded publishers."""
    recorded = list(recorded)
    reliable = not recorded or any(qos.reliability == QosReliability.RELIABLE for qos in recorded)
    kept = any(qos.durability == QosDurability.TRANSIENT_LOCAL for qos in recorded)
    keep_all = any(qos.history == QosHistory.KEEP_ALL for qos in recorded)
    return QoSProfile(
        history=HistoryPolicy.KEEP_ALL if keep_all else HistoryPolicy.KEEP_LAST,
        depth=max([qos.depth for qos in recorded], default=0) or _DEFAULT_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if kept else DurabilityPolicy.VOLATILE,
    )
