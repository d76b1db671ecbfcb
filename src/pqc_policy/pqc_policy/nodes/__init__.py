# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ROS nodes: they translate messages for the pure parts, and hold what those remember."""
