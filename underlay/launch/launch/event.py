# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Something that happened while launching."""


class Event:
    """Base of all events."""

    name = "launch.Event"
