# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated quadcopter: bytes in, bytes out, time as an argument; `vehicle_process` does I/O."""
