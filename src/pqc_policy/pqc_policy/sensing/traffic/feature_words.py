# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The features of a bin in words, for the evidence of a learned detector."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_WAYS = {"up_": "our datagrams", "down_": "the peer's datagrams"}


def _power(exponent: float) -> float:
    # A card may have any range.
    return float(10.0 ** min(max(exponent, -300.0), 300.0))


def _percent(value: float) -> str:
    return f"{100.0 * value:.0f} %"


def _rate(value: float) -> str:
    return f"{max(_power(value) - 1.0, 0.0):.3g}/s"


def _ratio(value: float) -> str:
    return f"{_power(value):.2g} times the mean interval"


def _time(value: float) -> str:
    return f"{_power(value):.3g} s"


def _bytes(value: float) -> str:
    return f"{_power(value):.0f} bytes"


def _seconds(value: float) -> str:
    return f"{value:.1f} s"


_Words = tuple[str, Callable[[float], str]]
_OF_WAY: Mapping[str, _Words] = {
    "delivered": ("delivered share of {}", _percent),
    "sent": ("rate at which {} are sent", _rate),
    "received": ("rate at which {} arrive", _rate),
    "reordered": ("reordered share of {}", _percent),
    "gap": ("gap between {}", _ratio),
    "silence": ("longest silence between {}", _time),
    "jitter": ("jitter of {}", _ratio),
    "size": ("mean size of {}", _bytes),
}
_OTHERS: Mapping[str, _Words] = {
    "rtt": ("round trip", _time),
    "heard": ("time since the peer's newest datagram", _seconds),
    "report": ("age of the peer's report", _seconds),
    "dropped_strange": ("rate of strangers' datagrams", _rate),
    "share_strange": ("share of strangers' datagrams", _percent),
    "uneven": ("delivered share of our datagrams less that of the peer's", _percent),
    "unsent": ("rate of datagrams without room", _rate),
    "paths_up": ("share of the links that work", _percent),
    "path_loss": ("largest loss of a link", _percent),
}


def words(feature: str) -> _Words:
    """Return what a feature is called, and the function that puts its value into words."""
    for prefix, whose in _WAYS.items():
        name = feature.removeprefix(prefix)
        if name != feature and name in _OF_WAY:
            label, text = _OF_WAY[name]
            return label.format(whose), text
    if feature in _OTHERS:
        return _OTHERS[feature]
    if feature.startswith("dropped_"):
        return f"rate of datagrams dropped as {feature.removeprefix('dropped_')}", _rate
    if feature.startswith("share_"):
        return f"share of datagrams dropped as {feature.removeprefix('share_')}", _percent
    return feature, "{:.3g}".format


def compared(feature: str, value: float, usual: float) -> str:
    """Return a feature's value beside its usual one, as a part of a sentence."""
    label, text = words(feature)
    return f"{label} {text(value)}, usually {text(usual)}"
