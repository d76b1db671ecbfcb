# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Starts a child process in the running loop and collects its output."""

from __future__ import annotations

import asyncio
import codecs
import ctypes
import logging
import signal
import subprocess
from collections.abc import Callable

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, prctl(2)
_PIPE_GRACE_S = 1.0  # a grandchild may hold the pipes open after the process itself has ended
_libc = ctypes.CDLL(None)


def _die_with_parent() -> None:
    """Make the kernel stop the child if launch is killed; runs in the child."""
    _libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)


class OutputProtocol(asyncio.SubprocessProtocol):
    """Passes on the output; calls `ended` with the return code after the last bytes."""

    def __init__(
        self, on_start: Callable[[int], None], on_data: Callable[[bytes, bool], None]
    ) -> None:
        """Call on_data with the bytes and whether they come from the standard output."""
        self.__on_start = on_start
        self.__on_data = on_data
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Report the process id before any output of the process."""
        self.__transport = transport
        self.__on_start(transport.get_pid())

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Pass the bytes on."""
        self.__on_data(data, fd == 1)

    def process_exited(self) -> None:
        """Wait for the pipes to close, for a limited time."""
        asyncio.get_running_loop().call_later(_PIPE_GRACE_S, self.__finish)

    def connection_lost(self, exc: Exception | None) -> None:
        """Finish after the end of process and pipes."""
        self.__finish()

    def __finish(self) -> None:
        if not self.ended.done():
            self.ended.set_result(self.__transport.get_returncode())


async def spawn(
    protocol: OutputProtocol, cmd: list[str], cwd: str | None, env: dict[str, str]
) -> asyncio.SubprocessTransport:
    transport, _ = await asyncio.get_running_loop().subprocess_exec(
        lambda: protocol,
        *cmd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
        preexec_fn=_die_with_parent,
    )
    return transport


class LineBuffer:
    """Logs a stream of bytes line by line."""

    def __init__(self, logger: logging.Logger, prefix: str) -> None:
        self.__logger = logger
        self.__prefix = prefix
        self.__decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self.__rest = ""

    def write(self, data: bytes) -> None:
        *lines, self.__rest = (self.__rest + self.__decoder.decode(data)).split("\n")
        for line in lines:
            self.__logger.info(self.__prefix + line)

    def flush(self) -> None:
        """Log the rest, which has no line end."""
        if self.__rest:
            self.__logger.info(self.__prefix + self.__rest)
        self.__rest = ""
