# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

# How long an example takes depends on what else the machine does; the examples are the same ones
# in every run, and histories of hours take too long to be shortened.
settings.register_profile(
    "here",
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("here")

sys.path.insert(0, str(Path(__file__).parent))
