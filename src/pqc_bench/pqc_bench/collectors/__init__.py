# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The six collectors of a cell: environment, system, power, network, latency, MAVLink."""
