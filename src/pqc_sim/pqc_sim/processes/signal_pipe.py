# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Signals as something that select can wait for."""

from __future__ import annotations

import contextlib
import os
import signal


class SignalPipe:
    """Catches the given signals while it's open, as a context manager in the main thread."""

    def __init__(self, *signals: signal.Signals) -> None:
        """Remember which signals to catch."""
        self._signals = signals
        self._before: dict[signal.Signals, object] = {}
        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def __enter__(self) -> SignalPipe:
        self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number in self._signals:
            self._before[number] = signal.signal(number, lambda *_: None)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        signal.set_wakeup_fd(self._wakeup)
        os.close(self._read)
        os.close(self._write)

    def fileno(self) -> int:
        return self._read

    def pending(self) -> list[int]:
        """Return the signals since the last call, in order."""
        with contextlib.suppress(BlockingIOError):
            return [number for number in os.read(self._read, 64) if number in self._signals]
        return []
