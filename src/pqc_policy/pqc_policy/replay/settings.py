# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The policy to replay with: the defaults, a parameter file, and what the command line says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from pqc_policy.policy.config import ConfigFault
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.parameters import from_parameters
from pqc_policy.policy.profile import load_profile
from pqc_policy.replay.recording import SETTLE_S

# Names under which ROS parameter files may have the policy's parameters.
_SECTIONS = ("/**/policy", "/**", "policy", "/policy", "/pqc/policy")
_ROS = "ros__parameters"
# Parameters of the node that are no part of the policy's configuration.
PROFILE, SETTLE = "profile", "settle_s"
NODE_ONLY = frozenset({PROFILE, SETTLE, "advise_only", "use_sim_time"})
_UPDATER = "diagnostic_updater."


@dataclass(frozen=True)
class Settings:
    """A policy, and how long it waits after each second."""

    policy: Policy
    settle_s: float = SETTLE_S


def make_settings(params: Path | None, strategy: str | None, profile: Path | None) -> Settings:
    """Return the policy to replay with; raises ConfigFault or ProfileFault, in one sentence."""
    values = read_parameters(params) if params is not None else {}
    settle_s = values.get(SETTLE, SETTLE_S)
    if isinstance(settle_s, bool) or not isinstance(settle_s, int | float):
        raise ConfigFault(f"{SETTLE} is {settle_s!r}, but must be a number.")
    if not 0.0 <= settle_s <= 0.9:
        raise ConfigFault(f"{SETTLE} is {settle_s}, but must be from 0 to 0.9.")
    file = profile if profile is not None else Path(str(values.get(PROFILE, "")))
    config = {
        name: value
        for name, value in values.items()
        if name not in NODE_ONLY and not name.startswith(_UPDATER)
    }
    if strategy is not None:
        config["strategy"] = strategy
    costs = load_profile(file) if str(file) not in ("", ".") else None
    return Settings(Policy(from_parameters(config), costs), float(settle_s))


def read_parameters(file: Path) -> dict[str, Any]:
    """Return the policy's parameters from a ROS parameter file or from a plain table."""
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as fault:
        raise ConfigFault(f"The parameter file {file} can't be read: {fault}.") from fault
    except yaml.YAMLError as fault:
        raise ConfigFault(f"The parameter file {file} is not YAML.") from fault
    if not isinstance(document, Mapping):
        raise ConfigFault(f"The parameter file {file} must be a table of names and values.")
    sections = [
        value[_ROS]
        for name, value in document.items()
        if isinstance(value, Mapping) and isinstance(value.get(_ROS), Mapping)
        if name in _SECTIONS or str(name).endswith("/policy")
    ]
    if not sections and any(isinstance(v, Mapping) and _ROS in v for v in document.values()):
        raise ConfigFault(f"The parameter file {file} has no section for the policy.")
    values: dict[str, Any] = {}
    for section in sections or [document]:
        values.update(_flat(section))
    return values


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            values.update(_flat(value, f"{prefix}{name}."))
        else:
            values[f"{prefix}{name}"] = value
    return values
