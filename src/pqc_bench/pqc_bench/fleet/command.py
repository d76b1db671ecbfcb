# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Measure what a fleet costs its ground station, for several numbers of drones.

Every drone is a daemon with a session. The same number of datagrams goes through all of them in
turn, whatever their number, and in alternating rounds through relays without cryptography. The
ground station has a core of its own, since it shares none with its drones in the field. Before, it
restarts, until all have a session again, and is idle: sessions, but no data. At last one more drone
floods it with authentic frames beside the data. The cost of a datagram, and its ratio to that of
the relay, may be at most 10 % above that with the fewest drones, the idle share at most 1 % of a
core, and no datagram of the other drones may get lost.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import datagram_size, message_rate, separated, whole

from pqc_bench.harness.usage import output_file


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--drones",
        type=separated(whole(1, 500)),
        default=[1, 10, 50, 200],
        help="numbers of drones (1,10,50,200)",
    )
    parser.add_argument(
        "--rate",
        type=message_rate,
        default=4000,
        help="datagrams per second and way, of all drones together (4000)",
    )
    parser.add_argument("--size", type=datagram_size, default=100, help="bytes of each (100)")
    parser.add_argument("--seconds", type=whole(1), default=10, help="length of each phase (10)")
    parser.add_argument(
        "--frames", type=whole(1), default=2000, help="frames of the flood per second (2000)"
    )
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")
