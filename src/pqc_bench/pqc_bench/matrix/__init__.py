# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark matrix: suites x scenarios x loads x links, each cell a launch of its own."""
