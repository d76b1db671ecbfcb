# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import sys
from pathlib import Path

from hypothesis import settings

# The time of an example depends on what else the machine does.
settings.register_profile("here", deadline=None, database=None)
settings.load_profile("here")

PACKAGE = Path(__file__).parents[1]
sys.path.insert(0, str(Path(__file__).parent))
# Programs started by tests run from this source tree, too.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])]
)
