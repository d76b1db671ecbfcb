# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Check the policy's parameters: which rules can never act with them, and why."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.inert_rules import inert_rules
from pqc_policy.replay.parameter_file import read_settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 2 for parameters that can't be used, 1 for inert rules, else 0."""
    parser = argparse.ArgumentParser(prog="check", description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "params",
        type=Path,
        nargs="?",
        metavar="FILE.yaml",
        help="parameters of the policy; default: those of a node without a file",
    )
    options = parser.parse_args(arguments)
    try:
        policy = read_settings(options.params).make_policy()
    except ParameterFault as fault:
        print(fault, file=sys.stderr)
        return 2
    found = inert_rules(policy)
    usable, allowed = len(policy.order.usable), len(policy.order.allowed)
    print(f"Strategy {policy.config.strategy}, costs of {policy.profile.name}.")
    print(f"{usable} suites may be chosen, from {policy.order.usable[0].id} upwards.")
    if usable < allowed:
        print(
            f"{allowed - usable} more are allowed, but their switch is predicted to stop the data "
            f"for more than {policy.config.max_interruption_s:g} s."
        )
    for inert in found:
        print(f"The rule {inert.rule} can never act: {inert.why}.")
    if not found:
        print("Every rule can act.")
    return 1 if found else 0
