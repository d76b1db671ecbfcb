# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The policy as pure functions: no ROS, clock or random numbers."""
