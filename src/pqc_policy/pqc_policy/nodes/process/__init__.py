# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The process around a node: its streams, signals, clocks and end."""
