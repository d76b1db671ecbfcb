# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flood the encrypted ports with junk while traffic flows, and measure the cost.

First junk at the ground station's port, from many addresses; then hellos alone, half of them
recorded ones of the drone; then junk at the drone's port; at last junk and hellos at the ground
station's port that bear the drone's own address and port. As root drone, ground station and
attackers have a network namespace each; otherwise all are on the loopback interface, and the last
junk and hellos only come from the drone's host. Rekeys and new sessions go on meanwhile. The tunnel
passes if no datagram of the traffic is lost, the medians of rekeys and new sessions are at most
three times those without the flood, the memory of no end grows by more than 2 MiB, every junk
datagram is counted, and no stranger gets an answer, except a challenge for a recorded hello.

With --member a drone of the fleet floods its ground station with authentic frames, with each sort
in turn. Another drone must lose no datagram, and its rekeys must stay prompt.

With --addresses: recorded hellos from ever new ports at links of 64 kbit/s, 256 kbit/s and
1 Mbit/s, which must cost no command and no rekey; at a link of 250 kbit/s whose rate was found,
which must stay, without more loss of commands than before; and frames of each end that come from
the address of a third party first, which must get at most three times their bytes.

With --restarts somebody who knows the pre-shared key, but not the signing key of the drone, proves
a hello every 15 s, then 20 a second; at last recorded hellos bear the live address of a drone that
restarts behind another one. Rekeys, ratchets and restarts must stay prompt.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import message_rate, whole

from pqc_bench.harness.usage import output_file


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=whole(1), default=20, help="length of each flood (20)")
    parser.add_argument(
        "--datagrams", type=whole(1), default=50_000, help="junk datagrams per second (50000)"
    )
    parser.add_argument(
        "--rate", type=message_rate, default=320, help="datagrams of traffic per second (320)"
    )
    parser.add_argument(
        "--sources", type=whole(1, 10_000), default=10_000, help="addresses of hellos (10000)"
    )
    parser.add_argument(
        "--member", action="store_true", help="authentic frames of a member of the fleet"
    )
    parser.add_argument(
        "--frames", type=whole(1), default=5000, help="frames of the member per second (5000)"
    )
    parser.add_argument(
        "--addresses",
        action="store_true",
        help="recorded hellos from ever new ports, and frames from the address of a third party",
    )
    parser.add_argument(
        "--restarts",
        action="store_true",
        help="rekeys, ratchets and restarts under a leaked PSK and a flood from the live address",
    )
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")
