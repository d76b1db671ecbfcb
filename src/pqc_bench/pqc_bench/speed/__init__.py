# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Speed of the primitives: running pqc_speed, and a policy profile from what it measured."""
