# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Converts ROS messages to dictionaries."""

from __future__ import annotations

from typing import Any


def as_plain(message: Any) -> Any:
    if hasattr(message, "get_fields_and_field_types"):
        names = message.get_fields_and_field_types()
        return {name: as_plain(getattr(message, name)) for name in names}
    if isinstance(message, list | tuple):
        return [as_plain(part) for part in message]
    return message
