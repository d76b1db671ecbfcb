# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Fetch a key of Classic McEliece, 1.36 MB, beside flying data.

It goes over an emulated link of known rate, with each of the losses in turn, while numbered
datagrams go both ways. Medians are judged: a stream must take at least 70 % of what the data leaves
of the link, and the 99th percentile of the data's delay may grow by 25 ms.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import datagram_size, message_rate, percent, separated, whole

from pqc_bench.harness.usage import duration, output_file


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--losses", type=separated(percent), default=[0.0, 20.0], help="of the link in %% (0,20)"
    )
    parser.add_argument(
        "--kbit", type=whole(500, 100_000), default=2000, help="rate of the link in kbit/s (2000)"
    )
    parser.add_argument(
        "--rate", type=message_rate, default=320, help="datagrams of data per second and way (320)"
    )
    parser.add_argument("--size", type=datagram_size, default=100, help="bytes of each (100)")
    parser.add_argument("--fetches", type=whole(1, 1000), default=5, help="for each loss (5)")
    parser.add_argument(
        "--quiet", type=duration, default=20.0, metavar="N", help="seconds without a fetch (20)"
    )
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")
