# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Record the real tunnel in normal traffic and under attack, for judging detectors.

Two tunnel nodes run over the link emulator. Calm traffic, look-alikes (handover, outage, range,
another rate, a busy computer) and attacks (losses, sweeps, floods, forgeries, repeats, delay,
withheld datagrams) follow each other. The file has the drone's messages, which its advisor reads,
and when each attack began and ended. `bench detectors` judges the recordings of this package, too.
"""

from __future__ import annotations

import argparse

from pqc_bench.harness.usage import output_file


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--link", default="lte", help="the usual link, a name or a profile (lte)")
    parser.add_argument(
        "--out", type=output_file, required=True, metavar="FILE", help="the recording to write"
    )
