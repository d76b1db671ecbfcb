# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Judges whether layers come in time, and cost no more than they may."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

ONE_TIME, PLAIN, FETCHED = "codes goppa one_time", "lattices plain", "codes goppa ephemeral"
_GOALS_S = {
    "wifi": {PLAIN: 5.0, FETCHED: 20.0},
    "lte": {PLAIN: 10.0, FETCHED: 60.0},
    "satellite": {PLAIN: 300.0},
    "sik-57600": {PLAIN: 480.0},
}
_AT_ONCE_S = 1.0
_RATCHET_S = 10.0
_ADDED_MS = 20.0
_OLDEST_KEYS_S = 60.0
_AIR_SHARE = 0.02
# The air that keys may take would have carried this share of the data.
_MORE_LOST = 0.02
_MODEL = 0.1


def judge(result: dict[str, Any]) -> list[str]:
    """Return the faults, a sentence each; empty if there are none."""
    return [
        f"{link}: {fault}"
        for link, one in result["links"].items()
        for fault in (
            *(fault for each in flights_of(one) for fault in (*_late(link, each), *_dear(each))),
            *_unlike(one),
        )
    ]


def flights_of(one: dict[str, Any]) -> list[dict[str, Any]]:
    return [one, *one.get("others", ())]


def _late(link: str, one: dict[str, Any]) -> Iterator[str]:
    flown_s = one["flights"]["layers"]["seconds"]
    goals = {ONE_TIME: _AT_ONCE_S, **_GOALS_S.get(link, {})}
    for name, limit_s in goals.items():
        came_s = one["seconds_to"].get(name)
        if came_s is None and flown_s >= limit_s:
            yield f"{name} never came"
        elif came_s is not None and came_s > limit_s:
            yield f"{name} came after {came_s:g} s, more than {limit_s:g}"
    if one["one_time_s"] is None:
        why = one["flights"]["layers"]["one_time_refused"] or "no answer came"
        yield f"the ratchet with a one-time key failed: {why}"
    elif one["one_time_s"] > _RATCHET_S:
        took = f"{one['one_time_s']:g} s, more than {_RATCHET_S:g}"
        yield f"the ratchet with a one-time key took {took}"
    if one["renewal_gap_s"] is not None and one["renewal_gap_s"] > _OLDEST_KEYS_S:
        yield f"the keys were {one['renewal_gap_s']:g} s old while a key was fetched"


def _dear(one: dict[str, Any]) -> Iterator[str]:
    if one["lost"]:
        yield f"{one['lost']} datagrams got lost"
    if one["lost_added"] > _MORE_LOST:
        yield f"{100 * one['lost_added']:.1f} % more messages were lost than without layers"
    added_ms = one["command_p99_added_ms"]
    if added_ms is None:
        yield "no command arrived"
    elif added_ms > _ADDED_MS:
        yield f"commands took {added_ms:g} ms longer (p99), more than {_ADDED_MS:g}"
    if one["air_share"] > _AIR_SHARE:
        yield f"keys took {100 * one['air_share']:.1f} % of the air, more than {100 * _AIR_SHARE:g}"
    sessions = one["flights"]["layers"]["sessions"]
    if sessions != 1:
        yield f"there were {sessions} sessions"


def _unlike(one: dict[str, Any]) -> Iterator[str]:
    for name, share in one["model_off"].items():
        if share > _MODEL:
            measured, modelled = one["seconds_to"].get(name), one["modelled_s"].get(name)
            yield f"{name} came {_when(measured)}, in the model {_when(modelled)}"


def _when(seconds: float | None) -> str:
    return "never" if seconds is None else f"after {seconds:g} s"
