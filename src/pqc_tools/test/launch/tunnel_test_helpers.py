# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the helpers of pqc_tunnel's launch tests importable, which are not installed."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "pqc_tunnel" / "test" / "launch"))
