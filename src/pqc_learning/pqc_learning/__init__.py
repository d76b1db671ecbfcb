# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Detectors and a strategy that learn: their data, their training and their judgement."""
