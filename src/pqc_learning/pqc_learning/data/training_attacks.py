# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Attacks of the flights for training: there at once or in steps, at one level or with pauses."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from pqc_sim.physics.air import Air, Spell

from pqc_learning.data.conditions import SLOT_S, Slots
from pqc_learning.data.episodes import CLASSES
from pqc_learning.data.plan import Draft, Kind

_VOLUMETRIC, _JAMMING, _TIMING, _PROTOCOL, _CREEPING = CLASSES[1:]
# A creeping attack below this is like a normal flight, and nothing can be learned from it.
_SHOWN_LOSS, _SHOWN_DELAY_S, _SHOWN_PER_S = 0.2, 0.3, 2.0


def _log(rng: np.random.Generator, low: float, high: float) -> float:
    return low * (high / low) ** rng.random()


def _way(rng: np.random.Generator) -> str:
    return ("up", "up", "both", "both", "down")[rng.integers(5)]


def _steady_or_not(span: slice, rng: np.random.Generator) -> Slots:
    """Return 1 for each slot, or more with pauses of 0 in turns, the mean kept."""
    level = np.ones(span.stop - span.start)
    if rng.random() < 0.5:
        every = max(int(_log(rng, 0.2, 6.0) / SLOT_S), 2)
        on = max(int(every * rng.uniform(0.4, 0.95)), 1)
        level[np.arange(len(level)) % every >= on] = 0.0
        level /= level.mean()
    return level


@dataclass(frozen=True)
class _Onset:
    """The onset of an attack in steps: each has a height, and an end in s after the begin."""

    steps: tuple[tuple[float, float], ...] = ()

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> _Onset:
        """Draw one; half of them have no steps, the attack is there at once."""
        if rng.random() < 0.5:
            return cls()
        count, length_s = int(rng.integers(1, 5)), rng.uniform(0.3, 3.0)
        ends_s = np.sort(rng.uniform(0.1, length_s, count))
        heights = np.sort(rng.uniform(0.05, 0.95, count))
        return cls(tuple(zip(ends_s.tolist(), heights.tolist(), strict=True)))

    def level(self, span: slice) -> Slots:
        """Return the share of the full strength in each slot of the attack."""
        level = np.ones(span.stop - span.start)
        for end_s, height in reversed(self.steps):
            level[: round(end_s / SLOT_S)] = height
        return level

    def shown_s(self, start_s: float) -> float:
        """Return from when it has half of its strength."""
        return start_s + max((end_s for end_s, height in self.steps if height < 0.5), default=0.0)


# --- Volumetric ---


def flood(draft: Draft, start_s: float, end_s: float) -> None:
    """Flood our port with datagrams that the tunnel drops one by one."""
    flight, rng = draft.conditions, draft.rng
    span, onset = flight.span(start_s, end_s), _Onset.drawn(rng)
    per_s = _log(rng, 300.0, 40000.0)
    level = onset.level(span)
    if rng.random() < 0.4:
        level = level * _steady_or_not(span, rng)
    reasons = rng.permutation(["malformed", "unknown", "auth_fail", "replay", "seq_old"])
    share = 1.0 if rng.random() < 0.6 else rng.random()
    flight.drops[reasons[0]][span] += share * per_s * level
    flight.drops[reasons[1]][span] += (1.0 - share) * per_s * level
    # The buffer of the socket overflows, and reading takes time.
    lost = np.clip(per_s * level / 60000.0 - 0.1, 0.0, 0.95) * rng.uniform(0.0, 1.0)
    flight.down.loss[span] = 1.0 - (1.0 - flight.down.loss[span]) * (1.0 - lost)
    flight.down.delay_s[span] += min(per_s / 40000.0, 1.0) * rng.uniform(0.0, 0.05)
    draft.attack(_VOLUMETRIC, "flood", start_s, end_s)


def flood_of_peer(draft: Draft, start_s: float, end_s: float) -> None:
    """Flood the peer's port, so that its buffer overflows."""
    flight, rng = draft.conditions, draft.rng
    span, onset = flight.span(start_s, end_s), _Onset.drawn(rng)
    share = rng.uniform(0.4, 0.97) * onset.level(span)
    flight.up.loss[span] = 1.0 - (1.0 - flight.up.loss[span]) * (1.0 - share)
    wait_s = _log(rng, 0.003, 0.3)
    flight.up.delay_s[span] += wait_s * onset.level(span)
    flight.up.jitter_s[span] += wait_s / 4.0
    draft.attack(_VOLUMETRIC, "flood of the peer", start_s, end_s, onset.shown_s(start_s))


