# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Do what an autopilot and its ground programs do, over radios, bare and through the tunnel.

A simulated vehicle that behaves as an ArduCopter does, and a ground program that behaves as
MAVProxy does, fetch 1,340 parameters, a log and a file, upload a file in datagrams of four frames,
exchange commands beside 320 messages a second, and sign. They do so over an emulated link without
the tunnel and, at the same time, through a tunnel over the same sort of link, with rekeys and
without. The tunnel passes if the ground counts at most 2 percentage points more messages as lost
than bare, no signed message is rejected, all arrives whole, commands take at most 250 ms (p99), and
every rekey succeeds. Each transfer is repeated, and the median counts: it may take 1.1 times as
long as bare, and a second more; an upload over a SiK radio may take longer. On
sik-57600 the parameters have 60 s, the log 45 s and the file 4.5 s.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import real

from pqc_bench.harness.usage import duration, output_file, some_of

_LINKS = ("sik-57600", "sik-250000", "telemetry-radio", "lte")
_PERIOD = real(0.0, 3600.0, "a time from 0 to 3600 s")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--links",
        type=some_of(_LINKS, "link"),
        default=list(_LINKS),
        metavar="A,B",
        help=f"profiles of the emulator ({','.join(_LINKS)})",
    )
    parser.add_argument(
        "--rekey-every", type=_PERIOD, default=10.0, metavar="N", help="seconds; 0: never (10)"
    )
    parser.add_argument(
        "--seconds", type=duration, default=600.0, metavar="N", help="on each link, at least (600)"
    )
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")
