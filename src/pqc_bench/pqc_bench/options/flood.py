# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flood the encrypted ports with junk while traffic flows, and measure the cost.

First the ground station's port, from many addresses, then the drone's. The tunnel passes if at most
0.1 % of the traffic is lost, the memory of the nodes stays constant, every junk datagram that
arrived is counted with the right reason, no stranger gets an answer, and the tunnel can rekey
afterwards.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import message_rate, whole

from pqc_bench.harness.usage import output_file


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--seconds", type=whole(1), default=20, help="length of each flood (20)")
    parser.add_argument(
        "--datagrams", type=whole(1), default=50_000, help="junk datagrams per second (50000)"
    )
    parser.add_argument(
        "--rate", type=message_rate, default=320, help="datagrams of traffic per second (320)"
    )
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")
