# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A separate ROS graph for each demonstration and each measurement."""

from __future__ import annotations

import os
import random
import socket

from pqc_testing.reserved_name import reserve

_DOMAINS = range(1, 100)
_held: list[socket.socket] = []


def isolate_graph() -> None:
    """Reserve a ROS domain for this process and its children, until it ends."""
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    domain, holder = reserve_domain()
    _held.append(holder)
    os.environ["ROS_DOMAIN_ID"] = str(domain)


def reserve_domain() -> tuple[int, socket.socket]:
    """Reserve a ROS domain until the socket is closed; RuntimeError if all are in use."""
    for domain in random.sample(_DOMAINS, len(_DOMAINS)):
        if _has_participant(domain):
            continue
        if holder := reserve(f"ros_test_domain_{domain}"):
            return domain, holder
    raise RuntimeError("every ROS domain of this machine is in use")


def _has_participant(domain: int) -> bool:
    """Tell whether a program of this machine that reserved nothing is in a domain."""
    first = 7410 + 250 * domain  # the port of the first participant (RTPS 2.5, section 9.6.1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("", first))
        except OSError:
            return True
    return False
