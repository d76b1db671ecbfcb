# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

# No deadline, since the time of an example depends on the load of the machine. The examples are the
# same in every run and are not shrunk, since histories of hours take too long for that.
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
