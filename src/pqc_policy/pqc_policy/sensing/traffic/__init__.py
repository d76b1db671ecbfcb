# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The traffic of both directions in bins, what is usual of it, and its features."""
