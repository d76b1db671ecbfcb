# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which flights an agent is trained and tried out with; those for reporting are others.

pqc_learning.closed_loop.distribution: seeds from 1,000,000 on are for reporting only.
"""

from __future__ import annotations

from pqc_learning.closed_loop.distribution import HELD_OUT

TRAINING = range(200_000, 300_000)
TRYING_OUT = range(300_000, 400_000)  # for the figures on the card
assert TRYING_OUT.stop <= HELD_OUT
