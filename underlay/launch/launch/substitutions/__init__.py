# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""All substitutions."""

from .logic import (
    AllSubstitution,
    AndSubstitution,
    AnySubstitution,
    EqualsSubstitution,
    IfElseSubstitution,
    NotEqualsSubstitution,
    NotSubstitution,
    OrSubstitution,
    PythonExpression,
)
from .substitution_failure import SubstitutionFailure
from .system import Command, FileContent, FindExecutable, PathJoinSubstitution
from .values import (
    AnonName,
    EnvironmentVariable,
    LaunchConfiguration,
    LaunchLogDir,
    LocalSubstitution,
    TextSubstitution,
    ThisLaunchFile,
    ThisLaunchFileDir,
)

__all__ = [
    "AllSubstitution",
    "AndSubstitution",
    "AnonName",
    "AnySubstitution",
    "Command",
    "EnvironmentVariable",
    "EqualsSubstitution",
    "FileContent",
    "FindExecutable",
    "IfElseSubstitution",
    "LaunchConfiguration",
    "LaunchLogDir",
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
