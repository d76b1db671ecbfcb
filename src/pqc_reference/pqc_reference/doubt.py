# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether what arrives after a silence may have been held back ("Freshness")."""

from __future__ import annotations

from typing import NamedTuple


class Order(NamedTuple):
    """The order in which the other end sealed its frames: its keys, by age, and the sequence."""

    installed_ns: int  # when this end installed the keys
    sequence: int


class LinkDoubt:
    """Doubt in all that arrives, until the answer to a question asked since ends it."""

    def __init__(self) -> None:
        """Begin without doubt."""
        self._since_ns: int | None = None
        self._fresh_from = Order(0, 0)

    @property
    def active(self) -> bool:
        """Whether the answer has not come yet."""
        return self._since_ns is not None

    def begin(self, now_ns: int) -> None:
        """Doubt all that comes from now on, and answers to what was asked before."""
        self._since_ns = now_ns

    def handle_answer(self, asked_ns: int, order: Order) -> None:
        """Take an answer to what was asked at a time; `order` is that of its frame."""
        if self._since_ns is not None and asked_ns >= self._since_ns:
            self.settle(order)

    def settle(self, order: Order) -> None:
        """Trust what was sealed from now on, and nothing before."""
        self._since_ns = None
        self._fresh_from = max(self._fresh_from, order)

    def refuses(self, order: Order) -> bool:
        """Whether data in a frame is dropped as stale."""
        return self.active or order < self._fresh_from
