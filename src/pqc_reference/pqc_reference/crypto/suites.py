# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Cipher suites: a KEM, a signature of its level, and a cipher ("Suites" of the protocol page)."""

from __future__ import annotations

from dataclasses import dataclass

from pqc_reference.crypto.aead import CIPHERS, Cipher


@dataclass(frozen=True)
class Kem:
    """A key encapsulation mechanism; sizes in bytes."""

    token: str
    oqs_name: str
    level: int
    code: bytes
    public_key: int
    ciphertext: int
    experimental: bool = False


@dataclass(frozen=True)
class Signature:
    """A signature algorithm; sizes in bytes. If `variable`, signatures may be shorter."""

    token: str
    oqs_name: str
    level: int
    code: bytes
    public_key: int
    secret_key: int
    signature: int
    variable: bool = False

    @property
    def signs_slowly(self) -> bool:
        """Return whether prekeys are signed for no particular session: SPHINCS+ and SLH-DSA."""
        return self.code[0] in (3, 4)

    def fits(self, size: int) -> bool:
        """Return whether a signature can have this size."""
        return 0 < size <= self.signature if self.variable else size == self.signature


# The wire codes of KEM and signature: a family, then the parameter set.
KEMS = (
    Kem("mlkem512", "ML-KEM-512", 1, b"\x01\x01", 800, 768),
    Kem("mlkem768", "ML-KEM-768", 3, b"\x01\x02", 1184, 1088),
    Kem("mlkem1024", "ML-KEM-1024", 5, b"\x01\x03", 1568, 1568),
    Kem("hqc128", "HQC-128", 1, b"\x02\x01", 2249, 4433, experimental=True),
    Kem("hqc192", "HQC-192", 3, b"\x02\x02", 4522, 8978, experimental=True),
    Kem("hqc256", "HQC-256", 5, b"\x02\x03", 7245, 14421, experimental=True),
    Kem("classicmceliece348864", "Classic-McEliece-348864", 1, b"\x03\x01", 261120, 96),
    Kem("classicmceliece460896", "Classic-McEliece-460896", 3, b"\x03\x02", 524160, 156),
    Kem("classicmceliece8192128", "Classic-McEliece-8192128", 5, b"\x03\x03", 1357824, 208),
    Kem("frodokem640aes", "FrodoKEM-640-AES", 1, b"\x04\x01", 9616, 9720),
    Kem("frodokem976aes", "FrodoKEM-976-AES", 3, b"\x04\x02", 15632, 15744),
    Kem("frodokem1344aes", "FrodoKEM-1344-AES", 5, b"\x04\x03", 21520, 21632),
    Kem("hqc1", "HQC-1", 1, b"\x02\x11", 2241, 4433, experimental=True),
    Kem("hqc3", "HQC-3", 3, b"\x02\x12", 4514, 8978, experimental=True),
    Kem("hqc5", "HQC-5", 5, b"\x02\x13", 7237, 14421, experimental=True),
)

SIGNATURES = (
    Signature("mldsa44", "ML-DSA-44", 1, b"\x01\x01", 1312, 2560, 2420),
    Signature("mldsa65", "ML-DSA-65", 3, b"\x01\x02", 1952, 4032, 3309),
    Signature("mldsa87", "ML-DSA-87", 5, b"\x01\x03", 2592, 4896, 4627),
    Signature("falcon512", "Falcon-512", 1, b"\x02\x01", 897, 1281, 752, variable=True),
    Signature("falcon1024", "Falcon-1024", 5, b"\x02\x03", 1793, 2305, 1462, variable=True),
    Signature("sphincs128s", "SPHINCS+-SHA2-128s-simple", 1, b"\x03\x01", 32, 64, 7856),
    Signature("sphincs192s", "SPHINCS+-SHA2-192s-simple", 3, b"\x03\x02", 48, 96, 16224),
    Signature("sphincs256s", "SPHINCS+-SHA2-256s-simple", 5, b"\x03\x03", 64, 128, 29792),
    Signature("sphincs128f", "SPHINCS+-SHA2-128f-simple", 1, b"\x04\x01", 32, 64, 17088),
    Signature("sphincs192f", "SPHINCS+-SHA2-192f-simple", 3, b"\x04\x02", 48, 96, 35664),
    Signature("sphincs256f", "SPHINCS+-SHA2-256f-simple", 5, b"\x04\x03", 64, 128, 49856),
    Signature("slhdsa128s", "SLH_DSA_PURE_SHA2_128S", 1, b"\x03\x11", 32, 64, 7856),
    Signature("slhdsa192s", "SLH_DSA_PURE_SHA2_192S", 3, b"\x03\x12", 48, 96, 16224),
    Signature("slhdsa256s", "SLH_DSA_PURE_SHA2_256S", 5, b"\x03\x13", 64, 128, 29792),
    Signature("slhdsa128f", "SLH_DSA_PURE_SHA2_128F", 1, b"\x04\x11", 32, 64, 17088),
    Signature("slhdsa192f", "SLH_DSA_PURE_SHA2_192F", 3, b"\x04\x12", 48, 96, 35664),
    Signature("slhdsa256f", "SLH_DSA_PURE_SHA2_256F", 5, b"\x04\x13", 64, 128, 49856),
)


@dataclass(frozen=True)
class Suite:
    kem: Kem
    cipher: Cipher
    signature: Signature

    @property
    def name(self) -> str:
        """cs-{kem}-{aead}-{signature}."""
        return f"cs-{self.kem.token}-{self.cipher.token}-{self.signature.token}"

    @property
    def level(self) -> int:
        """NIST category of the KEM: 1, 3 or 5; ML-DSA-44 has category 2."""
        return self.kem.level

    @property
    def wire_id(self) -> bytes:
        """The 5 bytes that name it."""
        return self.kem.code + self.signature.code + self.cipher.code

    @property
    def pair(self) -> bytes:
        """The bytes of KEM and signature: a prekey serves a suite with any cipher."""
        return self.wire_id[:4]


def _fit(kem: Kem, signature: Signature, cipher: Cipher) -> bool:
    """Return whether the levels are equal, and no algorithm is one that another has replaced.

    The high nibble of a parameter is the revision; Ascon-128a became Ascon-AEAD128.
    """
    present = kem.code[1] >> 4 or signature.code[1] >> 4
    outdated = (
        kem.code[0] == 2 and not kem.code[1] >> 4,
        signature.signs_slowly and not signature.code[1] >> 4,
        cipher.token == "ascon128a",
    )
    return kem.level == signature.level and not (present and any(outdated))


_SUITES = tuple(
    sorted(
        (
            Suite(kem, cipher, signature)
            for kem in KEMS
            for signature in SIGNATURES
            for cipher in CIPHERS
            if _fit(kem, signature, cipher)
        ),
        key=lambda suite: suite.wire_id,
    )
)
_BY_NAME = {suite.name: suite for suite in _SUITES}
_BY_WIRE_ID = {suite.wire_id: suite for suite in _SUITES}


def all_suites() -> tuple[Suite, ...]:
    """Return every suite whose KEM and signature have the same level, by wire id."""
    return _SUITES


def suite_named(name: str) -> Suite | None:
    """Return the suite with a name, if there is one."""
    return _BY_NAME.get(name)


def suite_of(wire_id: bytes) -> Suite | None:
    """Return the suite with a wire id, if there is one."""
    return _BY_WIRE_ID.get(wire_id)
