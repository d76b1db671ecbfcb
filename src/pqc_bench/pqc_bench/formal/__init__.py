# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the models of the top folder `formal/` and compares verdicts with what is expected."""
