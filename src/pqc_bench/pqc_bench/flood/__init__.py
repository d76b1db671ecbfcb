# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The flood: strangers at the open ports, what they were answered and what they cost."""
