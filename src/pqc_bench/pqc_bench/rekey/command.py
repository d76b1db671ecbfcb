# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Switch to every suite in turn while traffic flows, and measure the cost.

Both tunnel nodes run as users launch them, and numbered datagrams go both ways. Each rekey is
requested by the service /pqc/rekey; before it, traffic flows undisturbed for as long as the last
rekey took, so that gaps can be compared. A storm passes if no datagram is lost or altered and no
rekey is rolled back; if the longest gap is at most three times that of steady traffic; if, of the
rekeys whose prekey is at the drone, 95 in 100 take at most one round trip, their cryptography and
2 ms; if the bytes of each rekey on the air are within a tenth of the arithmetic; and if neither
node uses more than 40 MiB, prekeys apart. A link with --loss may lose its share; times and bytes
are then not judged. With --repeat there is too little steady traffic to judge gaps.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import datagram_size, link_seed, message_rate, percent, whole

from pqc_bench.cell.suite_set import choose_suites
from pqc_bench.harness.usage import UsageFault, needs, output_file


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--suites",
        type=choose_suites,
        default="paper",
        help="paper (72), seed002, seed003, extended, all, or patterns; with commas (paper)",
    )
    parser.add_argument(
        "--rate", type=message_rate, default=320, help="datagrams per second, each way (320)"
    )
    parser.add_argument(
        "--size", type=datagram_size, default=256, help="bytes of each datagram (256)"
    )
    parser.add_argument(
        "--loss", type=percent, default=0.0, help="loss of the link between the ends in %% (0)"
    )
    parser.add_argument("--seed", type=link_seed, help="of the link's loss (1)")
    parser.add_argument(
        "--pool", action="store_true", help="with keys made ahead for all of the suites"
    )
    text = "change the suite first, then measure fresh keys once their prekey is at the drone"
    parser.add_argument("--ahead", action="store_true", help=text)
    parser.add_argument(
        "--priority",
        type=whole(0, 99, "a priority"),
        default=0,
        help="real-time priority of the packet threads, 1 to 99; 0: none (0)",
    )
    parser.add_argument("--neighbours", action="store_true", help="with a busy process per core")
    parser.add_argument(
        "--repeat",
        type=whole(1, 100_000),
        default=1,
        help="number of passes through the suites, back to back (1)",
    )
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")


def check(options: argparse.Namespace) -> None:
    """Reject a seed for a link without loss, and rows of rekeys that leave no time for prekeys."""
    if options.ahead and options.repeat > 1:
        raise UsageFault("--ahead measures each suite once: it can't be used with --repeat")
    needs(options, "seed", 1, options.loss > 0.0, "without --loss")
