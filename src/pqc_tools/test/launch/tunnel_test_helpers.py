# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The launch-test helpers that pqc_tunnel installs when it is built with tests."""

from __future__ import annotations

import importlib
import sys

from ament_index_python.packages import get_package_share_path

sys.path.insert(0, str(get_package_share_path("pqc_tunnel") / "test" / "launch"))

for name in ("applications", "graph_client", "tunnel_pair"):
    globals().update(vars(importlib.import_module(name)))
