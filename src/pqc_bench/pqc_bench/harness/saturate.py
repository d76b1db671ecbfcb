# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A saturation search on something that carries datagrams."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from pqc_bench.harness.blaster import Applications, Blaster
from pqc_bench.harness.rate_search import Outcome, Plan, Trial, search
from pqc_bench.harness.rate_step import GENERATOR, Limits, Step

_CHECK_S = 0.25


def attempt(
    where: Applications, rate: int, size: int, seconds: float, check: Callable[[], None]
) -> Step:
    """Send at a rate for a while; `check` raises if the tunnel has ended."""
    with Blaster(where, rate, size, windows=1) as blaster:
        until = time.monotonic() + seconds
        while (left_s := until - time.monotonic()) > 0.0:
            check()
            time.sleep(min(_CHECK_S, left_s))
        return Step.of(blaster.finish())


def saturate(
    where: Applications,
    size: int,
    seconds: float,
    plan: Plan,
    limits: Limits,
    check: Callable[[], None],
    progress: Callable[[Trial], None] = lambda _: None,
) -> Outcome:
    """Search for the rate that is sustained with datagrams of a size."""
    return search(lambda rate: attempt(where, rate, size, seconds, check), plan, limits, progress)


def outcome_record(outcome: Outcome, size: int) -> dict[str, Any]:
    sustained = outcome.sustained
    return {
        "size": size,
        "sustained_per_s": sustained.rate if sustained else 0,  # each way
        "sustained_mbit_per_s": megabits(sustained.rate, size) if sustained else 0.0,
        "lower_bound": not outcome.stopped_by or GENERATOR in outcome.stopped_by,
        "stopped_by": outcome.stopped_by,
        "stopped_at_per_s": outcome.stopped_at,
        "quiet_owd_p95_ms": outcome.quiet_p95_ms,
        "sustained_owd_p95_ms": sustained.owd_p95_ms if sustained else None,
        "invalid_steps": sum(1 for trial in outcome.trials if trial.invalid),
        "steps": [trial.record() for trial in outcome.trials],
    }


def megabits(rate: int, size: int) -> float:
    """Return a rate of datagrams as Mb/s of their payload, to three digits."""
    value = rate * size * 8 / 1e6
    return round(value, max(0, 2 - math.floor(math.log10(value)))) if value > 0 else 0.0
