# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Attacks of the flights for judging: they swell and fade, pause, and have other parameters."""

from __future__ import annotations

import numpy as np

from pqc_learning.data.conditions import SLOT_S, Slots
from pqc_learning.data.episodes import CLASSES
from pqc_learning.data.plan import Draft, Kind

_VOLUMETRIC, _JAMMING, _TIMING, _PROTOCOL, _CREEPING = CLASSES[1:]


def _pareto(rng: np.random.Generator, least: float, most: float, shape: float) -> float:
    return min(least * (1.0 + rng.pareto(shape)), most)


def _ways(rng: np.random.Generator) -> tuple[str, ...]:
    return (("up",), ("up", "down"), ("down",))[rng.choice(3, p=(0.45, 0.35, 0.2))]


def _swelling(span: slice, rng: np.random.Generator) -> Slots:
    """Return a level from 0 to 1 that rises within two seconds and wavers."""
    at_s = np.arange(span.stop - span.start) * SLOT_S
    rise = np.minimum(at_s / rng.uniform(0.1, 2.0), 1.0)
    return rise * (1.0 - 0.15 * np.abs(np.sin(at_s / rng.uniform(1.0, 4.0))))


def _pausing(span: slice, rng: np.random.Generator) -> Slots:
    """Return 1 with short pauses of 0 in between."""
    level, slot = np.ones(span.stop - span.start), 0
    while slot < len(level):
        slot += int(rng.gamma(3.0, 1.5) / SLOT_S) + 1
        pause = int(rng.gamma(2.0, 0.15) / SLOT_S)
        level[slot : slot + pause] = 0.0
        slot += pause
    return level


# --- Volumetric ---


def flood(draft: Draft, start_s: float, end_s: float) -> None:
    """Flood our port with a mixture of datagrams, with pauses."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    per_s = _pareto(rng, 500.0, 30000.0, 0.8) * _pausing(span, rng)
    reasons = rng.permutation(["malformed", "unknown", "auth_fail", "replay", "seq_old"])[:2]
    share = rng.beta(5.0, 2.0)
    flight.drops[reasons[0]][span] += share * per_s
    flight.drops[reasons[1]][span] += (1.0 - share) * per_s
    lost = np.clip(per_s / 45000.0 - 0.15, 0.0, 0.9)
    flight.down.loss[span] = 1.0 - (1.0 - flight.down.loss[span]) * (1.0 - lost)
    flight.down.delay_s[span] += per_s / 30000.0 * rng.gamma(2.0, 0.01)
    draft.attack(_VOLUMETRIC, "flood", start_s, end_s)


def flood_of_peer(draft: Draft, start_s: float, end_s: float) -> None:
    """Flood the peer's port, so that its buffer overflows."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    level = rng.uniform(0.5, 0.95) * _swelling(span, rng)
    flight.up.loss[span] = 1.0 - (1.0 - flight.up.loss[span]) * (1.0 - level)
    flight.up.delay_s[span] += level * rng.gamma(2.0, 0.03)
    draft.attack(_VOLUMETRIC, "flood of the peer", start_s, end_s)


def saturation(draft: Draft, start_s: float, end_s: float) -> None:
    """Fill the queue before the slowest link on the way."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    for name in _ways(rng):
        (way,) = flight.ways(name)
        level = _swelling(span, rng)
        share = rng.uniform(0.45, 0.9) * level
        way.loss[span] = 1.0 - (1.0 - way.loss[span]) * (1.0 - share)
        way.delay_s[span] += rng.gamma(3.0, 0.12) * level
    draft.attack(_VOLUMETRIC, "saturation", start_s, end_s)


# --- Jamming ---


def noise(draft: Draft, start_s: float, end_s: float) -> None:
    """Raise the noise until most is lost."""
    rng = draft.rng
    span, worst = draft.conditions.span(start_s, end_s), rng.uniform(0.55, 0.98)
    for name in _ways(rng):
        draft.fading[name].set_loss(span, worst * _swelling(span, rng))
    draft.attack(_JAMMING, "noise", start_s, end_s)


def pulses(draft: Draft, start_s: float, end_s: float) -> None:
    """Jam in pulses whose lengths are gamma distributed."""
    rng = draft.rng
    span = draft.conditions.span(start_s, end_s)
    level, slot = np.zeros(span.stop - span.start), 0
    on_s = rng.uniform(0.15, 1.5)
    off_s = on_s * rng.uniform(0.2, 0.7)
    while slot < len(level):
        pulse = int(rng.gamma(4.0, on_s / 4.0) / SLOT_S) + 1
        level[slot : slot + pulse] = rng.uniform(0.9, 1.0)
        slot += pulse + int(rng.gamma(4.0, off_s / 4.0) / SLOT_S)
    for name in _ways(rng):
        draft.fading[name].set_loss(span, level)
    draft.attack(_JAMMING, "pulses", start_s, end_s)


def chirps(draft: Draft, start_s: float, end_s: float) -> None:
    """Sweep over the band: the loss rises and falls with the distance to the channel."""
    rng = draft.rng
    span = draft.conditions.span(start_s, end_s)
    at_s = np.arange(span.stop - span.start) * SLOT_S
    every_s, width = rng.uniform(0.5, 3.0), rng.uniform(0.35, 0.7)
    offset = np.abs((at_s / every_s + rng.random()) % 1.0 - 0.5) / width
    level = rng.uniform(0.9, 1.0) * np.exp(-((offset / 0.75) ** 4))
    for name in _ways(rng):
        draft.fading[name].set_loss(span, level)
    draft.attack(_JAMMING, "chirps", start_s, end_s)


# --- Timing ---


def delay(draft: Draft, start_s: float, end_s: float) -> None:
    """Delay everything, a little more and less."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    for name in _ways(rng):
        flight.ways(name)[0].delay_s[span] += rng.gamma(2.0, 0.6) * _swelling(span, rng)
    draft.attack(_TIMING, "delay", start_s, end_s)


