# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics and models that tables and charts show."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from pqc_bench.report.intervals import Array

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Summary:
    """Statistics of values, in their unit; percentiles are interpolated between two values."""

    n: int
    mean: float
    median: float
    p95: float
    least: float
    most: float


@dataclass(frozen=True)
class Fit:
    """log10 T = constant + by_key log10(public key) + by_signature log10(signature), T in ms."""

    constant: float
    by_key: float
    by_signature: float
    r_squared: float
    n: int

    def predict_ms(self, key_bytes: float, signature_bytes: float) -> float:
        exponent = (
            self.constant
            + self.by_key * np.log10(key_bytes)
            + self.by_signature * np.log10(signature_bytes)
        )
        return float(10.0**exponent)


def summarise(values: Sequence[float]) -> Summary:
    """Return the figures of at least one value."""
    return Summary(
        n=len(values),
        mean=float(np.mean(values)),
        median=median(values),
        p95=float(np.percentile(values, 95)),
        least=min(values),
        most=max(values),
    )


def median(values: Sequence[float]) -> float:
    return float(np.median(values))


def pearson(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Return Pearson's r; None if either does not vary."""
    if len(xs) < 3 or np.std(xs) == 0.0 or np.std(ys) == 0.0:
        return None
    return float(np.corrcoef(xs, ys)[0, 1])


def group(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return the items by their key, in the order in which keys come."""
    found: dict[Key, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def phi(handshake_ms: float, interval_s: float) -> float:
    """Return the share of time that handshakes take: T / (R + T), from 0 to 1."""
    seconds = handshake_ms / 1000.0
    return seconds / (interval_s + seconds)


def pareto(items: Sequence[Item], costs: Callable[[Item], tuple[float, ...]]) -> list[Item]:
    """Return the items that no other is at least as cheap as in all costs and cheaper in one."""
    priced = [(item, costs(item)) for item in items]
    return [
        item
        for item, price in priced
        if not any(
            other != price and all(a <= b for a, b in zip(other, price, strict=True))
            for _, other in priced
        )
    ]


def fit(sizes: Sequence[tuple[float, float]], times_ms: Sequence[float]) -> Fit | None:
    """Fit T by least squares to sizes (public key, signature); None if they don't determine it."""
    if len(times_ms) < 4 or np.linalg.matrix_rank(_explaining(sizes)) < 3 or not np.ptp(times_ms):
        return None
    found = fits(sizes, np.asarray(times_ms, dtype=float)[:, np.newaxis])
    return Fit(*(float(x) for x in found[:, 0]), n=len(times_ms))


def fits(sizes: Sequence[tuple[float, float]], times_ms: Array) -> Array:
    """Return a, b, c and R² (rows) of each column of `times_ms`, whose rows are those of `sizes`.

    The sizes must determine them, as in `fit`.
    """
    table, wanted = _explaining(sizes), np.log10(times_ms)
    found, *_ = np.linalg.lstsq(table, wanted, rcond=None)
    left = np.sum((wanted - table @ found) ** 2, axis=0)
    spread = np.sum((wanted - wanted.mean(axis=0)) ** 2, axis=0)
    return np.vstack([found, 1.0 - left / spread])


def _explaining(sizes: Sequence[tuple[float, float]]) -> Array:
    logs = np.log10(np.asarray(sizes, dtype=float))
    return np.column_stack([np.ones(len(logs)), logs])
