# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The fields of an AdvisorVerdict, for the node and for simulated flights."""

from __future__ import annotations

from math import nan
from typing import Any

from pqc_policy.policy.inputs import Verdict, or_nan
from pqc_policy.sensing.detectors.advisor import AdvisorState
from pqc_policy.sensing.traffic.bins import Way
from pqc_policy.sensing.traffic.usual_traffic import Normal

_CODES = {Verdict.CLEAR: 0, Verdict.SUSPICIOUS: 1, Verdict.ATTACK: 2}


def verdict_fields(state: AdvisorState) -> dict[str, Any]:
    """Return every field of an AdvisorVerdict except the stamp."""
    name, finding = state.worst if state.worst is not None else ("", None)
    newest = state.recent[-1].ways() if state.recent else (None, None)
    usual = state.usual.known()
    return {
        "verdict": _CODES[state.verdict],
        "verdict_text": str(state.verdict),
        "score": nan if finding is None else finding.score,
        "probability": nan if finding is None else or_nan(finding.probability),
        "attack_class": attack_class(state),
        "evidence": "" if finding is None else finding.evidence,
        "detector": name,
        "packets": _received(newest[0]),
        "normal_packets": _normal(usual.up, newest[0]),
        "received": _received(newest[1]),
        "normal_received": _normal(usual.down, newest[1]),
        "detectors": [found for found, _ in state.findings],
        "scores": [found.score for _, found in state.findings],
    }


def attack_class(state: AdvisorState) -> str:
    """Return the class of the attack; without one, that of which there is a trace."""
    if state.verdict is Verdict.ATTACK:
        return state.attack_class
    worst = state.worst
    return "" if worst is None or worst[1].score <= 0.0 else str(worst[1].kind)


def _received(way: Way | None) -> float:
    return nan if way is None else way.received


def _normal(normal: Normal, way: Way | None) -> float:
    """Return the datagrams that normally arrive in a bin, of those sent where that is known."""
    if way is not None and way.sent is not None:
        return way.sent * normal.delivered
    return or_nan(normal.sent if normal.sent is not None else normal.received)
