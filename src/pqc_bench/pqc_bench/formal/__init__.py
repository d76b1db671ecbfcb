# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the models in the top folder `formal/` and compares verdicts with the expected ones."""
