# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated flights: physics around the real sensing and policy, and the recorder of their bags."""
