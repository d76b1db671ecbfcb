# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Figures over all rounds: medians with spread, and ratios within each round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median, quantiles
from typing import Any

# Per round; ratios of peers are taken within a round, so that both meet the same conditions.
FIGURES = (
    "cpu_us_per_packet_both",
    "owd_p50_ms",
    "owd_p99_ms",
    "owd_p999_ms",
    "loss_percent",
)
DELAYS = ("owd_p50_ms", "owd_p99_ms", "owd_p999_ms")
BASE = "relay"
UNBATCHED = "relay-unbatched"
DIRECT = "direct"

# With more loss a peer carries less than the others: its CPU per packet is not comparable.
_OVERLOADED_PERCENT = 1.0

Round = dict[str, dict[str, Any]]  # by name of the peer


def spread(values: Iterable[float]) -> dict[str, float] | None:
    """Return median, quartiles and extremes; None without values."""
    some = sorted(values)
    if not some:
        return None
    quarters = quantiles(some, n=4, method="inclusive") if len(some) > 1 else [some[0]] * 3
    return {
        "median": median(some),
        "p25": quarters[0],
        "p75": quarters[2],
        "min": some[0],
        "max": some[-1],
        "rounds": len(some),
    }


def sum_up(rounds: Sequence[Round], base: str = BASE) -> dict[str, dict[str, Any]]:
    """Return the figures of each peer over all rounds of a load, and its ratios to the base.

    Only valid rounds count, for ratios of CPU only rounds without overload. The added delay is the
    difference from the direct path; ratios are of whole delays: a difference may be near zero.
    """
    names = {peer: None for one in rounds for peer in one}
    return {peer: _peer(peer, base, rounds) for peer in names}


def sum_up_searches(rounds: Sequence[dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Return the rate each peer sustained, and its ratios to both relays within rounds."""
    names = {peer: None for one in rounds for peer in one}
    found: dict[str, dict[str, Any]] = {}
    for peer in names:
        own = [one[peer] for one in rounds if peer in one]
        found[peer] = {
            "sustained_per_s": spread(one["sustained_per_s"] for one in own),
            "lower_bound": any(one["lower_bound"] for one in own),
            "stopped_by": sorted({name for one in own for name in one["stopped_by"]}),
            **{
                f"ratio_to_{name}": spread(
                    one[peer]["sustained_per_s"] / one[base]["sustained_per_s"]
                    for one in rounds
                    if peer in one and base in one and one[base]["sustained_per_s"]
                )
                for name, base in (("relay", BASE), ("unbatched_relay", UNBATCHED))
            },
        }
    return found


def _peer(peer: str, base: str, rounds: Sequence[Round]) -> dict[str, Any]:
    own = [one[peer] for one in rounds if peer in one]
    record: dict[str, Any] = {
        "invalid_rounds": sum(1 for one in own if one["invalid"]),
        "overloaded_rounds": sum(1 for one in own if _overloaded(one)),
        **{figure: spread(_values(peer, figure, rounds)) for figure in FIGURES},
    }
    for delay in DELAYS:
        record[f"added_{delay}"] = spread(
            one[peer][delay] - one[DIRECT][delay] for one in _both(peer, DIRECT, delay, rounds)
        )
    record["ratio_cpu_us_per_packet_both"] = spread(
        one[peer]["cpu_us_per_packet_both"] / one[base]["cpu_us_per_packet_both"]
        for one in _both(peer, base, "cpu_us_per_packet_both", rounds)
        if not _overloaded(one[peer]) and not _overloaded(one[base])
    )
    for figure in DELAYS:
        record[f"ratio_{figure}"] = spread(
            one[peer][figure] / one[base][figure]
            for one in _both(peer, base, figure, rounds)
            if one[base][figure] > 0.0
        )
    return record


def _overloaded(one: dict[str, Any]) -> bool:
    return one["loss_percent"] > _OVERLOADED_PERCENT


def _values(peer: str, figure: str, rounds: Sequence[Round]) -> list[float]:
    return [one[peer][figure] for one in rounds if _has(one, peer, figure)]


def _both(peer: str, other: str, figure: str, rounds: Sequence[Round]) -> list[Round]:
    """Return the rounds in which both have a valid figure."""
    return [one for one in rounds if all(_has(one, name, figure) for name in (peer, other))]


def _has(one: Round, peer: str, figure: str) -> bool:
    return peer in one and not one[peer]["invalid"] and one[peer][figure] is not None
