# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Describe a set of processes and the events between them, and run it."""

from .launch_context import LaunchContext
from .launch_description import LaunchDescription, LaunchDescriptionEntity
from .launch_description_source import LaunchDescriptionSource
from .launch_service import LaunchService

__all__ = [
    "LaunchContext",
    "LaunchDescription",
    "LaunchDescriptionEntity",
    "LaunchDescriptionSource",
    "LaunchService",
]
