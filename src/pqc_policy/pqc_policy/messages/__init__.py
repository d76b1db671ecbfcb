# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages that the programs of a drone and of its ground station send each other.

The tunnel carries each as a kind and up to 64 bytes; docs/protocol.md has the bytes of each kind.
Readers return None for contents that are too short or mean nothing, and ignore bytes of later
versions at the end.
"""
