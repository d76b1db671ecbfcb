# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Ends a process that hangs in a library which does not return to the interpreter."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import time
from collections.abc import Iterator

_SIGEV_THREAD = 2


class _Event(ctypes.Structure):
    """The C library's struct sigevent of 64 bytes."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("padding", ctypes.c_byte * 32),
    )


@contextlib.contextmanager
def exit_within(seconds: float, code: int) -> Iterator[None]:
    """End the process with an exit code if the block takes longer than some seconds.

    A thread of the C library calls _exit; no Python code is needed for that.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # the reader of the stream may have ended
            stream.flush()
    libc = ctypes.CDLL(None)
    event = _Event(value=code, notify=_SIGEV_THREAD)
    event.function = ctypes.cast(libc._exit, ctypes.c_void_p).value
    timer = ctypes.c_void_p()
    if libc.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) != 0:
        yield
        return
    whole, rest = divmod(seconds, 1.0)
    when = (ctypes.c_long * 4)(0, 0, int(whole), int(rest * 1e9))  # no repetition; s, ns
    libc.timer_settime(timer, 0, when, None)
    try:
        yield
    finally:
        libc.timer_delete(timer)
