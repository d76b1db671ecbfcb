# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The key files that `pqc identity` writes ("Key files" of the protocol page)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pqc_reference.anchor import AnchorKeys, AnchorSecrets
from pqc_reference.crypto.suites import SIGNATURES, Signature
from pqc_reference.key_files import IdentityError, Kind, check_secret, read

Keys = dict[Signature, bytes]

# Entries of a record that are no public key; this peer uses the first one only.
_NUMBER, _EXPIRY, _FORMER = b"\0\1", b"\0\2", b"\0\3"
_NO_KEYS = (_NUMBER, _EXPIRY, _FORMER)


@dataclass(frozen=True)
class DroneIdentity:
    """A drone's id, its pre-shared key and the public keys of its ground station."""

    name: str
    id: bytes
    psk: bytes = field(repr=False)
    gcs_id: bytes
    gcs_keys: Keys
    signing_keys: Keys = field(repr=False)
    anchor: AnchorKeys | None = None


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
    anchor: AnchorSecrets | None = None
    number: int = 0  # of its plaintext port


def load_drone_identity(folder: Path) -> DroneIdentity:
    _check_folder(folder)
    file = read(folder / "drone.identity", Kind.DRONE_IDENTITY)
    psk, gcs_id, name = file.payload[:32], file.payload[32:64], file.payload[64:]
    if len(gcs_id) != 32:
        raise IdentityError(f"{folder / 'drone.identity'} is cut short.")
    gcs_keys = _keys(folder / "gcs", ".pub", Kind.PUBLIC_KEY, gcs_id)
    if not gcs_keys:
        raise IdentityError(f"{folder / 'gcs'} holds no public key of the ground station.")
    signing_keys = _keys(folder / "signing", ".key", Kind.SIGNING_KEY, file.owner)
    anchor = AnchorKeys(folder, file.owner) or None
    drone_id = file.owner[:8]
    return DroneIdentity(name.decode(), drone_id, psk, gcs_id, gcs_keys, signing_keys, anchor)


def erase_drone_identity(folder: Path) -> bool:
    """Erase the key files of a drone; return whether all are gone."""
    if not (folder / "drone.identity").is_file():
        return False
    try:
        (folder / "drone.identity").unlink()
        for inside in ("former", "signing", "gcs", "anchor"):
            if (folder / inside).exists():
                shutil.rmtree(folder / inside)
    except OSError:
        return False
    return True


def load_gcs_identity(folder: Path) -> GcsIdentity:
    _check_folder(folder)
    file = read(folder / "gcs.identity", Kind.GCS_IDENTITY)
    keys = _keys(folder / "signing", ".key", Kind.SIGNING_KEY, file.owner)
    if not keys:
        raise IdentityError(f"{folder / 'signing'} holds no signing key.")
    return GcsIdentity(file.owner, keys)


def load_drone_record(folder: Path, name: str) -> DroneRecord:
    """Read the record of a drone in a ground station's folder."""
    path = folder / "drones" / f"{name}.drone"
    file = read(path, Kind.DRONE_RECORD)
    payload = file.payload
    psk, name_end = payload[:32], 33 + payload[32]
    if payload[33:name_end].decode() != name:
        raise IdentityError(f"{path} is the record of another drone.")
    keys: Keys = {}
    number = 0
    for code, value in _entries(path, payload[name_end:]):
        if code == _NUMBER:
            number = int.from_bytes(value, "big")
        if code in _NO_KEYS:
            continue
        algorithm = next((s for s in SIGNATURES if s.code == code), None)
        if algorithm is None or algorithm.public_key != len(value):
            raise IdentityError(f"{path} holds a public key of an unknown algorithm.")
        keys[algorithm] = value
    anchor = AnchorSecrets(folder, name, file.owner)
    return DroneRecord(name, file.owner[:8], psk, keys, anchor, number)


def _entries(path: Path, rest: bytes) -> Iterator[tuple[bytes, bytes]]:
    while rest:
        size = int.from_bytes(rest[2:6], "big")
        if len(rest) < 6 + size:
            raise IdentityError(f"{path} is cut short.")
        yield rest[:2], rest[6 : 6 + size]
        rest = rest[6 + size :]


def _keys(folder: Path, suffix: str, kind: Kind, owner: bytes) -> Keys:
    """Read the keys of a folder, one file per algorithm."""
    keys: Keys = {}
    for algorithm in SIGNATURES:
        path = folder / f"{algorithm.token}{suffix}"
        if not path.exists():
            continue
        file = read(path, kind)
        size = algorithm.public_key if kind is Kind.PUBLIC_KEY else algorithm.secret_key
        if file.algorithm != algorithm.code or len(file.payload) != size:
            raise IdentityError(f"{path} is no key of {algorithm.oqs_name}.")
        if file.owner != owner:
            raise IdentityError(f"{path} is of another owner than this identity.")
        keys[algorithm] = file.payload
    return keys


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise IdentityError(f"{folder} doesn't exist.")
    check_secret(folder, folder.stat())
