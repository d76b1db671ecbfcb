# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A bag that is being written, on a disk that may fill up."""

from __future__ import annotations

import math
import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from rosbags.interfaces import Connection
from rosbags.rosbag2 import StoragePlugin, Writer

from ..cli import CommandError
from .summary import file_size

# Free space to keep on the disk for data that the storage holds in memory: a chunk and its index in
# MCAP, the page cache of SQLite.
RESERVE_BYTES = 16 << 20
_CHECK_S = 0.1


class RecordingError(RuntimeError):
    """Ends a recording before it is stopped; the message is one sentence with the reason."""


def free_bytes(folder: Path) -> float:
    """Return the free bytes of a folder's disk for this user; infinity if they are unknown."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize if disk.f_blocks else math.inf


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


class BagFile:
    """A new bag; use it as a context manager, which completes it."""

    def __init__(self, path: Path, storage: str) -> None:
        """Create the folder and its parents; CommandError if that fails."""
        self.path = path
        self._broken = False
        self._next_check = 0.0
        try:
            if path.exists():
                raise CommandError(f"Output folder '{path}' already exists.")
            self._require_room()
            plugin = StoragePlugin[storage.upper()]
            self._writer = Writer(path, version=Writer.VERSION_LATEST, storage_plugin=plugin)
            self._writer.open()
        except (OSError, sqlite3.Error) as error:
            with suppress(OSError):
                path.rmdir()
            raise CommandError(
                f"Cannot create the output folder '{path}': {_reason(error)}."
            ) from error

    def __enter__(self) -> BagFile:
        """Return the bag."""
        return self

    def __exit__(self, *_: object) -> None:
        """Complete the bag."""
        self.close()

    def add_connection(self, topic: str, msgtype: str, **properties: Any) -> Connection:
        """Add a topic; RecordingError if it cannot be written."""
        try:
            return self._writer.add_connection(topic, msgtype, **properties)
        except (OSError, sqlite3.Error) as error:
            raise self._failure(error) from error

    def write(self, connection: Connection, timestamp_ns: int, data: bytes) -> None:
        """Add a message; RecordingError if it cannot be written."""
        try:
            self._writer.write(connection, timestamp_ns, data)
        except (OSError, sqlite3.Error) as error:
            raise self._failure(error) from error

    def check_room(self) -> None:
        """Raise RecordingError once the rest of the disk is needed to complete the bag."""
        if time.monotonic() < self._next_check:
            return
        self._next_check = time.monotonic() + _CHECK_S
        try:
            free = free_bytes(self.path)
        except OSError as error:
            raise self._failure(error) from error
        if free < RESERVE_BYTES:
            raise RecordingError(
                f"The recording has ended, because only {file_size(free)} are free at "
                f"'{self.path}': the bag holds what came before."
            )

    def close(self) -> None:
        """Write index and metadata, or abort a bag that could not be written."""
        if self._broken:
            self._abort()
            return
        try:
            self._writer.close()
            self._name_distribution()
        except (OSError, sqlite3.Error) as error:
            self._abort()
            raise RecordingError(
                f"Cannot complete the bag '{self.path}': {_reason(error)}."
            ) from error

    def _require_room(self) -> None:
        folder = next(place for place in self.path.absolute().parents if place.exists())
        free = free_bytes(folder)
        if free < RESERVE_BYTES:
            raise CommandError(
                f"Only {file_size(free)} are free at '{folder}': "
                f"a recording needs more than {file_size(RESERVE_BYTES)}."
            )

    def _failure(self, error: Exception) -> RecordingError:
        self._broken = True
        return RecordingError(
            f"Cannot write the bag '{self.path}': {_reason(error)}. It is not complete."
        )

    def _abort(self) -> None:
        # The storage may try to write the same data again, and fail again.
        with suppress(Exception):
            self._writer.abort()

    def _name_distribution(self) -> None:
        metadata = self.path / "metadata.yaml"
        distribution = os.environ.get("ROS_DISTRO", "unknown")
        text = metadata.read_text(encoding="utf-8")
        new = metadata.with_suffix(".yaml.new")
        new.write_text(
            text.replace("ros_distro: rosbags", f"ros_distro: {distribution}"), encoding="utf-8"
        )
        new.replace(metadata)
