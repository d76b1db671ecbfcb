# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests, demonstration and measurements share free ports, a graph and child processes."""
