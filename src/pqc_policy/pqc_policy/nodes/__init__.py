# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ROS nodes: messages, parameters and diagnostics around the pure parts."""
