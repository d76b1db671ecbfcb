# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Measure what the side of the drone costs its computer: memory, threads, wake-ups, time."""
