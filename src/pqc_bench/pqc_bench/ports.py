# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""For pqc_bench/reference alone, until it has a package of its own."""

from pqc_sim.pair.ports import LOOPBACK, free_ports

__all__ = ["LOOPBACK", "free_ports"]