def jitter(draft: Draft, start_s: float, end_s: float) -> None:
    """Withhold a changing share for short times."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    slots = span.stop - span.start
    for name in _ways(rng):
        (way,) = flight.ways(name)
        way.held[span] = rng.beta(3.0, 3.0)
        way.held_s[span] = np.minimum(rng.gamma(2.0, 0.15, slots), 0.95)
    draft.attack(_TIMING, "jitter", start_s, end_s)


def withholding(draft: Draft, start_s: float, end_s: float) -> None:
    """Withhold some for longer than the tunnel allows, with pauses."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    for name in _ways(rng):
        (way,) = flight.ways(name)
        way.held[span] = rng.uniform(0.05, 0.6) * _pausing(span, rng)
        way.held_s[span] = 1.1 + rng.gamma(2.0, 1.5)
    draft.attack(_TIMING, "withholding", start_s, end_s)


# --- Protocol ---


def forging(draft: Draft, start_s: float, end_s: float) -> None:
    """Send forged datagrams in small groups."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    reason = ("auth_fail", "unknown", "malformed")[rng.integers(3)]
    per_s = _pareto(rng, 4.0, 80.0, 1.2) * _pausing(span, rng)
    flight.drops[reason][span] += per_s
    draft.attack(_PROTOCOL, f"forging ({reason})", start_s, end_s)


def replaying(draft: Draft, start_s: float, end_s: float) -> None:
    """Send recorded datagrams again, old and new ones mixed, or to the peer."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    per_s = _pareto(rng, 4.0, 80.0, 1.2) * _pausing(span, rng)
    if rng.random() < 0.35:
        flight.repeats[span] += per_s
        draft.attack(_PROTOCOL, "replaying to the peer", start_s, end_s)
        return
    share = rng.beta(2.0, 2.0)
    flight.drops["replay"][span] += share * per_s
    flight.drops["seq_old"][span] += (1.0 - share) * per_s
    draft.attack(_PROTOCOL, "replaying", start_s, end_s)


# --- Creeping ---


def creeping_noise(draft: Draft, start_s: float, end_s: float) -> None:
    """Raise the noise slowly, as an S."""
    rng = draft.rng
    span = draft.conditions.span(start_s, end_s)
    place = np.linspace(-5.0, 5.0, span.stop - span.start)
    level = rng.uniform(0.5, 0.9) / (1.0 + np.exp(-place))
    for name in _ways(rng):
        draft.fading[name].set_loss(span, level)
    draft.attack(_CREEPING, "noise", start_s, end_s)


def creeping_delay(draft: Draft, start_s: float, end_s: float) -> None:
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    rise = np.linspace(0.0, 1.0, span.stop - span.start) ** 2
    for name in _ways(rng):
        flight.ways(name)[0].delay_s[span] += rng.uniform(0.8, 3.0) * rise
    draft.attack(_CREEPING, "delay", start_s, end_s)


def creeping_forgery(draft: Draft, start_s: float, end_s: float) -> None:
    """Forge or replay more and more, evenly."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    reason = ("auth_fail", "unknown", "malformed", "replay")[rng.integers(4)]
    flight.drops[reason][span] += np.linspace(0.0, rng.uniform(5.0, 60.0), span.stop - span.start)
    draft.attack(_CREEPING, f"forging ({reason})", start_s, end_s)


ATTACKS = {
    _VOLUMETRIC: (
        Kind(flood, 15.0, 50.0),
        Kind(flood_of_peer, 15.0, 50.0),
        Kind(saturation, 15.0, 50.0),
    ),
    _JAMMING: (Kind(noise, 15.0, 50.0), Kind(pulses, 15.0, 50.0), Kind(chirps, 15.0, 50.0)),
    _TIMING: (Kind(delay, 15.0, 50.0), Kind(jitter, 15.0, 50.0), Kind(withholding, 15.0, 50.0)),
    _PROTOCOL: (Kind(forging, 15.0, 50.0), Kind(replaying, 15.0, 50.0)),
    _CREEPING: (
        Kind(creeping_noise, 80.0, 200.0),
        Kind(creeping_delay, 80.0, 200.0),
        Kind(creeping_forgery, 80.0, 200.0),
    ),
}
