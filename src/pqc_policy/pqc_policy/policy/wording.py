# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Values in words."""

from __future__ import annotations

from collections.abc import Iterable

_MOST_DECIMALS = 3


def apart(value: float, limit: float, decimals: int) -> tuple[str, str]:
    """Return two different numbers as different texts, with at least so many decimals."""
    of_limit = len(f"{limit:g}".partition(".")[2])
    for digits in range(max(decimals, of_limit), _MOST_DECIMALS + 1):
        texts = f"{value:.{digits}f}", f"{limit:.{digits}f}"
        if texts[0] != texts[1]:
            return texts
    return repr(value), repr(limit)


def listed(words: Iterable[str], junction: str = "and") -> str:
    *others, last = words
    return f"{', '.join(others)} {junction} {last}" if others else last


def counted(number: int, thing: str) -> str:
    """Return a number of things, whose plural ends in s."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def capital(words: str) -> str:
    return words[0].upper() + words[1:]
