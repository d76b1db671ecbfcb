# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""All actions."""

from .basic import (
    DeclareLaunchArgument,
    EmitEvent,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    Shutdown,
)
from .execute_process import ExecuteProcess
from .structure import GroupAction, IncludeLaunchDescription, TimerAction

__all__ = [
    "DeclareLaunchArgument",
    "EmitEvent",
    "ExecuteProcess",
    "GroupAction",
    "IncludeLaunchDescription",
    "LogInfo",
    "OpaqueFunction",
    "RegisterEventHandler",
    "SetEnvironmentVariable",
    "SetLaunchConfiguration",
    "Shutdown",
    "TimerAction",
]
