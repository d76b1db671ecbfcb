# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Currents in cA by which autopilots say that they know none."""

# The message set's own value; PX4's -1 A without a sensor; the ends of an int16.
UNKNOWN_CURRENTS = (-1, -100, 32767, -32767, -32768)
