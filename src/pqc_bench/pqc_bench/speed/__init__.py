# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Speed of the primitives: pqc_speed, and a policy profile from its report."""
