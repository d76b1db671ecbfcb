# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The rules that strategies are made of: each returns a proposal for a situation, or None."""
