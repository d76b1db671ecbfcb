# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The key files that `pqc identity` writes ("Key files" of the protocol page)."""

from __future__ import annotations

import hmac
import os
import stat
from dataclasses import dataclass, field
from enum import IntEnum
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pqc_reference.crypto.suites import SIGNATURES, Signature

# "PQMK" 4 | format 1 | kind 1 | algorithm 2 | owner 32 | length 4 | payload | SHA-256 32
_MAGIC = b"PQMK"
_FORMAT = 1
_PAYLOAD = 44
_CHECKSUM = 32
_MAX_FILE = 1 << 20


class IdentityError(Exception):
    """A key file that cannot be used; the text is one sentence."""


class _Kind(IntEnum):
    GCS_IDENTITY = 1
    SIGNING_KEY = 2
    PUBLIC_KEY = 3
    DRONE_IDENTITY = 4
    DRONE_RECORD = 5


class _KeyFile(NamedTuple):
    algorithm: bytes
    owner: bytes
    payload: bytes


Keys = dict[Signature, bytes]


@dataclass(frozen=True)
class DroneIdentity:
    """A drone's id, its pre-shared key and the public keys of its ground station."""

    name: str
    id: bytes
    psk: bytes = field(repr=False)
    gcs_id: bytes
    gcs_keys: Keys
    signing_keys: Keys = field(repr=False)


@dataclass(frozen=True)
class GcsIdentity:
    """A ground station's id and signing keys."""

    id: bytes
    signing_keys: Keys = field(repr=False)


@dataclass(frozen=True)
class DroneRecord:
    """A drone as its ground station knows it."""

    name: str
    id: bytes
    psk: bytes = field(repr=False)
    public_keys: Keys


def load_drone_identity(folder: Path) -> DroneIdentity:
    """Read a drone's folder."""
    _check_folder(folder)
    file = _read(folder / "drone.identity", _Kind.DRONE_IDENTITY)
    psk, gcs_id, name = file.payload[:32], file.payload[32:64], file.payload[64:]
    if len(gcs_id) != 32:
        raise IdentityError(f"{folder / 'drone.identity'} is cut short.")
    gcs_keys = _keys(folder / "gcs", ".pub", _Kind.PUBLIC_KEY, gcs_id)
    if not gcs_keys:
        raise IdentityError(f"{folder / 'gcs'} holds no public key of the ground station.")
    signing_keys = _keys(folder / "signing", ".key", _Kind.SIGNING_KEY, file.owner)
    return DroneIdentity(name.decode(), file.owner[:8], psk, gcs_id, gcs_keys, signing_keys)


def load_gcs_identity(folder: Path) -> GcsIdentity:
    """Read a ground station's folder."""
    _check_folder(folder)
    file = _read(folder / "gcs.identity", _Kind.GCS_IDENTITY)
    keys = _keys(folder / "signing", ".key", _Kind.SIGNING_KEY, file.owner)
    if not keys:
        raise IdentityError(f"{folder / 'signing'} holds no signing key.")
    return GcsIdentity(file.owner, keys)


def load_drone_record(folder: Path, name: str) -> DroneRecord:
    """Read the record of a drone in a ground station's folder."""
    path = folder / "drones" / f"{name}.drone"
    file = _read(path, _Kind.DRONE_RECORD)
    payload = file.payload
    psk, name_end = payload[:32], 33 + payload[32]
    if payload[33:name_end].decode() != name:
        raise IdentityError(f"{path} is the record of another drone.")
    keys: Keys = {}
    rest = payload[name_end:]
    while rest:
        code, size = rest[:2], int.from_bytes(rest[2:6], "big")
        algorithm = next((s for s in SIGNATURES if s.code == code), None)
        if algorithm is None or algorithm.public_key != size or len(rest) < 6 + size:
            raise IdentityError(f"{path} holds a public key of an unknown algorithm.")
        keys[algorithm], rest = rest[6 : 6 + size], rest[6 + size :]
    return DroneRecord(name, file.owner[:8], psk, keys)


def _keys(folder: Path, suffix: str, kind: _Kind, owner: bytes) -> Keys:
    """Read the keys of a folder, one file per algorithm."""
    keys: Keys = {}
    for algorithm in SIGNATURES:
        path = folder / f"{algorithm.token}{suffix}"
        if not path.exists():
            continue
        file = _read(path, kind)
        size = algorithm.public_key if kind is _Kind.PUBLIC_KEY else algorithm.secret_key
        if file.algorithm != algorithm.code or len(file.payload) != size:
            raise IdentityError(f"{path} is no key of {algorithm.oqs_name}.")
        if file.owner != owner:
            raise IdentityError(f"{path} is of another owner than this identity.")
        keys[algorithm] = file.payload
    return keys


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise IdentityError(f"{folder} doesn't exist.")
    _check_secret(folder, folder.stat())


def _check_secret(path: Path, status: os.stat_result) -> None:
    if status.st_uid not in (os.geteuid(), 0):
        raise IdentityError(f"{path} belongs to another user.")
    if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise IdentityError(f"{path} holds secrets, but is open to others than its owner.")


def _read(path: Path, kind: _Kind) -> _KeyFile:
    try:
        with path.open("rb") as file:
            if kind is not _Kind.PUBLIC_KEY:
                _check_secret(path, os.fstat(file.fileno()))
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
    return _KeyFile(body[6:8], body[8:40], payload)