def saturation(draft: Draft, start_s: float, end_s: float) -> None:
    """Fill the queue before the slowest link on the way."""
    flight, rng = draft.conditions, draft.rng
    span, onset = flight.span(start_s, end_s), _Onset.drawn(rng)
    for way in flight.ways(_way(rng)):
        share = rng.uniform(0.35, 0.95) * onset.level(span)
        way.loss[span] = 1.0 - (1.0 - way.loss[span]) * (1.0 - share)
        way.delay_s[span] += _log(rng, 0.03, 0.9) * onset.level(span)
        way.jitter_s[span] += rng.uniform(0.0, 0.02)
    draft.attack(_VOLUMETRIC, "saturation", start_s, end_s, onset.shown_s(start_s))


def flood_of_plaintext(draft: Draft, start_s: float, end_s: float) -> None:
    """Flood the local application's port."""
    flight, rng = draft.conditions, draft.rng
    flight.drops["foreign"][flight.span(start_s, end_s)] += _log(rng, 200.0, 20000.0)
    draft.attack(_VOLUMETRIC, "flood of plaintext", start_s, end_s)


# --- Jamming, as spells of the simulated flights' radio ---


def _spell(draft: Draft, start_s: float, end_s: float, air: Air, which: str) -> None:
    up, down = air if which != "down" else None, air if which != "up" else None
    draft.spells.append(Spell(start_s, end_s, up, down))
    if draft.rng.random() < 0.3:
        # Some of what is jammed arrives with wrong bits.
        for way in draft.conditions.ways(which):
            way.altered[draft.conditions.span(start_s, end_s)] += draft.rng.uniform(0.0, 0.05)


def _weaker(draft: Draft, start_s: float, air: Air, which: str) -> float:
    """Jam with less power at first, perhaps; return from when it has half of its strength."""
    onset = _Onset.drawn(draft.rng)
    now_s = start_s
    for end_s, height in onset.steps:
        weak = replace(
            air,
            loss=air.loss * height,
            burst_loss=air.burst_loss * height,
            out_s=air.out_s * height,
        )
        up, down = weak if which != "down" else None, weak if which != "up" else None
        draft.spells.append(Spell(now_s, start_s + end_s, up, down))
        now_s = start_s + end_s
    return onset.shown_s(start_s)


def losses(draft: Draft, start_s: float, end_s: float) -> None:
    """Jam evenly, or at a level that changes every few seconds."""
    rng = draft.rng
    which, level, now_s = _way(rng), rng.uniform(0.45, 0.99), start_s
    changes = rng.random() < 0.5
    while now_s < end_s:
        until_s = min(now_s + rng.uniform(1.0, 6.0), end_s) if changes else end_s
        loss = float(np.clip(level + changes * rng.uniform(-0.25, 0.2), 0.3, 0.995))
        _spell(draft, now_s, until_s, Air(loss=loss), which)
        now_s = until_s
    shown_s = _weaker(draft, start_s, Air(loss=level), which)
    draft.attack(_JAMMING, "losses", start_s, end_s, shown_s)


def bursts(draft: Draft, start_s: float, end_s: float) -> None:
    rng = draft.rng
    burst_s = _log(rng, 0.1, 1.5)
    pause_s = burst_s * rng.uniform(0.1, 0.9)
    which = _way(rng)
    air = Air(
        loss=rng.uniform(0.0, 0.3),
        burst_every_s=pause_s,
        burst_s=burst_s,
        burst_loss=rng.uniform(0.75, 1.0),
    )
    _spell(draft, start_s, end_s, air, which)
    shown_s = _weaker(draft, start_s, air, which)
    draft.attack(_JAMMING, "bursts", start_s, end_s, shown_s)


def sweeps(draft: Draft, start_s: float, end_s: float) -> None:
    """Jam periodically, as a sweep over the band does."""
    rng = draft.rng
    every_s, which = rng.uniform(0.3, 3.5), _way(rng)
    air = Air(
        loss=rng.uniform(0.0, 0.3), out_every_s=every_s, out_s=every_s * rng.uniform(0.45, 0.92)
    )
    _spell(draft, start_s, end_s, air, which)
    shown_s = _weaker(draft, start_s, air, which)
    # The first sweep is over the channel at the end of its period.
    draft.attack(_JAMMING, "sweeps", start_s, end_s, shown_s + every_s - air.out_s)


# --- Timing ---


def delay(draft: Draft, start_s: float, end_s: float) -> None:
    flight, rng = draft.conditions, draft.rng
    span, onset = flight.span(start_s, end_s), _Onset.drawn(rng)
    for way in flight.ways(_way(rng)):
        way.delay_s[span] += _log(rng, 0.3, 4.0) * onset.level(span)
    draft.attack(_TIMING, "delay", start_s, end_s, onset.shown_s(start_s))


def jitter(draft: Draft, start_s: float, end_s: float) -> None:
    """Delay each datagram by another time, so that they overtake each other."""
    flight, rng = draft.conditions, draft.rng
    for way in flight.ways(_way(rng)):
        span = flight.span(start_s, end_s)
        way.held[span] = rng.uniform(0.3, 0.9)
        way.held_s[span] = _log(rng, 0.1, 1.5) * rng.uniform(0.2, 1.0, span.stop - span.start)
    draft.attack(_TIMING, "jitter", start_s, end_s)


