# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Ends a process that hangs while it leaves the graph."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_SIGEV_THREAD = 2


class _Event(ctypes.Structure):
    """`struct sigevent` as Linux has it: 64 bytes."""

    _fields_ = [
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("rest", ctypes.c_byte * 32),
    ]


@contextmanager
def ended_after(seconds: float, code: int = 0) -> Iterator[None]:
    """End the process with an exit code if the block takes longer than some seconds.

    Fast DDS 3.2 can deadlock when two participants leave at the same moment. It holds the
    interpreter's lock, so no Python thread could end the process: a thread of the C library calls
    `_exit` with the event's value.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    leave = ctypes.cast(libc._exit, ctypes.c_void_p)
    event = _Event(value=code, notify=_SIGEV_THREAD, function=leave)
    timer = ctypes.c_void_p()
    # No repetition; s, ns.
    setting = (ctypes.c_long * 4)(0, 0, int(seconds), int(seconds % 1 * 1e9))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if (
        libc.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) != 0
        or libc.timer_settime(timer, 0, setting, None) != 0
    ):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    try:
        yield
    finally:
        libc.timer_delete(timer)
