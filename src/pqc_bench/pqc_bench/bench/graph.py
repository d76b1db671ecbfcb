# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A ROS graph of one's own, so that measurements meet nobody else's nodes."""

from __future__ import annotations

import contextlib
import os
import random
import socket

from pqc_bench.bench.fault import BenchFault

_DOMAINS = range(1, 100)
# Where a ROS domain's participants find each other (RTPS 2.5, section 9.6.1).
_DISCOVERY_PORT = 7400
_PORTS_PER_DOMAIN = 250


def isolate_graph() -> None:
    """Give this process, and all it starts, a ROS domain that nobody on this machine uses."""
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    for domain in random.sample(_DOMAINS, len(_DOMAINS)):
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as discovery,
        ):
            discovery.bind(("", _DISCOVERY_PORT + _PORTS_PER_DOMAIN * domain))
            os.environ["ROS_DOMAIN_ID"] = str(domain)
            return
    raise BenchFault("every ROS domain of this machine is in use")
