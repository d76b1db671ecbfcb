# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the policy node, which replay reads, too, and the policy that they describe."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pqc_policy.parameters import group, parameter
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.profile import SHIPPED, load_profile, shipped_profile


@dataclass(frozen=True)
class PolicySettings:
    config: PolicyConfig = group(PolicyConfig)
    advise_only: bool = parameter(
        False, "Decide and publish, but never request a rekey.", section="Operation"
    )
    profile: str = parameter(
        "",
        "Predicted costs of the suites: a file that `./dev bench speed --profile` has written on "
        "the drone, raspberry_pi_5 or raspberry_pi_4 (those of the papers, whose program stops the "
        "data for a rekey); empty: those of this tunnel, tunnel_x86_64.",
    )
    settle_s: float = parameter(
        0.25,
        "Time after each whole second to wait for messages stamped before it.",
        "s",
        0.0,
        0.9,
        live=False,
    )
    state_dir: str = parameter(
        "~/.ros/pqc_policy",
        "Folder in which what the operator holds outlives a restart; empty: it ends with the node.",
        live=False,
    )

    def make_policy(self) -> Policy:
        """Return the policy; raises ParameterFault if the values or the profile can't be used."""
        if self.profile in SHIPPED:
            profile = shipped_profile(self.profile)
        else:
            profile = load_profile(Path(self.profile)) if self.profile else None
        return Policy(self.config, profile, advise_only=self.advise_only)
