# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""All actions."""

from .node import Node
from .scope import (
    PushROSNamespace,
    SetParameter,
    SetParametersFromFile,
    SetRemap,
)

PushRosNamespace = PushROSNamespace

__all__ = [
    "Node",
    "PushROSNamespace",
    "PushRosNamespace",
    "SetParameter",
    "SetParametersFromFile",
    "SetRemap",
]
