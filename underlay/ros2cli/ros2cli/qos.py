# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Quality of service that matches publishers."""

from __future__ import annotations

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy


def match_publishers(node: Node, topic: str, profile: QoSProfile) -> list[str]:
    """Let the profile connect to all publishers; return a warning for each weaker policy."""
    offered = [info.qos_profile for info in node.get_publishers_info_by_topic(topic)]
    if not offered:
        return []
    warnings = []
    for name, strong, weak in (
        ("reliability", ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT),
        ("durability", DurabilityPolicy.TRANSIENT_LOCAL, DurabilityPolicy.VOLATILE),
    ):
        strong_offers = sum(getattr(offer, name) == strong for offer in offered)
        setattr(profile, name, strong if strong_offers == len(offered) else weak)
        if 0 < strong_offers < len(offered):
            warnings.append(
                f"Some, but not all, publishers are offering {strong}. Falling back to {weak} "
                "as it will connect to all publishers"
            )
    return warnings
