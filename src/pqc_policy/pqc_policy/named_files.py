# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The one reader of files that a parameter, an argument or another file names.

Whatever has that name, reading it neither waits nor takes more memory than its limit: only regular
files are read, without waiting, up to a size; a document has no aliases, and is not nested deeply.
"""

from __future__ import annotations

import grp
import json
import os
import pwd
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_ISREG, S_IWGRP, S_IWOTH
from typing import Any, BinaryIO, NoReturn

from pqc_policy.shown_text import Fault

MOST_BYTES = 1 << 20
# YAML is read at some 100 kB/s, while a node waits.
MOST_YAML_BYTES = 128 << 10
MOST_DEPTH = 40
_MOST_NUMBER = 1 << 64
_SUFFIXES = (".yaml", ".yml")


class FileFault(Fault):
    """A file that can't be used; the message is a sentence without its subject, the file."""


class NoFile(FileFault):
    """There is no such file."""


def open_file(file: Path, *, trusted: bool = False) -> BinaryIO:
    """Open a regular file, also through a symbolic link.

    `trusted`: what is in it decides for the aircraft, so that only root and the user who runs this
    may be able to write it.
    """
    try:
        number = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError) as fault:
        raise NoFile(f"can't be read: {fault.strerror}") from fault
    except (OSError, ValueError) as fault:  # a name with a null byte is a ValueError
        raise FileFault(f"can't be read: {getattr(fault, 'strerror', None) or fault}") from fault
    try:
        status = os.fstat(number)
        if not S_ISREG(status.st_mode):
            raise FileFault("can't be read: it is no regular file")
        if trusted:
            _check_writers(file, status)
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def read_bytes(file: Path, most: int = MOST_BYTES, *, trusted: bool = False) -> bytes:
    """Return the content of a file; raise FileFault if it has more than `most` bytes."""
    with open_file(file, trusted=trusted) as stream:
        try:
            content = stream.read(most + 1)
        except OSError as fault:
            raise FileFault(f"can't be read: {fault.strerror}") from fault
    if content is None:  # some files of the kernel have nothing yet
        raise FileFault("can't be read: it is no regular file")
    if len(content) > most:
        raise FileFault(f"has more than {most} bytes")
    return content


def read_text(file: Path, most: int = MOST_BYTES, *, trusted: bool = False) -> str:
    try:
        return read_bytes(file, most, trusted=trusted).decode()
    except UnicodeDecodeError as fault:
        raise FileFault("is no text") from fault


def read_document(file: Path, most: int = MOST_BYTES, *, trusted: bool = False) -> Any:
    """Return what a file has in YAML, if that is how its name ends, else in JSON."""
    if file.suffix in _SUFFIXES:
        return from_yaml(read_text(file, min(most, MOST_YAML_BYTES), trusted=trusted))
    return from_json(read_text(file, most, trusted=trusted))


def from_json(text: str, *, finite: bool = False) -> Any:
    """Return the value of a JSON text; `finite`: a number that is none is a fault, too."""
    try:
        document = json.loads(text, parse_constant=_not_finite if finite else None)
    except json.JSONDecodeError as fault:
        raise FileFault(f"is not JSON (line {fault.lineno})") from fault
    except (ValueError, RecursionError) as fault:
        raise FileFault("is not JSON, or nested too deeply") from fault
    return _moderate(document)


def from_yaml(text: str) -> Any:
    import yaml  # here, because JSON is read where no package is installed, too

    class Loader(yaml.SafeLoader):
        """Refuses aliases, as ROS does: a short text could stand for an endless one."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise FileFault("has an alias (*name) in its YAML, which is not read")
            return super().compose_node(parent, index)

    try:
        document = yaml.load(text, Loader)
    except FileFault:
        raise
    except Exception as fault:  # values of some forms raise what they like
        raise FileFault("is not YAML") from fault
    return _moderate(document)


def _moderate(document: Any) -> Any:
    """Return the document, whose walks and numbers are harmless."""
    level = [document]
    for _ in range(MOST_DEPTH):
        if any(isinstance(value, int) and abs(value) >= _MOST_NUMBER for value in level):
            raise FileFault("has a whole number of more than 64 bits")
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return document
    raise FileFault(f"is nested more than {MOST_DEPTH} deep")


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return list(value) if isinstance(value, list | tuple | set) else []


def _not_finite(_: str) -> NoReturn:
    raise ValueError("a number is not finite")


def _check_writers(file: Path, status: os.stat_result) -> None:
    """Raise FileFault if others than root and the user who runs this may write a file."""
    if status.st_uid not in (0, os.geteuid()):
        raise FileFault(
            f"belongs to {_user(status.st_uid)}, but must belong to root or to "
            f"{_user(os.geteuid())}, who runs this"
        )
    others = S_IWOTH if _is_private_group(status) else S_IWOTH | S_IWGRP
    if status.st_mode & others:
        raise FileFault(
            f"has mode {S_IMODE(status.st_mode):04o}, so that others may write it: "
            f"chmod go-w {file} mends that"
        )


def _is_private_group(status: os.stat_result) -> bool:
    """Return whether the group is that of the owner alone, as umask 002 supposes."""
    with suppress(KeyError):
        return grp.getgrgid(status.st_gid).gr_name == pwd.getpwuid(status.st_uid).pw_name
    return status.st_gid == status.st_uid


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"
