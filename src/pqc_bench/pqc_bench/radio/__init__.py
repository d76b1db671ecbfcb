# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Measures an autopilot and its ground programs over a radio, bare and through the tunnel."""
