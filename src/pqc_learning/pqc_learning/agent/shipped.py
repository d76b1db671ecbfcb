# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The strategies with the agent of this package; the policy finds them by entry points."""

from pqc_learning.agent.strategies import hybrid_of, rl_of
from pqc_learning.agent.table import SHIPPED, load_agent

_AGENT = load_agent(SHIPPED)
rl, hybrid = rl_of(_AGENT), hybrid_of(_AGENT)
