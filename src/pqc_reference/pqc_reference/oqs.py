# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What handshakes need of liboqs, through ctypes: docs/decisions/0006 says why."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable
from ctypes import byref, c_char_p, c_int, c_size_t, c_void_p, create_string_buffer
from functools import cache
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix

from pqc_reference import suites

# Classic McEliece takes megabytes of stack; threads that call into this module need that much.
STACK_BYTES = 32 << 20


class Unavailable(Exception):
    """liboqs or one of its algorithms isn't there, or refuses its input."""


def library_path() -> str:
    """Return the liboqs that the workspace built, or else the machine's own."""
    try:
        built = Path(get_package_prefix("liboqs_vendor")) / "lib" / "liboqs.so"
        if built.exists():
            return str(built)
    except PackageNotFoundError:
        pass
    found = ctypes.util.find_library("oqs")
    if found is None:
        raise Unavailable("liboqs isn't on this machine: build the package liboqs_vendor")
    return found


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(library_path())
    for name in ("OQS_KEM_new", "OQS_SIG_new"):
        function = getattr(library, name)
        function.restype, function.argtypes = c_void_p, [c_char_p]
    for name, arguments in (
        ("OQS_KEM_keypair", 3),
        ("OQS_KEM_encaps", 4),
        ("OQS_KEM_decaps", 4),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = c_int, [c_void_p] * arguments
    library.OQS_SIG_sign.restype = library.OQS_SIG_verify.restype = c_int
    pointer, size = c_void_p, c_size_t
    library.OQS_SIG_sign.argtypes = [pointer, pointer, pointer, c_char_p, size, c_char_p]
    library.OQS_SIG_verify.argtypes = [pointer, c_char_p, size, c_char_p, size, c_char_p]
    library.OQS_init()
    return library


class _KemStruct(ctypes.Structure):
    """The beginning of liboqs' OQS_KEM."""

    _fields_ = (
        ("method_name", c_char_p),
        ("alg_version", c_char_p),
        ("claimed_nist_level", ctypes.c_uint8),
        ("ind_cca", ctypes.c_bool),
        ("length_public_key", c_size_t),
        ("length_secret_key", c_size_t),
        ("length_ciphertext", c_size_t),
        ("length_shared_secret", c_size_t),
    )


@cache
def _open(new: str, name: str) -> int:
    """Return the handle of an algorithm; it is constant, and kept."""
    handle = getattr(_library(), new)(name.encode())
    if not handle:
        raise Unavailable(f"this liboqs has no {name}")
    return handle


def _kem(kem: suites.Kem) -> tuple[int, _KemStruct]:
    handle = _open("OQS_KEM_new", kem.oqs_name)
    sizes = _KemStruct.from_address(handle)
    if (sizes.length_public_key, sizes.length_ciphertext) != (kem.public_key, kem.ciphertext):
        raise Unavailable(f"this liboqs has another revision of {kem.oqs_name}")
    return handle, sizes


def _do(function: Callable[..., int], what: str, *arguments: object) -> None:
    if function(*arguments) != 0:
        raise Unavailable(f"{what} failed")


def generate_key(kem: suites.Kem) -> tuple[bytes, bytes]:
    """Return a new public and secret key."""
    handle, sizes = _kem(kem)
    public = create_string_buffer(kem.public_key)
    secret = create_string_buffer(sizes.length_secret_key)
    _do(_library().OQS_KEM_keypair, f"a key generation of {kem.oqs_name}", handle, public, secret)
    return public.raw, secret.raw


def encapsulate(kem: suites.Kem, public_key: bytes) -> tuple[bytes, bytes]:
    """Return a ciphertext for the holder of the secret key, and the secret shared by it."""
    handle, sizes = _kem(kem)
    ciphertext = create_string_buffer(kem.ciphertext)
    shared = create_string_buffer(sizes.length_shared_secret)
    what = f"an encapsulation with {kem.oqs_name}"
    _do(_library().OQS_KEM_encaps, what, handle, ciphertext, shared, public_key)
    return ciphertext.raw, shared.raw


def decapsulate(kem: suites.Kem, ciphertext: bytes, secret_key: bytes) -> bytes:
    """Return the shared secret."""
    handle, sizes = _kem(kem)
    shared = create_string_buffer(sizes.length_shared_secret)
    what = f"a decapsulation with {kem.oqs_name}"
    _do(_library().OQS_KEM_decaps, what, handle, shared, ciphertext, secret_key)
    return shared.raw


def sign(algorithm: suites.Signature, message: bytes, secret_key: bytes) -> bytes:
    """Return a signature."""
    handle = _open("OQS_SIG_new", algorithm.oqs_name)
    signature = create_string_buffer(algorithm.signature)
    size = c_size_t(algorithm.signature)
    function, what = _library().OQS_SIG_sign, f"a signature with {algorithm.oqs_name}"
    _do(function, what, handle, signature, byref(size), message, len(message), secret_key)
    return signature.raw[: size.value]


def verify(
    algorithm: suites.Signature, message: bytes, signature: bytes, public_key: bytes
) -> bool:
    """Tell whether a signature holds."""
    handle = _open("OQS_SIG_new", algorithm.oqs_name)
    result = _library().OQS_SIG_verify(
        handle, message, len(message), signature, len(signature), public_key
    )
    return result == 0
