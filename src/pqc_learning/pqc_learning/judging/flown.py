# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flies the flights for judging with every detector, through the advisor that flies."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pqc_policy.policy.inputs import Verdict
from pqc_policy.sensing.detectors.advisor import Advisor, AdvisorState
from pqc_policy.sensing.detectors.heuristic import Detector

from pqc_learning.data.dataset import JUDGING, recorded_flight
from pqc_learning.data.live import read_recording
from pqc_learning.data.recording import Recorded
from pqc_learning.judging.alarms import Account, account
from pqc_learning.judging.contenders import make_detectors
from pqc_learning.pool import mapped

# The number of the first flight without attacks.
WITHOUT_ATTACKS = 100_000


@dataclass(frozen=True)
class Judged:
    """The figures of one detector in one flight."""

    account: Account
    scores: NDArray[np.float64]  # the highest of each bin; 0 where nothing was judged
    named_right: tuple[int, int]  # bins in attacks with an alarm: named right, all
    cpu_s: float


@dataclass(frozen=True)
class Flown:
    """One flight, without its bins, and what became of it by the name of the detector."""

    flight: Recorded
    judged: dict[str, Judged]


def fly_all(
    names: Sequence[str],
    flights: Sequence[int],
    seed: int,
    jobs: int,
    progress: Callable[[int], None] = lambda _: None,
) -> list[Flown]:
    """Fly all; numbers from WITHOUT_ATTACKS on have look-alikes only."""
    found = []
    for one in mapped(partial(_fly, tuple(names), seed), flights, jobs):
        found.append(one)
        progress(len(found))
    return found


def _fly(names: tuple[str, ...], seed: int, number: int) -> Flown:
    flight = recorded_flight(JUDGING, seed, number, attacks=number < WITHOUT_ATTACKS)
    return Flown(
        replace(flight, bins=()), {name: judge(flight, _detectors(name)) for name in names}
    )


def fly_recordings(names: Sequence[str], files: Sequence[Path]) -> list[Flown]:
    """Judge the bins of recordings; raise RecordingFault if a file is none."""
    found = []
    for file in files:
        flight = read_recording(file)
        judged = {name: judge(flight, _detectors(name)) for name in names}
        found.append(Flown(replace(flight, bins=()), judged))
    return found


@cache
def _detectors(name: str) -> tuple[Detector, ...]:
    return make_detectors(name)


def judge(flight: Recorded, detectors: tuple[Detector, ...]) -> Judged:
    advisor, state = Advisor(detectors=detectors), AdvisorState()
    scores = np.zeros(len(flight.bins))
    alarms = np.zeros(len(flight.bins), dtype=bool)
    kinds = []
    began_s = time.process_time()
    for index, newest in enumerate(flight.bins):
        state = advisor.judged(state, newest)
        scores[index] = state.score or 0.0
        alarms[index] = state.verdict is Verdict.ATTACK
        worst = state.worst
        kinds.append("" if worst is None else str(worst[1].kind))
    cpu_s = time.process_time() - began_s
    return Judged(account(flight, alarms), scores, _named(flight, alarms, kinds), cpu_s)


def _named(flight: Recorded, alarms: NDArray[np.bool_], kinds: Sequence[str]) -> tuple[int, int]:
    right = count = 0
    for one in flight.episodes:
        if one.is_attack:
            during = (flight.known_s >= one.start_s) & (flight.known_s <= one.end_s) & alarms
            count += int(during.sum())
            right += sum(kinds[index] == one.label for index in np.flatnonzero(during))
    return right, count


def memory_kib(name: str) -> int:
    """Return how much a process grows that loads a detector and judges some bins, in KiB."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_growth_kib, name).result()


def _growth_kib(name: str) -> int:
    flight = recorded_flight(JUDGING, 0, 4, attacks=False)
    before = _resident_kib()
    judge(flight, make_detectors(name))
    return max(_resident_kib() - before, 0)


def _resident_kib() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0
