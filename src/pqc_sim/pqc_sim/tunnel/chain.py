# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The chain of keys: which secrets each epoch's keys depend on."""

from __future__ import annotations

from dataclasses import dataclass

from pqc_policy.policy.protection import FORM_OF, FORMS, Layer
from pqc_policy.policy.suites import Suite


@dataclass(frozen=True, slots=True)
class Secret:
    """One shared secret of a KEM, and the key pair behind it."""

    family: str  # lattices or codes
    form: str
    kem: str
    key: str  # kinds of protection.Layer
    made_s: float  # when the pair was made, from which on live state has its secret half


def secret_of(suite: Suite, key: str, made_s: float) -> Secret:
    """Return the secret of a suite's KEM."""
    form = FORM_OF[suite.family]
    return Secret(FORMS[form][0], form, suite.kem_name, key, made_s)


@dataclass(frozen=True, slots=True)
class KeyEpoch:
    """Keys in use from a time on, and what was mixed into the chain for them."""

    began_s: float
    mixed: tuple[Secret, ...]  # none: a ratchet
    chained: bool = True  # whether the keys before are in them; not after a restart
    ended_s: float | None = None  # when the node ended; None: the next epoch's begin


class LayersOf:
    """The newest secret of each form and kind of key in the chain of the newest of some epochs."""

    def __init__(self, epochs: list[KeyEpoch]) -> None:
        """Follow a list that only grows."""
        self._epochs = epochs
        self._count = 0  # of the epochs that are in the chain
        self._newest: dict[tuple[str, str], tuple[Secret, float]] = {}  # and when it began

    def at(self, now_s: float) -> tuple[Layer, ...]:
        """Return the layers at a time, the newest first."""
        if self._count != len(self._epochs):
            self._count = len(self._epochs)
            self._newest.clear()
            for epoch in reversed(self._epochs):
                for one in epoch.mixed:
                    self._newest.setdefault((one.form, one.key), (one, epoch.began_s))
                if not epoch.chained:
                    break
        return tuple(
            Layer(one.family, one.form, one.kem, one.key, max(now_s - began_s, 0.0))
            for one, began_s in self._newest.values()
        )
