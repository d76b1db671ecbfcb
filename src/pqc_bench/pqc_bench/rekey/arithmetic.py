# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The bytes of a rekey on the air by arithmetic (docs/protocol.md), over links with a usual MTU."""

from __future__ import annotations

from pqc_policy.policy.suites import find_suite

_LONGEST_FRAME = 1232
_SEALING = 25  # header, time, kind and tag of a frame
_PART_HEADER = 9
_CONTROL_HEADER = 5
_MAC = 32
_ACKNOWLEDGEMENT = 8
_OPENING = 64
_PARTS_PER_ACKNOWLEDGEMENT = 2


def exchange_bytes(ciphertext: int) -> int:
    """Return the bytes of both ways for a KEM's ciphertext of so many bytes.

    They are Rekey and Finish in parts, an acknowledgement for every other part, CONFIRM, and a
    keep-alive each way under the new keys. Hybrid keys and drone signatures add to them.
    """
    message = _OPENING + ciphertext + 2 * _MAC
    parts = _divided(message, _LONGEST_FRAME - _SEALING - _PART_HEADER)
    acknowledgements = _divided(parts, _PARTS_PER_ACKNOWLEDGEMENT)
    control = _SEALING + _CONTROL_HEADER
    return (
        message
        + parts * (_SEALING + _PART_HEADER)
        + acknowledgements * (control + _ACKNOWLEDGEMENT)
        + (control + _MAC)
        + 2 * control
    )


def bytes_of(suite_id: str) -> int:
    """Return the bytes of a rekey to a suite; 0 if there is no such suite."""
    suite = find_suite(suite_id)
    return 0 if suite is None else exchange_bytes(suite.ciphertext_bytes)


def _divided(number: int, by: int) -> int:
    return -(-number // by)
