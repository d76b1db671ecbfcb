# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""All actions."""

from .configuration import (
    DeclareLaunchArgument,
    PopLaunchConfigurations,
    PushLaunchConfigurations,
    ResetLaunchConfigurations,
    SetLaunchConfiguration,
    UnsetLaunchConfiguration,
)
from .environment import (
    AppendEnvironmentVariable,
    PopEnvironment,
    PushEnvironment,
    ResetEnvironment,
    SetEnvironmentVariable,
    UnsetEnvironmentVariable,
)
from .events import EmitEvent, RegisterEventHandler, Shutdown, UnregisterEventHandler
from .execute_process import ExecuteProcess
from .functions import LogInfo, OpaqueFunction
from .structure import GroupAction, IncludeLaunchDescription
from .timer_action import TimerAction

__all__ = [
    "AppendEnvironmentVariable",
    "DeclareLaunchArgument",
    "EmitEvent",
    "ExecuteProcess",
    "GroupAction",
    "IncludeLaunchDescription",
    "LogInfo",
    "OpaqueFunction",
    "PopEnvironment",
    "PopLaunchConfigurations",
    "PushEnvironment",
    "PushLaunchConfigurations",
    "RegisterEventHandler",
    "ResetEnvironment",
    "ResetLaunchConfigurations",
    "SetEnvironmentVariable",
    "SetLaunchConfiguration",
    "Shutdown",
    "TimerAction",
    "UnregisterEventHandler",
    "UnsetEnvironmentVariable",
    "UnsetLaunchConfiguration",
]
