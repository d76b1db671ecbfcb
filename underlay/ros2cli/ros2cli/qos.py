# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Quality of service: options of the command line, and profiles that match publishers."""

from __future__ import annotations

import argparse
import copy

from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSPresetProfiles,
    QoSProfile,
    ReliabilityPolicy,
)


def add_qos_arguments(parser: argparse.ArgumentParser, default_profile: str) -> None:
    """Add --qos-profile and the options that change single policies of it."""
    parser.add_argument(
        "--qos-profile",
        choices=QoSPresetProfiles.short_keys(),
        default=default_profile,
        help="preset to start from (default: %(default)s)",
    )
    parser.add_argument("--qos-depth", metavar="N", type=int)
    parser.add_argument("--qos-history", choices=HistoryPolicy.short_keys())
    parser.add_argument("--qos-reliability", choices=ReliabilityPolicy.short_keys())
    parser.add_argument("--qos-durability", choices=DurabilityPolicy.short_keys())
    parser.add_argument("--qos-liveliness", choices=LivelinessPolicy.short_keys())
    parser.add_argument("--qos-liveliness-lease-duration-seconds", type=float)


def profile_from(args: argparse.Namespace) -> tuple[QoSProfile, bool]:
    """Return the requested profile, and whether any policy was named."""
    profile = copy.copy(QoSPresetProfiles.get_from_short_key(args.qos_profile))
    named = False
    for option, policies in (
        ("history", HistoryPolicy),
        ("reliability", ReliabilityPolicy),
        ("durability", DurabilityPolicy),
        ("liveliness", LivelinessPolicy),
    ):
        value = getattr(args, f"qos_{option}")
        if value is not None:
            setattr(profile, option, policies.get_from_short_key(value))
            named = True
    if args.qos_depth is not None:
        profile.depth = args.qos_depth
        named = True
    if args.qos_liveliness_lease_duration_seconds is not None:
        seconds = args.qos_liveliness_lease_duration_seconds
        profile.liveliness_lease_duration = Duration(seconds=seconds)
        named = True
    if profile.durability == DurabilityPolicy.TRANSIENT_LOCAL and profile.depth == 0:
        profile.depth = 1
    return profile, named


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
