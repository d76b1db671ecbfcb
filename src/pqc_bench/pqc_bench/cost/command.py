# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Measure what the drone's processes cost its computer in a flight without MAVROS.

`drone.launch.py` starts them, with sensors of temperature and power, and the tunnel has a session
with a ground station. A simulated vehicle's MAVLink goes through the tunnel, and sensing hears what
its mirror passes. Each program has a budget of memory, threads and wake-ups: voluntary context
switches without those of the packet thread, which wakes for datagrams.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import message_rate, whole

from pqc_bench.harness.usage import output_file


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rate", type=message_rate, default=320, help="MAVLink messages per second (320)"
    )
    parser.add_argument("--seconds", type=whole(1), default=30, help="length of the flight (30)")
    parser.add_argument("--warm-up", type=whole(0), default=10, help="seconds before it (10)")
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")
