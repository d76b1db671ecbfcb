# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The power of the computer: captured, or imported from a meter; its energy by parts of a cell."""
