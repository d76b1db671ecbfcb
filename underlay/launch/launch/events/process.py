# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Events about processes."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import Event

if TYPE_CHECKING:
    from ..actions import ExecuteProcess


@dataclass(kw_only=True)
class RunningProcessEvent(Event):
    """Base of all events of a process; its name is unique, such as 'talker-1'."""

    action: ExecuteProcess
    process_name: str
    pid: int


@dataclass(kw_only=True)
class ProcessStarted(RunningProcessEvent):
    """A process has started."""


@dataclass(kw_only=True)
class ProcessExited(RunningProcessEvent):
    """A process has ended; the return code is negative if a signal ended it."""

    returncode: int


@dataclass(kw_only=True)
class ProcessIO(RunningProcessEvent):
    """A process has written bytes to its standard output, or to its standard error."""

    text: bytes
    from_stdout: bool


@dataclass(kw_only=True)
class SignalProcess(Event):
    """Requests that matching processes receive a signal."""

    signal_number: signal.Signals
    process_matcher: Callable[[ExecuteProcess], bool]
