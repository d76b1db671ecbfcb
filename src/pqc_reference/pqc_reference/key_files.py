# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One key file ("Key files" of the protocol page)."""

from __future__ import annotations

import hmac
import os
import stat
from enum import IntEnum
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

# "PQMK" 4 | format 1 | kind 1 | algorithm 2 | owner 32 | length 4 | payload | SHA-256 32
_MAGIC = b"PQMK"
_FORMAT = 1
_PAYLOAD = 44
_CHECKSUM = 32
_MAX_FILE = 1 << 21


class IdentityError(Exception):
    """A key file that cannot be used; the text is one sentence."""


class Kind(IntEnum):
    GCS_IDENTITY = 1
    SIGNING_KEY = 2
    PUBLIC_KEY = 3
    DRONE_IDENTITY = 4
    DRONE_RECORD = 5
    ANCHOR_PUBLIC = 6
    ANCHOR_SECRET = 7
    ANCHOR_NOTE = 8


_PUBLIC = (Kind.PUBLIC_KEY, Kind.ANCHOR_PUBLIC)


class KeyFile(NamedTuple):
    algorithm: bytes
    owner: bytes
    payload: bytes


def check_secret(path: Path, status: os.stat_result) -> None:
    """Raise IdentityError for a file or folder that is open to others."""
    if status.st_uid not in (os.geteuid(), 0):
        raise IdentityError(f"{path} belongs to another user.")
    if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise IdentityError(f"{path} holds secrets, but is open to others than its owner.")


def encode(kind: Kind, algorithm: bytes, owner: bytes, payload: bytes) -> bytes:
    names = _MAGIC + bytes([_FORMAT, kind]) + algorithm + owner
    body = names + len(payload).to_bytes(4, "big") + payload
    return body + sha256(body).digest()


def read(path: Path, kind: Kind) -> KeyFile:
    """Read and check a key file; IdentityError if it cannot be used."""
    try:
        with path.open("rb") as file:
            if kind not in _PUBLIC:
                check_secret(path, os.fstat(file.fileno()))
            content = file.read(_MAX_FILE)
    except OSError as error:
        raise IdentityError(f"{path} can't be read: {error.strerror}.") from error
    body, checksum = content[:-_CHECKSUM], content[-_CHECKSUM:]
    if not content.startswith(_MAGIC) or len(body) < _PAYLOAD:
        raise IdentityError(f"{path} is no key file of this project.")
    if not hmac.compare_digest(checksum, sha256(body).digest()):
        raise IdentityError(f"{path} is damaged: its checksum is wrong.")
    payload = body[_PAYLOAD:]
    if body[4] != _FORMAT or int.from_bytes(body[40:44], "big") != len(payload):
        raise IdentityError(f"{path} is of an unknown format.")
    if body[5] != kind:
        raise IdentityError(f"{path} is the wrong kind of key file.")
    return KeyFile(body[6:8], body[8:40], payload)
