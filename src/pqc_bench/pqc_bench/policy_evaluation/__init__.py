# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Drawn flights on real nodes, beside what the simulator makes of them."""
