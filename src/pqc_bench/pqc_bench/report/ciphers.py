# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which cipher (AEAD) to use: the shipped one, unless another costs less beyond the spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pqc_bench.report import names
from pqc_bench.report.analysis import group, median
from pqc_bench.report.context import Context
from pqc_bench.report.intervals import Interval, pooled
from pqc_bench.report.number_text import short
from pqc_bench.report.planner import NO_MATTER, strong_enough
from pqc_bench.report.run_data import Cell

_TEXT_BYTES = 256
_RATE = 320  # datagrams per second
_US_PER_S = 1e6
_PER_PACKET = "n_system_drone.cpu_us_per_packet"


@dataclass(frozen=True)
class Cost:
    """CPU time per datagram in µs, with its spread if that is known."""

    us: float
    spread: Interval | None


@dataclass(frozen=True)
class Ciphers:
    """AEADs in the order of preference, what was found out, and why the shipped one is not first.

    `against` is empty if it is.
    """

    order: tuple[str, ...]
    words: str
    against: str


def rank_ciphers(context: Context) -> Ciphers:
    """Return the order of the ciphers of the run that are strong enough for the shipped level."""
    default, level = context.shipped.suite.aead, context.shipped.min_level
    strong = {c.aead for c in context.main if strong_enough(_key_bits(c), level)}
    there = sorted(strong, key=names.place)
    timed = {aead: cost for aead, cost in _timed(context).items() if aead in there}
    in_cells = not timed
    if in_cells:
        timed = {aead: cost for aead, cost in _in_cells(context).items() if aead in there}
    order = sorted(timed, key=lambda aead: timed[aead].us)
    order += [aead for aead in there if aead not in timed]
    against = _against(timed, default)
    if not against and default in order:
        order = [default, *(aead for aead in order if aead != default)]
    return Ciphers(tuple(order), _words(timed, order, in_cells), against)


def weak_ciphers(context: Context, level: int) -> str:
    """Return which ciphers are too weak for a level, as a sentence; empty if none is."""
    bits = {cell.aead: _key_bits(cell) for cell in context.main if cell.level == level}
    weak = sorted((a for a, key in bits.items() if not strong_enough(key, level)), key=names.place)
    if not weak:
        return ""
    return (
        f"{' and '.join(names.display(a) for a in weak)} stay{'s' if len(weak) == 1 else ''} "
        f"out: a key of 128 bits is less than level {level} requires."
    )


def _key_bits(cell: Cell) -> int:
    return int(cell.get("b_crypto_identity.aead_key_bits") or 0)


def _against(timed: Mapping[str, Cost], default: str) -> str:
    """Return why the default cipher is not preferred, as a clause; empty if it is."""
    if default not in timed:
        return ""
    best = min(timed, key=lambda aead: timed[aead].us)
    one, other = timed[default], timed[best]
    saved = (one.us - other.us) * _RATE / _US_PER_S
    if saved <= NO_MATTER or one.spread is None or other.spread is None:
        return ""
    if one.spread.overlaps(other.spread):
        return ""
    return (
        f"{names.display(best)} saves {short(100.0 * saved)} % of a core at {_RATE} messages a "
        f"second over {names.display(default)}, more than the spread of either"
    )


def _words(timed: Mapping[str, Cost], order: list[str], in_cells: bool) -> str:
    if not timed:
        return "The cost of the cipher was not measured."
    first = next(aead for aead in order if aead in timed)
    us = timed[first].us
    if in_cells:
        return (
            f"With {names.display(first)} the tunnel needs {short(us)} µs of CPU for a datagram, "
            "including its system calls (median); the cipher alone was not timed."
        )
    words = f"{names.display(first)} seals and opens {_TEXT_BYTES} bytes in {short(us)} µs"
    if len(timed) > 1:
        dearest = max(cost.us for cost in timed.values())
        busy = 100.0 * (dearest - us) * _RATE / _US_PER_S
        words += (
            f"; the slowest choice would cost {short(busy)} % of a core more at {_RATE} "
            "messages a second"
        )
    return words + "."


def _in_cells(context: Context) -> dict[str, Cost]:
    known = [cell for cell in context.main if cell.get(_PER_PACKET) is not None]
    found = {}
    for aead, cells in group(known, lambda cell: cell.aead).items():
        spread = pooled([cell.all(_PER_PACKET) for cell in cells])
        found[aead] = Cost(median([cell.get(_PER_PACKET) for cell in cells]), spread)
    return found


def _timed(context: Context) -> dict[str, Cost]:
    """Return the cost of sealing and opening a datagram, from speed.json."""
    found: dict[str, Cost] = {}
    for subject in (context.run.speed or {}).get("aeads", []):
        both = [
            one
            for one in subject["operations"]
            if one.get("text_bytes") == _TEXT_BYTES and one["samples"]
        ]
        if len(both) == 2:
            us, low, high = (
                sum(one[name] for one in both) / 1000.0 for name in ("median_ns", "p5_ns", "p95_ns")
            )
            samples = min(one["samples"] for one in both)
            found[subject["algorithm"]] = Cost(us, Interval(low, high, samples, 0.9))
    return found
