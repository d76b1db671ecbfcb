# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Does the same work on many flights, in several processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_context
from typing import TypeVar

from pqc_testing.child import die_with_parent

T = TypeVar("T")


def mapped(work: Callable[[int], T], numbers: Iterable[int], jobs: int) -> Iterator[T]:
    """Yield what the work returns for each number, in their order, from so many processes."""
    if jobs == 1:
        yield from map(work, numbers)
        return
    # A library of the training that has threads of its own does not survive a fork.
    with get_context("spawn").Pool(jobs, initializer=_begin) as pool:
        yield from pool.imap(work, numbers)


def _begin() -> None:
    die_with_parent()
    # The parent ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
