# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m pqc_bench.cell.traffic`: the load of a cell, as a process of session.launch.py.

With --control it connects to the cell run and waits for commands. Without, it starts when datagrams
pass the tunnel in both directions, and runs for --seconds. At the end it writes its report.
"""

from __future__ import annotations

import argparse
import select
import sys
import time
from pathlib import Path

from pqc_sim.datagrams.udp_port import UdpPort
from pqc_sim.processes.command_line import Parser, endpoint, message_rate
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.cell.blaster_load import BlasterLoad
from pqc_bench.cell.control import Control, Windowed
from pqc_bench.cell.mavlink_load import MavlinkLoad
from pqc_bench.harness.blaster import Applications

LOADS = ("mavlink", "blaster")
_PROBE = b"is anybody there?"
_PROBE_S = 0.05


class _NoWindows:
    def open_window(self, name: str) -> None:
        """Count nothing."""


def wait_for_tunnel(where: Applications, control: Control) -> bool:
    """Send probes until one has arrived in each direction; False if the load must stop instead."""
    ends = [
        (UdpPort(where.drone_bind), where.drone),
        (UdpPort(where.ground_bind), where.ground),
    ]
    received: set[int] = set()
    nothing: Windowed = _NoWindows()
    try:
        while len(received) < len(ends):
            if control.stopped(nothing):
                return False
            for port, to in ends:
                port.send(_PROBE, to)
            ready, _, _ = select.select([port for port, _ in ends], [], [], _PROBE_S)
            received |= {port.fileno() for port in ready if list(port.receive_all())}
        # Datagrams that are still under way do not belong to the load.
        time.sleep(_PROBE_S)
    finally:
        for port, _ in ends:
            port.close()
    return True


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
    parser.add_argument("--seconds", type=float, default=0.0, help="length without --control")
    parser.add_argument("--control", default="", metavar="SOCKET", help="of the cell run")
    parser.add_argument("--report", type=Path, required=True, metavar="FILE", help="to write")
    return parser


def _run(options: argparse.Namespace) -> int:
    where = Applications(options.drone, options.ground, options.drone_bind, options.ground_bind)
    with Control(options.control, options.seconds) as control:
        # The launching program may wait for this line.
        print("traffic: waiting for the tunnel", flush=True)
        if not control.conducted and not wait_for_tunnel(where, control):
            return 0
        load: BlasterLoad | MavlinkLoad
        if options.load == "blaster":
            load = BlasterLoad(where, options.rate, options.size)
        else:
            load = MavlinkLoad(where, options.rate)
        control.send("ready")
        if control.conducted and not control.wait_for_start():
            return 0
        control.begin()
        report = load.run(control)
        write_summary(options.report, report)
        control.send("done")
        control.wait_for_leave()
    return 0


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
