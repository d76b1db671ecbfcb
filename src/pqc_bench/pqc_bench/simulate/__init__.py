# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the simulator of `src/pqc_tunnel/test/simulator`."""
