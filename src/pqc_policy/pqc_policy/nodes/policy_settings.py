# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The policy node's parameters, and the policy that they describe."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pqc_policy.nodes.parameters import Parameter, ParameterFault
from pqc_policy.policy.config import ConfigFault
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.parameters import from_parameters, settings
from pqc_policy.policy.profile import ProfileFault, load_profile
from pqc_policy.policy.strategies import STRATEGIES

PROFILE = "profile"
SETTLE_S = "settle_s"
ADVISE_ONLY = "advise_only"

NODE_PARAMETERS = (
    Parameter(
        PROFILE, "", "file of what suites cost on this machine; empty: the shipped measurements"
    ),
    Parameter(ADVISE_ONLY, False, "decide and publish, but never ask for a rekey"),
    Parameter(
        SETTLE_S,
        0.15,
        "s waited after each whole second for what was measured before it",
        0.0,
        0.9,
        read_only=True,
    ),
)
POLICY_PARAMETERS = tuple(
    Parameter(
        name,
        # An empty list has no type in ROS; empty texts count for nothing.
        [""] if setting.default == [] else setting.default,
        setting.description,
        setting.low,
        setting.high,
        choices=tuple(STRATEGIES) if name == "strategy" else (),
    )
    for name, setting in settings().items()
)
PARAMETERS = POLICY_PARAMETERS + NODE_PARAMETERS


def make_policy(values: Mapping[str, Any]) -> Policy:
    """Return the policy that parameters describe; raises ParameterFault, in one sentence."""
    own = {parameter.name for parameter in NODE_PARAMETERS}
    try:
        config = from_parameters({n: v for n, v in values.items() if n not in own})
        file = values.get(PROFILE, "")
        return Policy(config, load_profile(Path(file)) if file else None)
    except (ConfigFault, ProfileFault) as fault:
        raise ParameterFault(str(fault)) from fault
