# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The bins of a flight: its messages, as the tunnel publishes them, through the advisor's code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pqc_policy.sensing.traffic.bins import REASONS, Bin, TrafficBins, seconds
from pqc_policy.sensing.traffic.features import FEATURES, vector

from pqc_learning.data.conditions import SLOT_S, Conditions, Slots
from pqc_learning.data.episodes import Episode, labels
from pqc_learning.data.passage import pass_over
from pqc_learning.data.reception import Reception
from pqc_learning.data.reports import Reports, exchange

BIN_S = 0.6
_PEER_TIMEOUT_S = 3.0


@dataclass(frozen=True)
class Recorded:
    """A flight as the advisor sees it."""

    profile: str
    seconds: float
    episodes: tuple[Episode, ...]
    bins: tuple[Bin, ...]
    start_s: NDArray[np.float64]  # start of each bin, in s
    known_s: NDArray[np.float64]  # when the advisor gets it

    def features(self) -> NDArray[np.float32]:
        """Return the features of all bins; shape (bins, F)."""
        if not self.bins:
            return np.empty((0, len(FEATURES)), dtype=np.float32)
        return np.stack([vector(one) for one in self.bins])

    def labels(self) -> NDArray[np.int8]:
        return labels(self.episodes, self.start_s, BIN_S)


@dataclass(slots=True)
class _Stamp:
    sec: int
    nanosec: int


def record(conditions: Conditions, rng: np.random.Generator) -> Recorded:
    """Fly, publish both messages once a second, and count."""
    published = messages(conditions, rng)
    return replayed(conditions.profile, conditions.seconds, conditions.episodes, published)


def replayed(
    profile: str,
    length_s: float,
    episodes: Sequence[Episode],
    published: Iterable[tuple[str, Any]],
) -> Recorded:
    """Return the bins of messages "link" and "status", given with their topics in their order."""
    bins = TrafficBins()
    found: list[Bin] = []
    known_s: list[float] = []
    number: int | None = None
    for topic, message in published:
        now_s = seconds(message.stamp)
        if number is None:
            number = int(now_s // BIN_S) + 1
        new = bins.take_link(message) if topic == "link" else bins.take_status(message)
        found += new
        known_s += [now_s] * len(new)
    starts_s = ((number or 0) + np.arange(len(found))) * BIN_S
    return Recorded(profile, length_s, tuple(episodes), tuple(found), starts_s, np.array(known_s))


def messages(
    conditions: Conditions, rng: np.random.Generator
) -> Iterator[tuple[str, SimpleNamespace]]:
    """Yield what the drone's tunnel publishes, with its topic."""
    up, down = pass_over(conditions.up, rng), pass_over(conditions.down, rng)
    ground = Reception(up, conditions.up.mean_bytes)
    drone = Reception(down, conditions.down.mean_bytes)
    reports = exchange(conditions, rng)
    drops = {reason: _counted(slots, rng) for reason, slots in conditions.drops.items()}
    repeats, unsent = _counted(conditions.repeats, rng), _counted(conditions.unsent, rng)
    link_s = rng.uniform(0.05, 0.95)
    # Both come from the same timer, unless a change of state publishes a status in between.
    status_s = link_s + 0.001 if rng.random() < 0.7 else rng.uniform(0.05, 0.95)
    times = [(link_s + second, "link") for second in range(int(conditions.seconds) - 1)]
    times += [(status_s + second, "status") for second in range(int(conditions.seconds) - 1)]
    for now_s, topic in sorted(times):
        if topic == "link":
            yield topic, _link(conditions, now_s, ground, drone, reports, repeats)
            continue
        dropped = {reason: _at(drops[reason], now_s) for reason in REASONS}
        for reason, at_s in down.dropped_s.items():
            dropped[reason] += int(np.searchsorted(at_s, now_s))
        dropped["replay"] += int(np.searchsorted(down.copies_s, now_s))
        dropped["queue_full"] = _at(unsent, now_s)
        sent = int(np.searchsorted(up.sent_s, now_s))
        yield topic, _status(now_s, sent, dropped, drone.heard_s(now_s))


def _link(
    conditions: Conditions,
    now_s: float,
    ground: Reception,
    drone: Reception,
    reports: Reports,
    repeats: NDArray[np.int64],
) -> SimpleNamespace:
    newest, rtt_s = reports.newest(now_s), reports.round_trip(now_s)
    local = drone.view(now_s)
    remote = local if newest is None else ground.view(newest[0], _at(repeats, newest[0]))
    return SimpleNamespace(
        stamp=_stamp(now_s),
        local=local,
        remote_valid=newest is not None,
        remote_age_s=0.0 if newest is None else now_s - newest[1],
        remote=remote,
        clock_valid=rtt_s is not None,
        rtt_s=rtt_s if rtt_s is not None else 0.0,
        paths=_paths(conditions, now_s),
    )


def _paths(conditions: Conditions, now_s: float) -> list[SimpleNamespace]:
    if not conditions.paths:
        return [SimpleNamespace(link="udp", state="up", carries=True, rtt_s=0.0, loss=0.0)]
    slot = _slot(conditions.up.rate, now_s)
    return [
        SimpleNamespace(
            link=path.name,
            state="up" if path.up[slot] > 0.0 else "down",
            carries=bool(path.up[slot] > 0.0),
            rtt_s=float(path.rtt_s[slot]),
            loss=float(path.loss[slot]),
        )
        for path in conditions.paths
    ]


def _status(
    now_s: float, sent: int, dropped: dict[str, int], heard_s: float | None
) -> SimpleNamespace:
    return SimpleNamespace(
        stamp=_stamp(now_s),
        encrypted=heard_s is not None and heard_s < _PEER_TIMEOUT_S,
        since_heard_s=-1.0 if heard_s is None else heard_s,
        traffic=SimpleNamespace(cipher_out_packets=sent),
        drops=SimpleNamespace(**dropped),
    )


def _counted(per_s: Slots, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return how many of random datagrams of that rate have come by the end of each slot."""
    if not per_s.any():
        return np.zeros(len(per_s), dtype=np.int64)
    return np.cumsum(rng.poisson(per_s * SLOT_S))


def _at(counts: NDArray[np.int64], now_s: float) -> int:
    slot = int(now_s / SLOT_S)
    return int(counts[min(slot, len(counts)) - 1]) if slot else 0


def _slot(slots: Slots, now_s: float) -> int:
    return min(int(now_s / SLOT_S), len(slots) - 1)


def _stamp(time_s: float) -> _Stamp:
    second = int(time_s)
    return _Stamp(second, round((time_s - second) * 1e9))
