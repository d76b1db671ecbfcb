# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""All substitutions."""

from .logic import (
    AllSubstitution,
    AndSubstitution,
    AnySubstitution,
    EqualsSubstitution,
    NotEqualsSubstitution,
    NotSubstitution,
    OrSubstitution,
    PythonExpression,
)
from .substitution_failure import SubstitutionFailure
from .system import Command, FindExecutable, PathJoinSubstitution
from .values import (
    EnvironmentVariable,
    LaunchConfiguration,
    LocalSubstitution,
    TextSubstitution,
    ThisLaunchFile,
    ThisLaunchFileDir,
)

__all__ = [
    "AllSubstitution",
    "AndSubstitution",
    "AnySubstitution",
    "Command",
    "EnvironmentVariable",
    "EqualsSubstitution",
    "FindExecutable",
    "LaunchConfiguration",
    "LocalSubstitution",
    "NotEqualsSubstitution",
    "NotSubstitution",
    "OrSubstitution",
    "PathJoinSubstitution",
    "PythonExpression",
    "SubstitutionFailure",
    "TextSubstitution",
    "ThisLaunchFile",
    "ThisLaunchFileDir",
]
