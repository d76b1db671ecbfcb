# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One cell of the benchmark matrix: its definition, launch, load, observation and end."""
