# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

# The time of an example depends on what else the machine does.
settings.register_profile("here", deadline=None, database=None)
settings.load_profile("here")

TEST = Path(__file__).parent
# The agent flies in the flights that test the other strategies.
sys.path[:0] = [str(TEST), str(TEST.parents[1] / "pqc_policy" / "test")]
