# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The table of classes of attack, and how the policy responds to each.

The keys are the classes that the advisor's verdicts name: those of the learned detectors, and those
of the heuristic and the counters. An unknown class, and a verdict without one, get `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class FreshKeys(StrEnum):
    """The time at which an attack is a reason for fresh keys, beside the routine."""

    NEVER = "never"
    NOW = "now"  # at its begin
    AFTER = "after"  # at its end


@dataclass(frozen=True, slots=True)
class Response:
    """The response that a class of attack asks for."""

    lighter: bool  # whether suites with lighter handshakes help
    keys: FreshKeys
    ratchets: bool  # whether keys are renewed by ratchets while it lasts, the routine's, too
    why: str  # a clause for the decision's reason
    advice: str = ""  # what the operator should do, a sentence; empty: nothing
    cue_id: str = ""  # a stable id of the advice


_JAMMING = Response(
    lighter=True,
    keys=FreshKeys.NOW,
    ratchets=True,
    why="few datagrams get through a jammed link",
    advice="The link is jammed: gain height, change the channel, or turn back.",
    cue_id="jammed",
)
_VOLUMETRIC = Response(
    lighter=False,
    keys=FreshKeys.NEVER,
    ratchets=True,
    why="no suite makes a flood smaller, and it delays what a full rekey sends",
    advice="Datagrams flood the tunnel's port: block their source before they reach the drone.",
    cue_id="flood",
)
_TIMING = Response(
    lighter=False,
    keys=FreshKeys.AFTER,
    ratchets=False,
    why="no suite makes a delay shorter; fresh keys follow, with which what was withheld is void",
)
_PROTOCOL = Response(
    lighter=False,
    keys=FreshKeys.NOW,
    ratchets=False,
    why="no suite prevents forged or repeated datagrams; with fresh keys, recorded ones are void",
)
_CREEPING = Response(
    lighter=False,
    keys=FreshKeys.NEVER,
    ratchets=False,
    why="a change this slow is only reported",
    advice="The traffic has changed slowly, as in an attack that creeps: watch the link.",
    cue_id="creeping",
)
UNKNOWN = Response(
    lighter=True,
    keys=FreshKeys.NOW,
    ratchets=False,
    why="the class of the attack is not known",
)

RESPONSES: Mapping[str, Response] = {
    # The learned detectors name these.
    "volumetric": _VOLUMETRIC,
    "jamming": _JAMMING,
    "timing": _TIMING,
    "protocol": _PROTOCOL,
    "creeping": _CREEPING,
    # The heuristic names these.
    "loss": _JAMMING,
    "fall": _JAMMING,
    "surge": _VOLUMETRIC,
    # The counters name these.
    "flood": _VOLUMETRIC,
    "forgery": _PROTOCOL,
    "replay": _PROTOCOL,
}


def response_to(attack_class: str) -> Response:
    return RESPONSES.get(attack_class, UNKNOWN)
