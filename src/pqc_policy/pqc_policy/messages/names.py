# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The numbers of names and of suites in messages, and the lines of cues."""

from __future__ import annotations

from collections.abc import Sequence

from pqc_policy.policy.suites import SUITES, find_suite

# A message has the place of a name in its table, from 1; 0: none. New names come at the end.
ACTIONS = ("HOLD", "DOWN", "DOWN_TO_LIGHTEST", "UPGRADE", "REKEY", "ROLLBACK", "LAYER")
HOLDS = ("under_way", "retry", "interruption", "limit")
PHASES = ("on_ground", "take_off", "climb", "transit", "hover", "landing")
ATTACKS = (
    *("volumetric", "jamming", "timing", "protocol", "creeping", "loss"),
    *("fall", "surge", "flood", "forgery", "replay"),
)
CUES = ("loss", "jammed", "flood", "creeping")
# The place of an input is its bit.
INPUTS = ("link", "battery", "thermal", "armed", "session")
# The place of a verdict counts from 0.
VERDICTS = ("clear", "suspicious", "attack")

OTHER, _OTHER_CODE, _OTHER_INPUT = "other", 0xFF, 0x80
# A cue tells the operator what to do, in a line of 50 bytes with "PQC " before it.
_CUE_LINES = {
    "": "",
    "loss": "loss: slow down, or heavy detectors off",
    "jammed": "jammed: climb, change channel, or turn back",
    "flood": "flood: block its source before the drone",
    "creeping": "creeping attack: watch the link",
}
_OTHER_CUE = "cue: see the drone's decision"

NO_SUITE = bytes(5)
UNKNOWN_SUITE = b"\xff" * 5


def code_of(names: Sequence[str], name: str) -> int:
    """Return the number of a name; 255 for one that the table lacks."""
    if not name:
        return 0
    return names.index(name) + 1 if name in names else _OTHER_CODE


def name_of(names: Sequence[str], code: int) -> str:
    """Return the name of a number; "other" for one of a later version."""
    if code == 0:
        return ""
    return names[code - 1] if code <= len(names) else OTHER


def bits_of(inputs: Sequence[str]) -> int:
    bits = 0
    for name in inputs:
        bits |= 1 << INPUTS.index(name) if name in INPUTS else _OTHER_INPUT
    return bits


def inputs_of(bits: int) -> list[str]:
    """Return the inputs of bits; "other" for those that have no name here."""
    known = [name for place, name in enumerate(INPUTS) if bits >> place & 1]
    return [*known, OTHER] if bits >> len(INPUTS) else known


def cue_line(cue: str) -> str:
    """Return what the operator should do about a cue; empty without one."""
    return _CUE_LINES.get(cue, _OTHER_CUE)


def cue_of(cue_id: str, cue: str) -> str:
    """Return the id of a cue; a policy of an earlier version gives its cue none."""
    return cue_id or (OTHER if cue else "")


_SUITE_IDS = {suite.wire_id: suite.id for suite in SUITES}


def suite_code(suite_id: str) -> bytes:
    """Return the five bytes that name a suite on the wire; zeros for an unknown one."""
    suite = find_suite(suite_id)
    return NO_SUITE if suite is None else suite.wire_id


def suite_id(code: bytes) -> str:
    """Return the id of a suite; empty for none, and for one of a later version."""
    return _SUITE_IDS.get(code, "")
