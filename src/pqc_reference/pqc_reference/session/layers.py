# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The secrets that the keys of an epoch depend on ("Layers" of the protocol page)."""

from __future__ import annotations

from typing import NamedTuple

from pqc_reference.crypto.suites import Kem, Suite

# Family and form of the hard problem, by the first byte of a KEM's code.
PROBLEMS = {
    1: ("lattices", "structured"),
    2: ("codes", "quasi_cyclic"),
    3: ("codes", "goppa"),
    4: ("lattices", "plain"),
}


class Place(NamedTuple):
    """What a newer layer takes the place of."""

    family: str
    form: str
    key: str  # ephemeral, one_time or last_resort


Layers = dict[Place, str]  # and the name of the KEM


class AnchorUse(NamedTuple):
    """A key of the anchor that a session has used."""

    kem: Kem
    one_time: bool


def after_exchange(
    before: Layers, suite: Suite, *, hybrid: bool, anchor: AnchorUse | None = None
) -> Layers:
    """Return the layers of keys from a KEM of a suite; those of the rms that went in: `before`."""
    after = before | _layer(suite.kem, "ephemeral")
    if hybrid:
        after[Place("curves", "x25519", "ephemeral")] = "X25519"
    if anchor is not None:
        after |= _layer(anchor.kem, "one_time" if anchor.one_time else "last_resort")
    return after


def after_ratchet(before: Layers, anchor: AnchorUse | None) -> Layers:
    """Return the layers of keys from a ratchet, with a one-time key of the anchor or without."""
    return before if anchor is None else before | _layer(anchor.kem, "one_time")


def _layer(kem: Kem, key: str) -> Layers:
    name = kem.oqs_name.replace("Classic-McEliece-", "Classic McEliece ")
    return {Place(*PROBLEMS[kem.code[0]], key): name}
