# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Shared by measurements: both tunnel nodes, a view of them, generated traffic, the machine."""
