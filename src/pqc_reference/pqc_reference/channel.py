# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Handshake messages over TCP: a length of 4 bytes, then the body."""

from __future__ import annotations

import asyncio
from collections.abc import Container


class ChannelClosed(Exception):
    """The other end closed the connection, was too slow, or sent an impossible length."""


class Channel:
    """One connection with a deadline for everything that happens on it."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float
    ) -> None:
        """Take over an open connection."""
        self._reader, self._writer = reader, writer
        self.set_deadline(seconds)

    @classmethod
    async def connect(cls, host: str, port: int, seconds: float) -> Channel:
        """Connect to a TCP port; OSError if that fails or takes longer than `seconds`."""
        async with asyncio.timeout(seconds):  # its TimeoutError is an OSError
            return cls(*await asyncio.open_connection(host, port), seconds)

    def set_deadline(self, seconds: float) -> None:
        """Allow this much time in total for everything that follows."""
        self._deadline = asyncio.get_running_loop().time() + seconds

    async def send(self, body: bytes) -> None:
        """Send one message; ChannelClosed if that fails."""
        self._writer.write(len(body).to_bytes(4, "big") + body)
        try:
            async with asyncio.timeout_at(self._deadline):
                await self._writer.drain()
        except OSError as error:
            raise ChannelClosed("the connection broke") from error

    async def receive(self, *sizes: Container[int]) -> bytes:
        """Return the next message; ChannelClosed unless its size is in one of `sizes`."""
        size = int.from_bytes(await self._take(4), "big")
        if not any(size in allowed for allowed in sizes):
            raise ChannelClosed("it sent a message of an impossible size")
        return await self._take(size)

    def close(self) -> None:
        """Close the connection; a task that sends or receives on it gets ChannelClosed."""
        self._writer.close()

    async def _take(self, size: int) -> bytes:
        try:
            async with asyncio.timeout_at(self._deadline):
                return await self._reader.readexactly(size)
        except TimeoutError as error:
            raise ChannelClosed("it did not answer in time") from error
        except (asyncio.IncompleteReadError, OSError) as error:
            raise ChannelClosed("it closed the connection") from error
