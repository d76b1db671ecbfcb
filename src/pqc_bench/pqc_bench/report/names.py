# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Display names of algorithms, families and suites, in the order of the suite table."""

from __future__ import annotations

from pqc_policy.policy.suites import AEADS, KEMS, SIGNATURES, KemFamily, SignatureFamily

from pqc_bench.cell.scenario import SCENARIOS

FAMILIES: dict[str, str] = {
    KemFamily.ML_KEM: "ML-KEM",
    KemFamily.FRODOKEM: "FrodoKEM",
    KemFamily.HQC: "HQC",
    KemFamily.MCELIECE: "McEliece",
}
SIGNATURE_FAMILIES: dict[str, str] = {
    SignatureFamily.ML_DSA: "ML-DSA",
    SignatureFamily.FALCON: "Falcon",
    SignatureFamily.SPHINCS_F: "SPHINCS+-f",
    SignatureFamily.SPHINCS_S: "SPHINCS+-s",
    SignatureFamily.SLH_DSA_F: "SLH-DSA-f",
    SignatureFamily.SLH_DSA_S: "SLH-DSA-s",
}
FAMILY_NAMES = tuple(FAMILIES.values())
# Names by the prefix of the token in the suite table; the parameter set follows.
_PREFIXES = {
    "mlkem": "ML-KEM-",
    "hqc": "HQC-",
    "classicmceliece": "McEliece-",
    "frodokem": "FrodoKEM-",
    "mldsa": "ML-DSA-",
    "falcon": "Falcon-",
    "sphincs": "SPHINCS+-",
    "slhdsa": "SLH-DSA-",
}
_ORDER = {name: place for place, name in enumerate((*KEMS, *SIGNATURES, *AEADS, *SCENARIOS))}


def display(token: str) -> str:
    """Return the name of an algorithm; the token itself if it is unknown."""
    if token in AEADS:
        return AEADS[token].name
    for prefix, name in _PREFIXES.items():
        if token.startswith(prefix):
            return name + token[len(prefix) :].replace("aes", "-AES")
    return token


def suite_name(kem: str, signature: str, aead: str = "") -> str:
    """Return the name of a suite, or without an AEAD the name of KEM and signature."""
    return " · ".join(display(part) for part in (kem, signature, aead) if part)


def place(token: str) -> int:
    """Return the place of an algorithm in the suite table, or of a scenario by its load."""
    return _ORDER.get(token, len(_ORDER))
