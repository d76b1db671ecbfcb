# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The sequence of events in a recording: calm, look-alikes, attacks."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

NORMAL = "normal"
CALM = "calm"
UP, DOWN, BOTH = "drone_to_gcs", "gcs_to_drone", "both"
# Traffic of both directions.
PER_S, BYTES = 100, 120
# A datagram of the traffic takes so much of the link, with frame and headers.
_ON_LINK_BYTES = BYTES + 36 + 28
Profile = dict[str, Any]


@dataclass(frozen=True)
class Phase:
    """One stretch of a recording; `link` are fields of an emulator's profile, by direction."""

    kind: str
    seconds: float
    label: str = NORMAL  # or a class of attack
    link: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    strangers_per_s: int = 0  # datagrams that somebody sends to the drone's port
    per_s: int = PER_S  # traffic
    stopped_s: float = 0.0  # for so long in every 2 s the drone's tunnel stands still

    @property
    def is_episode(self) -> bool:
        return self.kind != CALM

    def profile(self, usual: Profile) -> Profile:
        changed = deepcopy(usual)
        for way, fields in self.link.items():
            for direction in (UP, DOWN) if way == BOTH else (way,):
                changed[direction] = {**changed.get(direction, {}), **fields}
        return changed


def _calm(seconds: float = 12.0) -> Phase:
    return Phase(CALM, seconds)


def _attack(label: str, kind: str, **how: Any) -> Phase:
    return Phase(kind, 18.0, label, **how)


def _lookalike(kind: str, **how: Any) -> Phase:
    return Phase(kind, 15.0, **how)


def schedule(first_s: float = 25.0) -> tuple[Phase, ...]:
    """Return the phases of one recording, about six minutes; all begin on the usual link."""
    gaps = [{"start_ms": 3000, "length_ms": 500, "every_ms": 6000}]
    cut = [{"start_ms": 4000, "length_ms": 2500}]
    sweep = [{"start_ms": 300, "length_ms": 700, "every_ms": 1000}]
    half = {"rate_bits_per_s": 4 * _ON_LINK_BYTES * PER_S, "queue_bytes": 6000}
    events: tuple[Phase, ...] = (
        _lookalike("handover", link={BOTH: {"outages": gaps}}),
        _attack("jamming", "losses up", link={UP: {"loss_percent": 75}}),
        _lookalike("range", link={BOTH: {"loss_percent": 12}}),
        _attack("volumetric", "flood", strangers_per_s=4000),
        _lookalike("outage", link={BOTH: {"outages": cut}}),
        _attack("protocol", "forging", strangers_per_s=15),
        _lookalike("other rate", per_s=PER_S // 4),
        _attack("jamming", "sweeps", link={BOTH: {"outages": sweep}}),
        _attack("timing", "delay", link={BOTH: {"delay_ms": 800}}),
        _lookalike("busy computer", stopped_s=0.4),
        _attack("volumetric", "saturation", link={UP: half}),
        _attack("protocol", "replaying", link={BOTH: {"duplicate_percent": 80}}),
        _attack("timing", "withholding", link={BOTH: {"adversary": _withheld()}}),
        _attack("jamming", "losses", link={BOTH: {"loss_percent": 85}}),
    )
    phases = [_calm(first_s)]
    for event in events:
        phases += [event, _calm()]
    return tuple(phases)


def _withheld() -> list[dict[str, int]]:
    return [{"hold_percent": 40, "hold_ms": 2500}]
