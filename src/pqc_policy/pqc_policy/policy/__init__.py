# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The pure policy: no ROS, no clock, no randomness; the same inputs give the same decision."""
