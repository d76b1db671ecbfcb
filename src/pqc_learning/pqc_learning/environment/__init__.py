# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flights of the simulator as episodes, in which an agent chooses."""