def withholding(draft: Draft, start_s: float, end_s: float) -> None:
    """Withhold some for longer than the tunnel allows."""
    flight, rng = draft.conditions, draft.rng
    for way in flight.ways(_way(rng)):
        span = flight.span(start_s, end_s)
        way.held[span] = rng.uniform(0.05, 0.8)
        way.held_s[span] = rng.uniform(1.2, 9.0)
    draft.attack(_TIMING, "withholding", start_s, end_s)


def gathering(draft: Draft, start_s: float, end_s: float) -> None:
    """Let what was sent through at once, now and then."""
    flight, rng = draft.conditions, draft.rng
    for way in flight.ways(_way(rng)):
        way.gather_s[flight.span(start_s, end_s)] = rng.uniform(0.3, 2.5)
    draft.attack(_TIMING, "gathering", start_s, end_s)


# --- Protocol ---


def forging(draft: Draft, start_s: float, end_s: float) -> None:
    """Send a few datagrams that look like the peer's, or no datagrams of the tunnel at all."""
    flight, rng = draft.conditions, draft.rng
    reason = ("auth_fail", "unknown", "malformed")[rng.integers(3)]
    span = flight.span(start_s, end_s)
    flight.drops[reason][span] += _log(rng, 2.5, 120.0) * _steady_or_not(span, rng)
    draft.attack(_PROTOCOL, f"forging ({reason})", start_s, end_s)


def replaying(draft: Draft, start_s: float, end_s: float) -> None:
    """Send recorded datagrams again, to us or to the peer."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    per_s = _log(rng, 2.5, 120.0) * _steady_or_not(span, rng)
    if rng.random() < 0.4 and not flight.paths:
        flight.repeats[span] += per_s
        draft.attack(_PROTOCOL, "replaying to the peer", start_s, end_s)
        return
    share = rng.random()
    flight.drops["replay"][span] += share * per_s
    flight.drops["seq_old"][span] += (1.0 - share) * per_s
    draft.attack(_PROTOCOL, "replaying", start_s, end_s)


# --- Creeping ---


def creeping_losses(draft: Draft, start_s: float, end_s: float) -> None:
    """Jam a little more all the time."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    rise = np.linspace(0.0, rng.uniform(0.5, 0.95), span.stop - span.start)
    for way in flight.ways(_way(rng)):
        way.loss[span] = 1.0 - (1.0 - way.loss[span]) * (1.0 - rise)
    shown_s = start_s + SLOT_S * int(np.searchsorted(rise, _SHOWN_LOSS))
    draft.attack(_CREEPING, "losses", start_s, end_s, shown_s)


def creeping_delay(draft: Draft, start_s: float, end_s: float) -> None:
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    rise_s = np.linspace(0.0, rng.uniform(1.0, 4.0), span.stop - span.start)
    for way in flight.ways(_way(rng)):
        way.delay_s[span] += rise_s
    shown_s = start_s + SLOT_S * int(np.searchsorted(rise_s, _SHOWN_DELAY_S))
    draft.attack(_CREEPING, "delay", start_s, end_s, shown_s)


def creeping_forgery(draft: Draft, start_s: float, end_s: float) -> None:
    """Forge or replay a little more all the time."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    reason = ("auth_fail", "unknown", "malformed", "replay")[rng.integers(4)]
    exponent = np.linspace(0.0, 1.0, span.stop - span.start)
    per_s = 0.02 * (_log(rng, 5.0, 500.0) / 0.02) ** exponent
    flight.drops[reason][span] += per_s
    shown_s = start_s + SLOT_S * int(np.searchsorted(per_s, _SHOWN_PER_S))
    draft.attack(_CREEPING, f"forging ({reason})", start_s, end_s, shown_s)


ATTACKS = {
    _VOLUMETRIC: (
        Kind(flood, 12.0, 60.0),
        Kind(flood_of_peer, 12.0, 60.0),
        Kind(saturation, 12.0, 60.0),
        Kind(flood_of_plaintext, 12.0, 40.0),
    ),
    _JAMMING: (Kind(losses, 12.0, 60.0), Kind(bursts, 12.0, 60.0), Kind(sweeps, 12.0, 60.0)),
    _TIMING: (
        Kind(delay, 12.0, 60.0),
        Kind(jitter, 12.0, 60.0),
        Kind(withholding, 12.0, 60.0),
        Kind(gathering, 12.0, 60.0),
    ),
    _PROTOCOL: (Kind(forging, 12.0, 60.0), Kind(replaying, 12.0, 60.0)),
    _CREEPING: (
        Kind(creeping_losses, 60.0, 240.0),
        Kind(creeping_delay, 60.0, 240.0),
        Kind(creeping_forgery, 60.0, 240.0),
    ),
}
