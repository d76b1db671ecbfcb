# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Trains the detectors and the agent; nothing else needs its libraries."""
