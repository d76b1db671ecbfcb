# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The cue: what the operator should do, as a sentence with a stable id."""

from __future__ import annotations

from pqc_policy.policy.decision import LOSS
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.wording import apart


def cue_of(s: Situation) -> tuple[str, str]:
    """Return the id and the sentence that an attack, or a lossy link, asks for.

    Both are empty if there is nothing to do.
    """
    attack_s = s.age_s(s.state.levels.advisor_since_s)
    attacked = attack_s is not None and attack_s >= s.config.persistence_s
    if attacked and s.response is not None and s.response.advice:
        return s.response.cue_id, s.response.advice
    lasted_s = s.lasted_s("lossy")
    if lasted_s is None or lasted_s < s.config.persistence_s or s.loss is None:
        return "", ""
    loss, limit = apart(100.0 * s.loss, 100.0 * s.config.cue_loss, 0)
    return LOSS, (
        f"The link loses {loss} % of the datagrams, more than {limit} %: slow the mission down, or "
        "switch heavy detectors off."
    )
