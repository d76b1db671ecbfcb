# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Launch actions and substitutions that know ROS nodes and packages."""
