# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The wishes that strategies are made of: each proposes something for a situation, or nothing."""
