# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m pqc_bench.cell.traffic`: the load of a cell, as a process of session.launch.py.

It connects to the cell run and takes its commands. At the end it writes its report.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from pqc_sim.processes.command_line import Parser, endpoint, message_rate
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.cell.blaster_load import BlasterLoad
from pqc_bench.cell.control import Control
from pqc_bench.cell.mavlink_load import MavlinkLoad
from pqc_bench.cell.relayed_load import RelayedLoad, relayed_load
from pqc_bench.harness.blaster import Applications

LOADS = ("mavlink", "mavproxy", "blaster")
_LOGS = "logs"


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="traffic", description="The load of a cell of the benchmark matrix.")
    parser.add_argument("--load", choices=LOADS, required=True)
    address = {"type": endpoint, "metavar": "HOST:PORT", "required": True}
    parser.add_argument("--drone", **address, help="plaintext address of the drone's tunnel")
    parser.add_argument("--ground", **address, help="plaintext address of the ground's tunnel")
    parser.add_argument("--drone-bind", **address, help="where the drone's tunnel delivers to")
    parser.add_argument("--ground-bind", **address, help="where the ground's tunnel delivers to")
    parser.add_argument("--rate", type=message_rate, default=320, help="datagrams per second (320)")
    parser.add_argument("--size", type=int, default=256, help="bytes of each, for blaster (256)")
    parser.add_argument("--vehicle", default="", help="its device or command; empty: simulated")
    parser.add_argument("--control", required=True, metavar="SOCKET", help="of the cell run")
    parser.add_argument("--report", type=Path, required=True, metavar="FILE", help="to write")
    return parser


def _run(options: argparse.Namespace) -> int:
    with Control(options.control) as control, _load(options) as load:
        # The launching program may wait for this line.
        print("traffic: waiting for the tunnel", flush=True)
        control.send("ready")
        if not control.wait_for_start():
            return 0
        report = load.run(control)
        write_summary(options.report, report)
        control.send("done")
        control.wait_for_leave()
    return 0


def _load(
    options: argparse.Namespace,
) -> AbstractContextManager[BlasterLoad | MavlinkLoad | RelayedLoad]:
    where = Applications(options.drone, options.ground, options.drone_bind, options.ground_bind)
    if options.load == "blaster":
        return nullcontext(BlasterLoad(where, options.rate, options.size))
    mavproxy = options.load == "mavproxy"
    if mavproxy or options.vehicle:
        folder = options.report.parent / _LOGS
        return relayed_load(where, options.vehicle, options.rate, folder, mavproxy=mavproxy)
    return nullcontext(MavlinkLoad(where, options.rate))


def main(arguments: list[str] | None = None) -> int:
    """Run the load; 0 after a clean stop."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except (RunFault, OSError) as error:
        print(f"traffic: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
