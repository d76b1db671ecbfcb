# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Measure the CPU that sensing, advisor and policy use together in a flight.

The three nodes run beside the drone's tunnel, which has a session with a ground station, as on a
drone with MAVROS and sensors of temperature and power. A simulated vehicle's MAVLink goes through
the tunnel; the nodes hear what its mirror passes, and the same as topics of MAVROS. The keys are
renewed when the policy asks for it. The CPU time is that of the scheduler, exact to the nanosecond.
Together they may use three percent of a core.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import message_rate, whole

from pqc_bench.harness.usage import output_file

LIMIT_PERCENT = 3.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--rate", type=message_rate, default=320, help="MAVLink messages per second (320)"
    )
    parser.add_argument("--seconds", type=whole(1), default=30, help="length of the flight (30)")
    parser.add_argument("--warm-up", type=whole(0), default=5, help="seconds before it (5)")
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")
