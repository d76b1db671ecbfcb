# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""KEMs and signatures: liboqs, called through liboqs-python (docs/decisions/0006)."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import importlib
import io
import os
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from pqc_reference.crypto.suites import Kem, Signature

# Classic McEliece needs megabytes of stack, in every thread that calls this module.
STACK_BYTES = 32 << 20
_ENVIRONMENT = "OQS_INSTALL_PATH"


class Unavailable(Exception):
    """liboqs, liboqs-python or an algorithm is missing, or an operation failed; one sentence."""


@cache
def load() -> ModuleType:
    """Import liboqs-python; Unavailable if that or a liboqs that it can use is missing."""
    library = _library()
    try:
        # liboqs-python prints a greeting, and a warning for every other version of liboqs.
        with (
            _search_result(library),
            contextlib.redirect_stdout(io.StringIO()),
            warnings.catch_warnings(action="ignore"),
        ):
            return importlib.import_module("oqs")
    except ModuleNotFoundError as error:
        raise Unavailable("liboqs-python isn't installed: run pip install liboqs-python") from error


def _library() -> str:
    """Return the path of the liboqs to load, after a check that liboqs-python can use it."""
    prefix = os.environ.get(_ENVIRONMENT)
    if prefix is None:
        found = ctypes.util.find_library("oqs")
        if found is None:
            raise Unavailable(f"liboqs isn't installed, and {_ENVIRONMENT} isn't set")
    else:
        files = (Path(prefix, folder, "liboqs.so") for folder in ("lib", "lib64"))
        found = next((str(file) for file in files if file.is_file()), None)
        if found is None:
            raise Unavailable(f"{_ENVIRONMENT} is {prefix}, which holds no lib/liboqs.so")
    try:
        library = ctypes.CDLL(found)
    except OSError as error:
        raise Unavailable(f"{found} can't be loaded: {error}") from error
    if not hasattr(library, "OQS_SIG_supports_ctx_str"):
        raise Unavailable(f"{found} isn't a liboqs that liboqs-python 0.16 can use")
    return found


@contextlib.contextmanager
def _search_result(library: str) -> Iterator[None]:
    """Let liboqs-python find this library first.

    By itself it prefers the libraries of the compiler and the linker to OQS_INSTALL_PATH, and if it
    finds none, it clones liboqs from the network and builds it.
    """
    search = ctypes.util.find_library
    ctypes.util.find_library = lambda name: library
    try:
        yield
    finally:
        ctypes.util.find_library = search


@contextlib.contextmanager
def _algorithm(kind: str, name: str, operation: str, *secret: bytes) -> Iterator[Any]:
    """Yield liboqs-python's object of an algorithm; it wipes its copy of the secret key."""
    oqs = load()
    try:
        with getattr(oqs, kind)(name) as algorithm:
            for key in secret:
                _check_size("secret key", key, name, algorithm.length_secret_key)
        with getattr(oqs, kind)(name, *secret) as algorithm:
            yield algorithm
    except oqs.MechanismNotSupportedError as error:
        raise Unavailable(f"this liboqs has no {name}") from error
    except RuntimeError as error:
        raise Unavailable(f"{operation} failed with {name}") from error


def _check_size(what: str, value: bytes, name: str, size: int) -> None:
    """Raise Unavailable for another size: liboqs-python fills what is short with zeros."""
    if len(value) != size:
        raise Unavailable(f"the {what} has {len(value)} bytes, but {name} prescribes {size}")


@contextlib.contextmanager
def _kem(kem: Kem, operation: str, *secret: bytes) -> Iterator[Any]:
    with _algorithm("KeyEncapsulation", kem.oqs_name, operation, *secret) as algorithm:
        sizes = (algorithm.length_public_key, algorithm.length_ciphertext)
        if sizes != (kem.public_key, kem.ciphertext):
            raise Unavailable(f"this liboqs has another revision of {kem.oqs_name}")
        yield algorithm


def offers(algorithm: Kem | Signature) -> bool:
    """Return whether this liboqs has it; each version lacks former or present revisions."""
    oqs = load()
    kind = "kem" if isinstance(algorithm, Kem) else "sig"
    names: list[str] = getattr(oqs, f"get_enabled_{kind}_mechanisms")()
    return algorithm.oqs_name in names


def generate_key(kem: Kem) -> tuple[bytes, bytes]:
    with _kem(kem, "key generation") as algorithm:
        return algorithm.generate_keypair(), algorithm.export_secret_key()


def encapsulate(kem: Kem, public_key: bytes) -> tuple[bytes, bytes]:
    """Return a ciphertext for the holder of the secret key, and the secret that it carries."""
    _check_size("public key", public_key, kem.oqs_name, kem.public_key)
    with _kem(kem, "encapsulation") as algorithm:
        return algorithm.encap_secret(public_key)


def decapsulate(kem: Kem, ciphertext: bytes, secret_key: bytes) -> bytes:
    """Return the secret that a ciphertext carries."""
    _check_size("ciphertext", ciphertext, kem.oqs_name, kem.ciphertext)
    with _kem(kem, "decapsulation", secret_key) as algorithm:
        return algorithm.decap_secret(ciphertext)


def sign(algorithm: Signature, message: bytes, secret_key: bytes) -> bytes:
    with _algorithm("Signature", algorithm.oqs_name, "signing", secret_key) as signer:
        return signer.sign(message)


def verify(algorithm: Signature, message: bytes, signature: bytes, public_key: bytes) -> bool:
    """Return whether a signature is valid; one of another size is not."""
    _check_size("public key", public_key, algorithm.oqs_name, algorithm.public_key)
    if not algorithm.fits(len(signature)):
        return False
    with _algorithm("Signature", algorithm.oqs_name, "verification") as verifier:
        return verifier.verify(message, signature, public_key)
