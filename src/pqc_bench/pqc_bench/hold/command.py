# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Hold traffic back on the path, and measure how old the oldest datagram is that is delivered.

An adversary relays every datagram between both ends: it holds a direction for 2.8 s and lets it go
at once (hold), lets the oldest datagram pass every 2.5 s (trickle), delays more and more up to
5.5 s (stretch), or holds for 1.6 s and lets the newest go first (burst). No datagram may be
delivered that is older than max_age_s and what the link takes without the adversary, and an end
must say what happens. Without the adversary no fresh datagram may be refused, at any of the losses.
As root both ends and the adversary have a network namespace each.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import percent, separated

from pqc_bench.harness.usage import duration, output_file, some_of

LINKS = ("wifi", "lte", "satellite", "sik")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--links",
        type=some_of(LINKS, "link"),
        default=list(LINKS),
        help=f"({','.join(LINKS)})",
        metavar="A,B",
    )
    parser.add_argument(
        "--losses",
        type=separated(percent),
        default=[0.0, 5.0, 20.0],
        help="each way, in %% (0,5,20)",
    )
    parser.add_argument(
        "--seconds", type=duration, default=20.0, metavar="N", help="of each attack and loss (20)"
    )
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")
