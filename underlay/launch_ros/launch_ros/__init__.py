# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Launch actions and substitutions that know ROS nodes and packages."""

from . import actions, descriptions, parameter_descriptions, substitutions, utilities

__all__ = ["actions", "descriptions", "parameter_descriptions", "substitutions", "utilities"]
