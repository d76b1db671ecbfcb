# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Fly the real nodes over links, and measure how soon they add layers of protection.

On each link two flights go on at the same time, with MAVLink of a vehicle in the air and five
commands a second: one with the strategy, one with static, which adds no layer. The drone waits with
its policy for the ground station, so that seconds count from the session's begin. Near its end the
first flight asks for a ratchet with a one-time key of the anchor. What must hold: plain lattices
are in the keys within 5 s on wifi, 10 s on lte, 5 min on satellite and 8 min on sik-57600, a
fetched key of Classic McEliece within 20 s on wifi and 60 s on lte, and the ratchet takes at most
10 s. No datagram is lost to any of it, commands (p99) take at most 20 ms longer than in the other
flight, keys are at most 60 s old while a key is fetched, and all of it takes at most 2 % of the
air. The closed loop's model of the same flight must give the same seconds within 10 %, or within
the second between two decisions of the policy, or lie between those of repeated flights.
"""

from __future__ import annotations

import argparse

from pqc_policy.policy.config import STRATEGY_NAMES
from pqc_sim.processes.command_line import whole

from pqc_bench.harness.usage import duration, output_file, some_of, unknown

LAYERED = "layered"

# How long a flight lasts by default: a little longer than the last layer may take.
SECONDS = {
    "wifi": 90.0,
    "lte": 120.0,
    "lte-handover": 120.0,
    "satellite": 330.0,
    "sik-57600": 510.0,
    "telemetry-radio": 510.0,
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--links",
        type=some_of(tuple(SECONDS), "link"),
        default=list(SECONDS),
        metavar="A,B",
        help=f"profiles of the emulator ({','.join(SECONDS)})",
    )
    lengths = ", ".join(f"{link} {seconds:g}" for link, seconds in SECONDS.items())
    parser.add_argument(
        "--seconds", type=duration, metavar="N", help=f"length of each flight ({lengths})"
    )
    parser.add_argument(
        "--strategy",
        type=_strategy,
        default=LAYERED,
        metavar="NAME",
        help=f"of the policy ({LAYERED})",
    )
    parser.add_argument(
        "--repeat", type=whole(1, 99), default=1, metavar="N", help="flights over each link (1)"
    )
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")


def _strategy(text: str) -> str:
    names = (LAYERED, *STRATEGY_NAMES)
    if text not in names:
        raise unknown("strategy", text, names)
    return text
