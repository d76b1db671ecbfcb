# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The flood: strangers at the open ports, the answers that they got and their cost."""
