# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What things are called on the page, and in which order they come."""

from __future__ import annotations

from pqc_policy.policy.suites import AEADS, KEMS, SIGNATURES

from pqc_bench.cell.scenario import SCENARIOS

FAMILIES = {
    "ml_kem": "ML-KEM",
    "frodokem": "FrodoKEM",
    "hqc": "HQC",
    "mceliece": "McEliece",
}
_PREFIXES = {
    "mlkem": "ML-KEM-",
    "hqc": "HQC-",
    "classicmceliece": "McEliece-",
    "frodokem": "FrodoKEM-",
    "mldsa": "ML-DSA-",
    "falcon": "Falcon-",
    "sphincs": "SPHINCS+-",
}
_AEADS = {
    "aesgcm": "AES-256-GCM",
    "chacha20poly1305": "ChaCha20-Poly1305",
    "ascon128a": "Ascon-128a",
    "asconaead128": "Ascon-AEAD128",
}
_ORDER = {name: place for place, name in enumerate((*KEMS, *SIGNATURES, *AEADS, *SCENARIOS))}


def display(token: str) -> str:
    """Return an algorithm's name for people; the token itself if it isn't known."""
    if token in _AEADS:
        return _AEADS[token]
    for prefix, name in _PREFIXES.items():
        if token.startswith(prefix):
            return name + token[len(prefix) :].replace("aes", "-AES")
    return token


def suite_name(kem: str, signature: str, aead: str = "") -> str:
    """Return a suite's name, or with no AEAD that of what its handshake is made of."""
    return " · ".join(display(part) for part in (kem, signature, aead) if part)


def place(token: str) -> int:
    """Return a token's place in its order: the registry's, or the scenarios' by their load."""
    return _ORDER.get(token, len(_ORDER))
