# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of the tunnel, and what else proves it: simulation, formal models, fuzzing."""
