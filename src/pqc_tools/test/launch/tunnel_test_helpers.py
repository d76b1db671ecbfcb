# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The helpers of pqc_tunnel's launch tests, which are not installed."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "pqc_tunnel" / "test" / "launch"))

applications, graph_client, tunnel_pair = (
    importlib.import_module(name) for name in ("applications", "graph_client", "tunnel_pair")
)
