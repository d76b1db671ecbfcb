# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Check the policy's parameters: whether they can be used, and which suites they leave."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pqc_policy.parameters import ParameterFault, from_values
from pqc_policy.policy.settings import PolicySettings
from pqc_policy.replay.parameter_file import read_floor, read_values
from pqc_policy.shown_text import shown, shown_streams


@shown_streams()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 2 for parameters that can't be used, else 0.

    1: the tunnel uses no suite that may be chosen.
    """
    parser = argparse.ArgumentParser(prog="check", description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "params",
        type=Path,
        nargs="*",
        metavar="FILE.yaml",
        help="parameters of the policy, of which those of later files win; default: those of a "
        "node without a file",
    )
    parser.add_argument(
        "--tunnel",
        type=Path,
        metavar="FILE.yaml",
        help="parameters of the drone's tunnel, below whose min_level no policy can go",
    )
    options = parser.parse_args(arguments)
    try:
        policy = from_values(PolicySettings, read_values(*options.params)).make_policy()
        tunnel = read_floor(options.tunnel) if options.tunnel is not None else None
    except ParameterFault as fault:
        print(fault, file=sys.stderr)
        return 2
    usable, allowed = len(policy.order.usable), len(policy.order.allowed)
    print(f"Strategy {policy.config.strategy}, costs of {shown(policy.profile.name)}.")
    print(f"{usable} suites may be chosen, from {policy.order.usable[0].id} upwards.")
    if usable < allowed:
        print(
            f"{allowed - usable} more are allowed, but their switch is predicted to stop the data "
            f"for more than {policy.config.max_interruption_s:g} s."
        )
    if tunnel is not None:
        left = sum(map(tunnel.allows, policy.order.usable))
        print(f"The tunnel uses {left} of them, of level {tunnel.min_level} or above.")
        if not left:
            return 1
        start = tunnel.start
        lighter = [s for s in policy.order.usable if start and policy.order.lighter(s, start)]
        if not any(map(tunnel.allows, lighter)):
            print("None is lighter than the tunnel's first one: in flight only keys are renewed.")
    else:
        print("The limits of the tunnel are not known: give its parameters with --tunnel.")
    for name, value in sorted(policy.overridden.items()):
        print(f"The strategy sets {name} itself: {value} is not used.")
    return 0
