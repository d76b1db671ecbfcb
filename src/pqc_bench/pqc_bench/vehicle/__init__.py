# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated quadcopter: bytes in, datagrams out, time as an argument; only `main` does I/O."""
