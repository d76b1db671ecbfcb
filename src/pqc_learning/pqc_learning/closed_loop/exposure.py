# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which share of a flight's datagrams an adversary reads, who breaks what (docs/threat-model.md).

It follows from the key schedule: the keys of an epoch depend on every secret that was mixed into
the chain until then. Whoever lacks one of these reads nothing of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pqc_policy.policy.protection import LAST_RESORT
from pqc_sim.tunnel.chain import KeyEpoch, Secret

from pqc_learning.closed_loop.air_record import AirRecord

_THEFTS = 50  # moments of theft, evenly over the flight


@dataclass(frozen=True)
class UsedKeys:
    """One epoch, and the datagrams that went under its keys."""

    began_s: float
    ended_s: float
    datagrams: float
    mixed: tuple[Secret, ...]  # none: a ratchet
    chained: bool = True  # whether the keys before are in them


@dataclass(frozen=True)
class Adversary:
    """Has the PSK and a recording of everything, and breaks some families."""

    breaks: frozenset[str]
    seizes_identity: bool = False  # of the ground station, after the flight
    stole_s: float | None = None  # when it stole the live state of both ends; None: never

    def has(self, secret: Secret) -> bool:
        """Return whether it has a secret.

        Live state has the pairs that were made before the theft, but no long-lived ones.
        """
        if secret.family in self.breaks:
            return True
        if secret.key == LAST_RESORT:
            return self.seizes_identity
        live = secret.key == "ephemeral"
        return live and self.stole_s is not None and secret.made_s <= self.stole_s


def exposed(epochs: Sequence[UsedKeys], adversary: Adversary) -> tuple[float, float]:
    """Return how many datagrams an adversary reads, of how many: after a theft those after it.

    Epochs are in their order; within one, datagrams are spread evenly.
    """
    read = total = 0.0
    stole_s, known = adversary.stole_s, True
    for epoch in epochs:
        if not epoch.chained:
            known = True  # whatever was before it, only its own secrets count
        known = known and all(adversary.has(one) for one in epoch.mixed)
        part = epoch.datagrams
        if stole_s is not None:
            if epoch.ended_s <= stole_s:
                known = True  # the theft, which is later, gives what there is then
                continue
            if epoch.began_s <= stole_s:
                known = True
                part *= (epoch.ended_s - stole_s) / (epoch.ended_s - epoch.began_s)
        total += part
        read += part if known else 0.0
    return read, total


_LATTICES, _CODES = frozenset({"lattices"}), frozenset({"codes"})
RECORDERS = {
    "A1": Adversary(_LATTICES),
    "A2": Adversary(_CODES),
    "A3": Adversary(_LATTICES, seizes_identity=True),
}


def shares(epochs: Sequence[UsedKeys]) -> dict[str, tuple[float, float]]:
    """Return what each adversary reads, and of how many datagrams.

    A4 steals at a random moment: it has the mean of moments that are spread evenly over the flight.
    """
    found = {name: exposed(epochs, one) for name, one in RECORDERS.items()}
    end_s = max((epoch.ended_s for epoch in epochs), default=0.0)
    moments = [(number + 0.5) / _THEFTS * end_s for number in range(_THEFTS)]
    thefts = [exposed(epochs, Adversary(_LATTICES, stole_s=at_s)) for at_s in moments]
    read, total = (sum(part) / _THEFTS for part in zip(*thefts, strict=True))
    return {**found, "A4": (read, total)}


def windows(epochs: Collection[UsedKeys]) -> tuple[float, float]:
    """Return the mean and the longest time of traffic under one key, in s."""
    times = [epoch.ended_s - epoch.began_s for epoch in epochs if epoch.datagrams]
    return (sum(times) / len(times), max(times)) if times else (0.0, 0.0)


def used_keys(
    epochs: Sequence[KeyEpoch], end_s: float, ways: Collection[AirRecord]
) -> list[UsedKeys]:
    """Return the epochs of a flight from 0 to end_s with the datagrams of both ways."""
    ends = [*(epoch.began_s for epoch in epochs[1:]), end_s]
    used = []
    for epoch, next_s in zip(epochs, ends, strict=True):
        last_s = next_s if epoch.ended_s is None else epoch.ended_s
        first_s, last_s = max(epoch.began_s, 0.0), min(max(last_s, 0.0), end_s)
        count = sum(way.offered(first_s, last_s) for way in ways) if last_s > first_s else 0
        used.append(UsedKeys(first_s, last_s, float(count), epoch.mixed, epoch.chained))
    return used
