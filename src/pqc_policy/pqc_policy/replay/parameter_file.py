# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the policy's parameters from a ROS parameter file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pqc_policy.named_files import MOST_YAML_BYTES, FileFault, from_yaml, read_text
from pqc_policy.parameter_sections import flat, sections
from pqc_policy.parameters import ParameterFault, from_values
from pqc_policy.policy.settings import PolicySettings
from pqc_policy.policy.tunnel_floor import TunnelFloor, tunnel_floor

# The section of a ROS parameter file that applies to every node.
_ALL = "/**"
# Every node has these.
_OF_EVERY_NODE = ("use_sim_time", "diagnostic_updater.")


def read_settings(file: Path | None) -> PolicySettings:
    """Return the settings in a file, if there is one, else the defaults.

    Raises ParameterFault for a file or a value that can't be used.
    """
    return from_values(PolicySettings, {} if file is None else read_values(file))


def read_values(*files: Path, node: str = "policy") -> dict[str, Any]:
    """Return the flat values of a node in files as they are; those of later files win.

    Raises ParameterFault for a file that's unfit.
    """
    values = {name: v for file in files for name, v in _read(file, node).items()}
    return {name: v for name, v in values.items() if not name.startswith(_OF_EVERY_NODE)}


def read_floor(file: Path) -> TunnelFloor:
    """Return what a parameter file of the tunnel leaves; raises ParameterFault."""
    return tunnel_floor(_read(file, "tunnel"))


def _read(file: Path, node: str) -> dict[str, Any]:
    """Return flat values of a node from a ROS parameter file or from a plain table."""
    try:
        document = from_yaml(read_text(file, MOST_YAML_BYTES))
    except FileFault as fault:
        raise ParameterFault(f"The parameter file {file} {fault}.") from fault
    if not isinstance(document, Mapping):
        raise ParameterFault(f"The parameter file {file} must be a table of names and values.")
    found = list(sections(document))
    own = [s for s in found if s.name in (_ALL, node) or s.name.endswith(f"/{node}")]
    if found and not own:
        names = ", ".join(section.name for section in found)
        raise ParameterFault(
            f"The parameter file {file} has no section for the {node}, only for {names}."
        )
    if not found:
        return flat(document)
    return {name: value for section in own for name, value in section.values.items()}
