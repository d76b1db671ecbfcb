# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Events about processes."""

from __future__ import annotations

import signal as signals
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...event import Event

if TYPE_CHECKING:
    from ...actions import ExecuteProcess

__all__ = [
    "ProcessExited",
    "ProcessIO",
    "ProcessStarted",
    "ProcessStderr",
    "ProcessStdin",
    "ProcessStdout",
    "ProcessTargetedEvent",
    "RunningProcessEvent",
    "ShutdownProcess",
    "SignalProcess",
    "matches_executable",
    "matches_name",
    "matches_pid",
]

Matcher = Callable[["ExecuteProcess"], bool]


class RunningProcessEvent(Event):
    """Something happened to a process."""

    name = "launch.events.process.RunningProcessEvent"

    def __init__(
        self,
        *,
        action: ExecuteProcess,
        name: str,
        cmd: list[str],
        cwd: str | None,
        env: dict[str, str] | None,
        pid: int,
    ) -> None:
        self.__action = action
        self.__name = name
        self.__cmd = cmd
        self.__cwd = cwd
        self.__env = env
        self.__pid = pid

    @property
    def action(self) -> ExecuteProcess:
        """The action that started the process."""
        return self.__action

    @property
    def process_name(self) -> str:
        """The unique name of the process, such as 'talker-1'."""
        return self.__name

    @property
    def cmd(self) -> list[str]:
        """The command line."""
        return self.__cmd

    @property
    def cwd(self) -> str | None:
        """The working directory, if one was given."""
        return self.__cwd

    @property
    def env(self) -> dict[str, str] | None:
        """The environment."""
        return self.__env

    @property
    def pid(self) -> int:
        """The process id."""
        return self.__pid


class ProcessStarted(RunningProcessEvent):
    """A process has started."""

    name = "launch.events.process.ProcessStarted"


class ProcessExited(RunningProcessEvent):
    """A process has ended; the return code is negative if a signal ended it."""

    name = "launch.events.process.ProcessExited"

    def __init__(self, *, returncode: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__returncode = returncode

    @property
    def returncode(self) -> int:
        """The return code."""
        return self.__returncode


class ProcessIO(RunningProcessEvent):
    """A process has read or written bytes."""

    name = "launch.events.process.ProcessIO"

    def __init__(self, *, text: bytes, fd: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__text = text
        self.__fd = fd

    @property
    def text(self) -> bytes:
        """The bytes."""
        return self.__text

    @property
    def from_stdin(self) -> bool:
        """Whether they were sent to the process."""
        return self.__fd == 0

    @property
    def from_stdout(self) -> bool:
        """Whether they came from its standard output."""
        return self.__fd == 1

    @property
    def from_stderr(self) -> bool:
        """Whether they came from its standard error."""
        return self.__fd == 2


class ProcessStdin(ProcessIO):
    """Bytes for the standard input."""

    name = "launch.events.process.ProcessStdin"

    def __init__(self, *, text: bytes, **kwargs: Any) -> None:
        super().__init__(text=text, fd=0, **kwargs)


class ProcessStdout(ProcessIO):
    """Bytes from the standard output."""

    name = "launch.events.process.ProcessStdout"

    def __init__(self, *, text: bytes, **kwargs: Any) -> None:
        super().__init__(text=text, fd=1, **kwargs)


class ProcessStderr(ProcessIO):
    """Bytes from the standard error."""

    name = "launch.events.process.ProcessStderr"

    def __init__(self, *, text: bytes, **kwargs: Any) -> None:
        super().__init__(text=text, fd=2, **kwargs)


class ProcessTargetedEvent(Event):
    """Something is to be done to the processes that match."""

    name = "launch.events.process.ProcessTargetedEvent"

    def __init__(self, *, process_matcher: Matcher) -> None:
        self.__process_matcher = process_matcher

    @property
    def process_matcher(self) -> Matcher:
        """Tells which processes are meant."""
        return self.__process_matcher


class ShutdownProcess(ProcessTargetedEvent):
    """The process is to stop."""

    name = "launch.events.process.ShutdownProcess"


class SignalProcess(ProcessTargetedEvent):
    """The process is to receive a signal."""

    name = "launch.events.process.SignalProcess"

    def __init__(self, *, signal_number: str | signals.Signals, process_matcher: Matcher) -> None:
        super().__init__(process_matcher=process_matcher)
        if not isinstance(signal_number, (str, signals.Signals)):
            raise TypeError(f"expected a signal or its name, got '{signal_number}'")
        self.__signal = signal_number

    @property
    def signal(self) -> str | signals.Signals:
        """The signal, as it was given."""
        return self.__signal

    @property
    def signal_name(self) -> str:
        """The signal's name, such as 'SIGINT'."""
        return self.__signal if isinstance(self.__signal, str) else self.__signal.name


def _matches(key: str, test: Callable[[Any], bool]) -> Matcher:
    def matcher(action: ExecuteProcess) -> bool:
        details = action.process_details
        return details is not None and key in details and test(details[key])

    return matcher


def matches_pid(pid: int) -> Matcher:
    """Return a matcher for the process with this id."""
    return _matches("pid", lambda value: value == pid)


def matches_name(name: str) -> Matcher:
    """Return a matcher for the process with this unique name."""
    return _matches("name", lambda value: value == name)


def matches_executable(executable: str) -> Matcher:
    """Return a matcher for processes whose program's path ends like this."""
    return _matches("cmd", lambda value: value[0].endswith(executable))
