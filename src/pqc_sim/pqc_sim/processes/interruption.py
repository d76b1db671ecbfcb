# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Signals that end a program, wherever it is."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_received: list[signal.Signals] = []


class Interrupted(BaseException):
    """A signal has asked the program to end."""


def raise_on_signals() -> None:
    """Raise Interrupted at SIGINT, SIGTERM or SIGHUP; later signals don't disturb the cleanup."""
    for one in _SIGNALS:
        signal.signal(one, _raise)


def signal_received() -> signal.Signals | None:
    """Return the signal that has asked the program to end, even if a library lost the exception."""
    return _received[0] if _received else None


def raise_if_interrupted() -> None:
    """Raise Interrupted if a signal has been received."""
    if _received:
        raise Interrupted


def _raise(number: int, _: FrameType | None) -> NoReturn:
    for ignored in _SIGNALS:
        signal.signal(ignored, signal.SIG_IGN)
    _received.append(signal.Signals(number))
    raise Interrupted
