# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""For pqc_bench/reference alone, until it has a package of its own."""

from pqc_sim.datagrams.udp_port import enlarge_receive_buffer

__all__ = ["enlarge_receive_buffer"]
