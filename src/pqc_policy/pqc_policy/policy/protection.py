# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What protects the data: the layers in the chain of keys, and what another one would cost.

A layer is one KEM's secret in the chain. The tunnel tells both in its status; two families of
problems, each in a structured and a plain form, count (docs/decisions/0091).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from pqc_policy.policy.suites import KemFamily
from pqc_policy.policy.wording import listed

EPHEMERAL, ONE_TIME, LAST_RESORT = "ephemeral", "one_time", "last_resort"
# Family of the problem and KEM family of each form, by its name in Layer.msg.
FORMS = {
    "structured": ("lattices", KemFamily.ML_KEM),
    "goppa": ("codes", KemFamily.MCELIECE),
    "plain": ("lattices", KemFamily.FRODOKEM),
    "quasi_cyclic": ("codes", KemFamily.HQC),
}
FORM_OF = {kem: form for form, (_, kem) in FORMS.items()}
# Bytes on the air of a ratchet, without and with a one-time key of the anchor.
RATCHET_BYTES, ONE_TIME_BYTES = 341, 390


@dataclass(frozen=True, slots=True)
class Layer:
    """The newest secret of a form and kind of key."""

    family: str  # lattices, codes or curves
    form: str
    kem: str  # as people write it
    key: str  # EPHEMERAL, ONE_TIME or LAST_RESORT
    age_s: float = 0.0  # since it entered the chain


@dataclass(frozen=True, slots=True)
class Fetch:
    """The costs of a rekey to a suite on this link, and how far the fetch of its key is."""

    suite: str
    fetch_bytes: int
    rekey_bytes: int
    fetch_s: float | None = None  # of a whole one within the tunnel's budget; None: unknown
    rekey_s: float | None = None
    ready: bool = False
    progress: float | None = None  # 0 to 1; None: no fetch is under way


def age_of(
    layers: Iterable[Layer], form: str, keys: Collection[str] = (EPHEMERAL, ONE_TIME)
) -> float | None:
    """Return the age of the newest secret of a form and of some keys in s, None without one.

    A last-resort key usually does not count: whoever seizes the ground station has it.
    """
    return min((one.age_s for one in layers if one.form == form and one.key in keys), default=None)


def in_words(layers: Iterable[Layer]) -> str:
    """Return the layers and what an adversary must break, as a sentence; empty without layers."""
    newest: dict[tuple[str, str], Layer] = {}
    for one in layers:
        known = newest.get((one.kem, one.key))
        if known is None or one.age_s < known.age_s:
            newest[one.kem, one.key] = one
    if not newest:
        return ""
    kinds = {ONE_TIME: "one-time, ", LAST_RESORT: "last-resort, "}
    words = (f"{x.kem} ({kinds.get(x.key, '')}{x.age_s:.0f} s old)" for x in newest.values())
    families = listed(dict.fromkeys(one.family for one in newest.values()))
    return f"The chain of keys has {listed(words)}: whoever records must break {families}."
