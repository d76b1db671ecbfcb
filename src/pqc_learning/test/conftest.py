# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

# How long an example takes depends on what else the machine does.
settings.register_profile("here", deadline=None, database=None)
settings.load_profile("here")

sys.path.insert(0, str(Path(__file__).parent))
