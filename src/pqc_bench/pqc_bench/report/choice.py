# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which suite to fly: the shipped default, unless the figures exclude it (docs/decisions/0020).

Only what the shipped parameters would choose is considered: their minimum level, algorithms that
FIPS publishes, ciphers as strong as the level. The cost of a suite is Φ, the share of the time that
a first handshake every minute takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pqc_policy.policy.suites import Suite, find_suite
from pqc_sim.pair.parameters import shipped_parameters

from pqc_bench.report import names
from pqc_bench.report.analysis import median, phi
from pqc_bench.report.intervals import SURE, Interval
from pqc_bench.report.number_text import short
from pqc_bench.report.run_data import Cell
from pqc_bench.speed.cipher_work import timed_for

REKEY_S = 60.0
# A suite is too costly if the whole interval of its Φ lies above this.
MOST_PHI = 0.01
# Below this share of the time, or of a core, a lower cost is no gain.
NO_MATTER = 0.001
# Times that differ by less count as equal, however small noise and intervals.
LEAST_NOISE = 0.05
TEXT_BYTES = 256
_RATE = 320  # datagrams per second
_US_PER_S = 1e6
_KEY_BITS = {1: 128, 3: 192, 5: 256}  # AES-128, -192 and -256 define the levels


@dataclass(frozen=True)
class Shipped:
    """The default suite, and the lowest level that a tunnel with the shipped parameters uses."""

    suite: Suite
    min_level: int


@dataclass(frozen=True)
class CipherCost:
    """CPU time in µs of sealing and opening a datagram, and its spread (5th to 95th percentile)."""

    us: float
    spread: Interval


@dataclass(frozen=True)
class Choice:
    """The chosen cell, those of equal cost, and how many suites were left out for which reason.

    `against_default` says, as a clause, why the figures exclude the shipped default.
    """

    chosen: Cell | None
    tied: list[Cell]
    too_costly: list[Cell]
    left_out: Counter[str]
    against_default: str


def shipped() -> Shipped:
    """Return default and level from config/drone.yaml as it is installed."""
    parameters = shipped_parameters("drone")
    suite = find_suite(str(parameters["suite"]))
    assert suite is not None
    # 0 stands for the level of the suite (docs/decisions/0014).
    return Shipped(suite, int(parameters["min_level"]) or suite.level)


def noise_of(cells: Sequence[Cell]) -> float | None:
    """Return the relative spread of a suite's repetitions, the median over suites.

    None if no suite was repeated.
    """
    spreads = [
        (max(times) - min(times)) / median(times)
        for cell in cells
        if len(times := cell.handshakes_ms) > 1
    ]
    return median(spreads) if spreads else None


def cipher_costs(speed: Mapping[str, Any] | None) -> dict[str, CipherCost]:
    """Return the cost of each cipher that speed.json has, the cheapest first."""
    found: dict[str, CipherCost] = {}
    for subject in (speed or {}).get("aeads", []):
        both = [
            one
            for name in ("seal", "open")
            if (one := timed_for(subject["operations"], name, TEXT_BYTES)) is not None
        ]
        if len(both) == 2:
            us, low, high = (
                sum(one[name] for one in both) / 1000.0 for name in ("median_ns", "p5_ns", "p95_ns")
            )
            samples = min(one["samples"] for one in both)
            found[subject["algorithm"]] = CipherCost(us, Interval(low, high, samples, 0.9))
    return dict(sorted(found.items(), key=lambda item: item[1].us))


def choose(cells: Sequence[Cell], home: Shipped, costs: Mapping[str, CipherCost]) -> Choice:
    """Choose among cells with a handshake; among equal costs the default, then level and bytes."""
    left_out: Counter[str] = Counter()
    fitting, too_costly = [], []
    for cell in sorted(cells, key=lambda cell: cell.handshake_ms or 0.0):
        least_ms = cell.spread.low if cell.spread else cell.handshake_ms or 0.0
        if reason := _left_out(cell, home.min_level):
            left_out[reason] += 1
        elif phi(least_ms, REKEY_S) > MOST_PHI:
            too_costly.append(cell)
        else:
            fitting.append(cell)
    noise = max(noise_of(cells) or 0.0, LEAST_NOISE)
    tied = [cell for cell in fitting if _is_equal(cell, fitting[0], noise)]
    strong = {aead: costs[aead] for aead in costs if any(cell.aead == aead for cell in tied)}
    against = _against_cipher(strong, home.suite.aead)
    order = [*costs]

    def preference(cell: Cell) -> tuple[bool, int, int, int, float]:
        default = cell.suite == home.suite.id and not against
        place = order.index(cell.aead) if cell.aead in order else len(order)
        return not default, -cell.level, cell.wire_bytes, place, cell.handshake_ms or 0.0

    chosen = min(tied, key=preference, default=None)
    if not any(cell.suite == home.suite.id for cell in tied):
        against = _against_suite(fitting, too_costly, home.suite.id)
    return Choice(chosen, tied, too_costly, left_out, against)


def _left_out(cell: Cell, least_level: int) -> str:
    """Return why the shipped parameters would not choose a suite; empty if they might."""
    suite = find_suite(cell.suite)
    assert suite is not None
    if suite.experimental:
        return "experimental"
    if not suite.published:
        return "with algorithms that FIPS does not publish"
    if suite.level < least_level:
        return "below the level"
    if (cell.get("b_crypto_identity.aead_key_bits") or 0) < _KEY_BITS[suite.level]:
        return "with a key shorter than the level requires"
    return ""


def _is_equal(cell: Cell, fastest: Cell, noise: float) -> bool:
    """Return whether the cost does not matter, or the figures do not show that the suite is slower.

    Intervals that overlap do not; without 95 % intervals a difference within the noise.
    """
    ms, least_ms = cell.handshake_ms or 0.0, fastest.handshake_ms or 0.0
    if phi(ms, REKEY_S) <= NO_MATTER:
        return True
    both = (cell.spread, fastest.spread)
    sure = all(one is not None and one.sure >= SURE for one in both)
    if ms <= least_ms * (1.0 + (LEAST_NOISE if sure else noise)):
        return True
    return bool(cell.spread and fastest.spread and cell.spread.overlaps(fastest.spread))


def _against_cipher(costs: Mapping[str, CipherCost], default: str) -> str:
    """Return which cipher costs less than the default one by more than the spread of both."""
    if default not in costs:
        return ""
    best = min(costs, key=lambda aead: costs[aead].us)
    saved = (costs[default].us - costs[best].us) * _RATE / _US_PER_S
    if saved <= NO_MATTER or costs[default].spread.overlaps(costs[best].spread):
        return ""
    return (
        f"{names.display(best)} saves {short(100.0 * saved)} % of a core at {_RATE} messages a "
        f"second over {names.display(default)}, more than the spread of either"
    )


def _against_suite(fitting: Sequence[Cell], too_costly: Sequence[Cell], default: str) -> str:
    for cell in too_costly:
        if cell.suite == default:
            share = phi(cell.handshake_ms or 0.0, REKEY_S)
            return (
                f"its rekeys take {short(100.0 * share)} % of the time, and no more than "
                f"{short(100.0 * MOST_PHI)} % is acceptable"
            )
    for cell in fitting:
        if cell.suite == default:
            fastest = fitting[0]
            return (
                f"it takes {short(cell.handshake_ms or 0.0)} ms and {fastest.name} takes "
                f"{short(fastest.handshake_ms or 0.0)} ms, a difference that is larger than its "
                "uncertainty"
            )
    return ""
