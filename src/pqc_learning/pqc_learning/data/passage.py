# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The way of one direction's datagrams: sent, lost, delayed, withheld, dropped, received."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pqc_learning.data.conditions import SLOT_S, Direction

# A tunnel drops what comes so long after a later datagram, or waits so long in a buffer.
_MAX_LATENESS_S = 1.0
# Reports of the reception, requests for the time and answers to them.
_CONTROL_PER_S = 6.0
_READ_S = 2e-5  # reading a datagram
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Passage:
    """The fate of the datagrams; all times in s and in order."""

    sent_s: Floats
    arrival_s: Floats  # arrivals of accepted datagrams
    sequence: NDArray[np.int64]  # numbers of accepted datagrams
    dropped_s: dict[str, Floats]  # arrivals of dropped datagrams, by reason
    copies_s: Floats  # arrivals of repeated datagrams


def pass_over(way: Direction, rng: np.random.Generator) -> Passage:
    sent_s = _sent(way, rng)
    slot = np.minimum((sent_s / SLOT_S).astype(np.int64), len(way.rate) - 1)
    count = len(sent_s)
    fate = rng.random(count)
    altered = ~(fate < way.loss[slot]) & (rng.random(count) < way.altered[slot])
    arrival_s = _arrivals(way, sent_s, slot, rng)
    arrival_s, waited_s = _read(way, arrival_s)
    stale = waited_s > _MAX_LATENESS_S
    reaches = fate >= way.loss[slot]
    accepted = reaches & ~altered & ~stale
    late = np.zeros(count, dtype=bool)
    late[accepted] = _late(arrival_s[accepted])
    accepted &= ~late
    copied = accepted & (rng.random(count) < way.copies[slot])
    order = np.argsort(arrival_s[accepted], kind="stable")
    return Passage(
        sent_s,
        arrival_s[accepted][order],
        np.flatnonzero(accepted)[order],
        {
            "seq_old": np.sort(arrival_s[late]),
            "auth_fail": np.sort(arrival_s[altered & ~stale]),
            "stale": np.sort(arrival_s[reaches & stale]),
        },
        np.sort(arrival_s[copied]),
    )


def _sent(way: Direction, rng: np.random.Generator) -> Floats:
    growth = np.concatenate(([0.0], np.cumsum((way.rate + _CONTROL_PER_S) * SLOT_S)))
    count = int(growth[-1])
    place = np.arange(count) + 0.5 + rng.uniform(-0.35, 0.35, count)
    sent_s = np.interp(place, growth, np.arange(len(growth)) * SLOT_S)
    if way.tick_s > 0.0:
        # The last of a group may come somewhat later.
        sent_s = np.floor(sent_s / way.tick_s) * way.tick_s + rng.random(count) * 0.1 * way.tick_s
        sent_s.sort()
    return sent_s


def _arrivals(
    way: Direction, sent_s: Floats, slot: NDArray[np.int64], rng: np.random.Generator
) -> Floats:
    count = len(sent_s)
    spread = rng.exponential(0.8, count) if way.heavy_tail else np.abs(rng.standard_normal(count))
    arrival_s = sent_s + way.delay_s[slot] + way.jitter_s[slot] * spread
    apart = rng.random(count) < way.overtaking[slot]
    held = rng.random(count) < way.held[slot]
    # A queue keeps the order of those that take the usual way.
    usual = ~(apart | held)
    arrival_s[usual] = np.maximum.accumulate(arrival_s[usual])
    arrival_s[apart] += rng.exponential(0.02, int(apart.sum()))
    arrival_s[held] += way.held_s[slot][held]
    gather_s = way.gather_s[slot]
    gathered = gather_s > 0.0
    period_s = gather_s[gathered]
    arrival_s[gathered] = np.ceil(arrival_s[gathered] / period_s) * period_s
    return arrival_s


def _read(way: Direction, arrival_s: Floats) -> tuple[Floats, Floats]:
    """Return when the datagrams are read, and how long they waited for a busy receiver."""
    slot = np.minimum((arrival_s / SLOT_S).astype(np.int64), len(way.stall_s) - 1)
    stall_s = way.stall_s[slot]
    until_s = slot * SLOT_S + stall_s
    waits = (stall_s > 0.0) & (until_s > arrival_s)
    if not waits.any():
        return arrival_s, np.zeros(len(arrival_s))
    read_s = np.where(waits, until_s, arrival_s)
    order = np.argsort(arrival_s[waits], kind="stable")
    _, first, which = np.unique(until_s[waits][order], return_index=True, return_inverse=True)
    turn = np.empty(len(order))
    turn[order] = np.arange(len(order)) - first[which]
    read_s[waits] += _READ_S * turn
    return read_s, np.where(waits, until_s - arrival_s, 0.0)


def _late(arrival_s: Floats) -> NDArray[np.bool_]:
    """Return which came too long after a datagram that was sent later; in order of sending."""
    earliest_s = np.minimum.accumulate(arrival_s[::-1])[::-1]
    after_s = np.append(earliest_s[1:], np.inf)
    return arrival_s > after_s + _MAX_LATENESS_S
