# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""metrics.json: its schema; how it is computed, checked, written and read."""

from pqc_bench.metrics.file import MetricsFault, read_metrics, write_metrics

__all__ = ["MetricsFault", "read_metrics", "write_metrics"]
