# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""For pqc_bench/reference alone, until it has a package of its own."""

from pqc_sim.processes.child import die_with_parent, stop

__all__ = ["die_with_parent", "stop"]
