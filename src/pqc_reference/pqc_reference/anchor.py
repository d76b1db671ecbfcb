# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The anchor: long-lived Classic McEliece keys of the ground station ("Anchor" and "Key files")."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from pqc_reference.crypto.key_schedule import digest
from pqc_reference.crypto.suites import KEMS, Kem
from pqc_reference.key_files import IdentityError, Kind, encode, read

ID_SIZE = 4
_NOTE = "used.anchor"
_NAME_PARTS = 3  # number, level, id


class UnknownAnchor(Exception):
    """A key of the anchor that is not there, or was used; the text is a part of a sentence."""


@dataclass(frozen=True)
class _File:
    number: int
    kem: Kem
    id: bytes
    path: Path


@dataclass(frozen=True)
class PublicKey:
    """A key that the drone encapsulates to."""

    kem: Kem
    id: bytes
    key: bytes
    one_time: bool


@dataclass(frozen=True)
class SecretKey:
    """A key that the ground station decapsulates with."""

    kem: Kem
    id: bytes
    key: bytes = field(repr=False)
    one_time: bool


def anchor_id(public_key: bytes) -> bytes:
    return digest(public_key)[:ID_SIZE]


class AnchorKeys:
    """The public keys of a drone."""

    def __init__(self, folder: Path, owner: bytes) -> None:
        """`folder` is that of the identity."""
        self._last_resort = folder / "anchor" / "last_resort"
        self._one_time = folder / "anchor" / "one_time"
        self._owner = owner
        self._lock = Lock()

    def __bool__(self) -> bool:
        return any(_files(folder, ".pub") for folder in (self._last_resort, self._one_time))

    def take(self, level: int, *, one_time_only: bool = False) -> PublicKey:
        """Return the next one-time key, noted as used on the disk, or else the last-resort key."""
        with self._lock:
            for file in _files(self._one_time, ".pub"):
                taken = self._take_one_time(file, level)
                if taken is not None:
                    return taken
            if one_time_only:
                raise UnknownAnchor("no one-time key of the anchor is left")
            files = _files(self._last_resort, ".pub")
            if not files:
                raise UnknownAnchor("the identity holds no key of the anchor")
            file = next((f for f in reversed(files) if f.kem.level >= level), files[-1])
            key = read(file.path, Kind.ANCHOR_PUBLIC).payload
            return PublicKey(file.kem, anchor_id(key), key, one_time=False)

    def _take_one_time(self, file: _File, level: int) -> PublicKey | None:
        """Return a key; None if it was used, is too weak or damaged, or can't be noted."""
        with contextlib.suppress(IdentityError, OSError):
            if file.number > _used(self._one_time, self._owner) and file.kem.level >= level:
                _note(self._one_time, self._owner, file.number)
                key = read(file.path, Kind.ANCHOR_PUBLIC).payload
                file.path.unlink()
                if anchor_id(key) == file.id:
                    return PublicKey(file.kem, file.id, key, one_time=True)
        return None


class AnchorSecrets:
    """The secret keys of a ground station for one drone."""

    def __init__(self, folder: Path, drone: str, owner: bytes) -> None:
        """`folder` is that of the identity."""
        self._last_resort = folder / "anchor" / "last_resort"
        self._one_time = folder / "anchor" / "one_time" / drone
        self._owner = owner
        self._lock = Lock()

    def find(self, name: bytes) -> SecretKey:
        """Return a key that was not used yet; UnknownAnchor otherwise."""
        with self._lock:
            _erase_through(self._one_time, _used(self._one_time, self._owner))
            for folder in (self._one_time, self._last_resort):
                for file in _files(folder, ".key"):
                    if file.id == name:
                        key = read(file.path, Kind.ANCHOR_SECRET).payload
                        return SecretKey(file.kem, name, key, one_time=folder is self._one_time)
        raise UnknownAnchor("it is not known here, or was used before")

    def erase(self, key: SecretKey) -> None:
        with self._lock:
            number = next((f.number for f in _files(self._one_time, ".key") if f.id == key.id), 0)
            if number == 0:
                raise UnknownAnchor("it was erased meanwhile")
            _note(self._one_time, self._owner, number)
            _erase_through(self._one_time, number)


def _files(folder: Path, suffix: str) -> list[_File]:
    """Return the files called NUMBER-LEVEL-ID with this suffix, by number."""
    files = []
    for path in folder.glob(f"*{suffix}"):
        parts = path.stem.split("-")
        if len(parts) != _NAME_PARTS or not all(parts):
            continue
        with contextlib.suppress(ValueError, StopIteration):
            kem = next(k for k in KEMS if k.code[0] == 3 and k.level == int(parts[1]))
            files.append(_File(int(parts[0]), kem, bytes.fromhex(parts[2]), path))
    return sorted(files, key=lambda file: file.number)


def _used(folder: Path, owner: bytes) -> int:
    path = folder / _NOTE
    if not path.exists():
        return 0
    note = read(path, Kind.ANCHOR_NOTE)
    return int.from_bytes(note.payload, "big") if note.owner == owner else 0


def _note(folder: Path, owner: bytes, number: int) -> None:
    if number <= _used(folder, owner):
        return
    content = encode(Kind.ANCHOR_NOTE, bytes(2), owner, number.to_bytes(4, "big"))
    descriptor, name = tempfile.mkstemp(dir=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)
    Path(name).rename(folder / _NOTE)
    _sync(folder)


def _erase_through(folder: Path, number: int) -> None:
    for file in _files(folder, ".key"):
        if file.number <= number:
            with file.path.open("r+b") as content:
                content.write(bytes(file.path.stat().st_size))
                content.flush()
                os.fsync(content.fileno())
            file.path.unlink()
    if number > 0:
        _sync(folder)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
