# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Records the real tunnel in normal traffic and under attack, for judging detectors."""
