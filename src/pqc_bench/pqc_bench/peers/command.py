# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Compare the tunnel with a plain relay, the reference peer and installed VPNs, in one run.

All peers run at once, each end pinned to a core (--unpinned leaves that to the system). They take
turns under the same loads, in a new order each round. The report has the CPU per packet of both
ends, the one-way delay (percentiles if there are enough datagrams) and its difference from that of
a direct path, loss, the sustained rate, and the same loads beside a busy process per core: medians
with spread, and ratios to the plain relay within rounds. Peers that are not installed are
left out with the reason. Ctrl-C ends the comparison with a report of the complete loads.

Other builds of this project take part with --build, such as the last release made by ./dev plain.
With --against and the name of a build, ratios are to that one, and another build fails if three
quarters of the rounds show it above: CPU per packet or median delay.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_policy.policy.suites import DEFAULT_SUITE
from pqc_sim.processes.command_line import datagram_rate, datagram_size, separated, whole

from pqc_bench.cell.suite_set import one_suite
from pqc_bench.harness.usage import UsageFault, duration, needs, output_file, some_of, unknown
from pqc_bench.peers import PEER_NAMES, WITH_SUITE

_MOST = 1000


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kinds",
        type=some_of(PEER_NAMES, "peer"),
        default=list(PEER_NAMES),
        help=f"separated by commas: {', '.join(PEER_NAMES)}",
    )
    parser.add_argument(
        "--build",
        type=_build,
        action="append",
        default=[],
        metavar="NAME=PREFIX",
        help="also another build of this project, below its install prefix; may be repeated",
    )
    parser.add_argument(
        "--against",
        metavar="NAME",
        help="the peer of --kinds or --build that the others are compared with (relay)",
    )
    parser.add_argument(
        "--suite", type=one_suite, metavar="ID", help=f"of the tunnel ({DEFAULT_SUITE})"
    )
    parser.add_argument(
        "--rates",
        type=separated(datagram_rate),
        default=[320, 3906, 20_000],
        help="per second and way (320,3906,20000)",
    )
    parser.add_argument(
        "--sizes",
        type=separated(datagram_size),
        default=[64, 256, 1200],
        help="bytes (64,256,1200)",
    )
    parser.add_argument(
        "--starts",
        type=whole(1, _MOST),
        default=1,
        help="of all peers, with new rounds: its place in memory favours one while it runs (1)",
    )
    parser.add_argument("--rounds", type=whole(1, _MOST), default=10, help="of each load (10)")
    parser.add_argument(
        "--seconds", type=duration, default=1.0, metavar="N", help="of each load and peer (1)"
    )
    parser.add_argument(
        "--saturation",
        type=separated(datagram_size),
        metavar="SIZES",
        help="sizes to search the sustained rate of (64,1200)",
    )
    parser.add_argument("--searches", type=whole(1, _MOST), help="for each size and peer (3)")
    parser.add_argument("--no-saturation", action="store_true", help="skip these searches")
    parser.add_argument("--no-neighbours", action="store_true", help="skip busy neighbours")
    parser.add_argument("--unpinned", action="store_true", help="don't pin the ends to cores")
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")


def check(options: argparse.Namespace) -> None:
    """Reject a suite for peers without one, and the details of searches that are skipped."""
    names = [name for name, _ in options.build]
    for name in names:
        if name in PEER_NAMES or names.count(name) > 1:
            raise UsageFault(f"the name '{name}' of --build is taken already")
    if options.against is None:
        options.against = "relay"
    elif options.against not in (*options.kinds, *names):
        raise unknown("peer", options.against, [*options.kinds, *names])
    with_suite = bool(names) or any(kind in WITH_SUITE for kind in options.kinds)
    needs(options, "suite", DEFAULT_SUITE, with_suite, f"with --kinds {','.join(options.kinds)}")
    for name, default in (("saturation", [64, 1200]), ("searches", 3)):
        needs(options, name, default, not options.no_saturation, "with --no-saturation")


def _build(text: str) -> tuple[str, Path]:
    name, separator, prefix = text.partition("=")
    if not name or not separator or not Path(prefix).is_dir():
        raise argparse.ArgumentTypeError(f"'{text}' isn't a name, '=' and a folder")
    return name, Path(prefix).absolute()
