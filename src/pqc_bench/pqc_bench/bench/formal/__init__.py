# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the formal models of the top folder `formal/` and compares their verdicts with what is expected."""
