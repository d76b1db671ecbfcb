# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Costs of other programs; JSON as described in pqc_policy.policy.profile."""
