# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated vehicle, simulated flights, and the demonstration of the tunnel with both."""
