# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the source tree, for measurements of code that is not installed."""

from __future__ import annotations

import os
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault


def source_tree() -> Path:
    """Return the top folder of the sources, which `./dev` names in PQC_MAV_SOURCE."""
    named = os.environ.get("PQC_MAV_SOURCE", "")
    if not named or not (Path(named) / "src" / "pqc_tunnel").is_dir():
        raise RunFault("this needs the source tree: run it through './dev bench'")
    return Path(named)
