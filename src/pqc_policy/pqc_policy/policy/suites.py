# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The table of cipher suites, with the same ids and order as the tunnel's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class KemFamily(StrEnum):
    """Families of key encapsulation mechanisms."""

    ML_KEM = "ml_kem"
    FRODOKEM = "frodokem"
    HQC = "hqc"
    MCELIECE = "mceliece"


class SignatureFamily(StrEnum):
    """Families of signature algorithms; FIPS publishes the first and the last two."""

    ML_DSA = "ml_dsa"
    FALCON = "falcon"
    SPHINCS_S = "sphincs_s"
    SPHINCS_F = "sphincs_f"
    SLH_DSA_S = "slh_dsa_s"
    SLH_DSA_F = "slh_dsa_f"


@dataclass(frozen=True, slots=True)
class Aead:
    """An authenticated cipher."""

    name: str
    key_bits: int
    weight: int  # in the order of suites


LEVELS = (1, 3, 5)
# The suite of the first handshake in the parameter file of the drone, the policy's ceiling, and
# what the report recommends unless its figures exclude it (docs/decisions/0020).
DEFAULT_SUITE = "cs-mlkem768-aesgcm-mldsa65"
# These three are in the order of the wire codes, from 1. A revision of a specification is an
# algorithm of its own, whose code has another high nibble.
_KEMS = {
    KemFamily.ML_KEM: ("mlkem512", "mlkem768", "mlkem1024"),
    KemFamily.HQC: ("hqc128", "hqc192", "hqc256"),
    KemFamily.MCELIECE: (
        "classicmceliece348864",
        "classicmceliece460896",
        "classicmceliece8192128",
    ),
    KemFamily.FRODOKEM: ("frodokem640aes", "frodokem976aes", "frodokem1344aes"),
}
_SIGNATURES: dict[SignatureFamily, tuple[str | None, ...]] = {
    SignatureFamily.ML_DSA: ("mldsa44", "mldsa65", "mldsa87"),
    SignatureFamily.FALCON: ("falcon512", None, "falcon1024"),
    SignatureFamily.SPHINCS_S: ("sphincs128s", "sphincs192s", "sphincs256s"),
    SignatureFamily.SPHINCS_F: ("sphincs128f", "sphincs192f", "sphincs256f"),
}
# The present revisions of families above, and the former one that each of them has replaced.
_PRESENT_KEMS = {KemFamily.HQC: ("hqc1", "hqc3", "hqc5")}
_PRESENT_SIGNATURES: dict[SignatureFamily, tuple[str | None, ...]] = {
    SignatureFamily.SLH_DSA_S: ("slhdsa128s", "slhdsa192s", "slhdsa256s"),
    SignatureFamily.SLH_DSA_F: ("slhdsa128f", "slhdsa192f", "slhdsa256f"),
}
_REPLACED = {
    SignatureFamily.SLH_DSA_S: SignatureFamily.SPHINCS_S,
    SignatureFamily.SLH_DSA_F: SignatureFamily.SPHINCS_F,
}
FORMER = {
    **dict(zip(_PRESENT_KEMS[KemFamily.HQC], _KEMS[KemFamily.HQC], strict=True)),
    **{
        str(present): str(former)
        for family, replaced in _REPLACED.items()
        for present, former in zip(_PRESENT_SIGNATURES[family], _SIGNATURES[replaced], strict=True)
    },
}
AEADS = {
    "aesgcm": Aead("AES-256-GCM", 256, 0),
    "chacha20poly1305": Aead("ChaCha20-Poly1305", 256, 1),
    "ascon128a": Aead("Ascon-128a", 128, 2),
    "asconaead128": Aead("Ascon-AEAD128", 128, 2),
}
# How a family is called before its size, and what must stay hard.
_FAMILY_NAMES = {
    KemFamily.ML_KEM: ("ML-KEM-", "structured lattices"),
    KemFamily.FRODOKEM: ("FrodoKEM-", "plain lattices"),
    KemFamily.HQC: ("HQC-", "quasi-cyclic codes"),
    KemFamily.MCELIECE: ("Classic McEliece ", "Goppa codes"),
}
_SIGNATURE_NAMES = {
    SignatureFamily.ML_DSA: "ML-DSA-",
    SignatureFamily.FALCON: "Falcon-",
    SignatureFamily.SPHINCS_S: "SPHINCS+-",
    SignatureFamily.SPHINCS_F: "SPHINCS+-",
    SignatureFamily.SLH_DSA_S: "SLH-DSA-",
    SignatureFamily.SLH_DSA_F: "SLH-DSA-",
}
_LEVEL_WEIGHT = {1: 0, 3: 10, 5: 20}
_KEM_WEIGHT = {
    KemFamily.ML_KEM: 0,
    KemFamily.FRODOKEM: 2,
    KemFamily.HQC: 3,
    KemFamily.MCELIECE: 5,
}

# Bytes of public key and ciphertext (FIPS 203; the submissions as in liboqs 0.13 and 0.16),
# and of a signature, the longest where the length varies.
_KEM_BYTES = {
    "mlkem512": (800, 768),
    "mlkem768": (1184, 1088),
    "mlkem1024": (1568, 1568),
    "hqc128": (2249, 4433),
    "hqc192": (4522, 8978),
    "hqc256": (7245, 14421),
    "classicmceliece348864": (261120, 96),
    "classicmceliece460896": (524160, 156),
    "classicmceliece8192128": (1357824, 208),
    "frodokem640aes": (9616, 9720),
    "frodokem976aes": (15632, 15744),
    "frodokem1344aes": (21520, 21632),
    "hqc1": (2241, 4433),
    "hqc3": (4514, 8978),
    "hqc5": (7237, 14421),
}
_SIGNATURE_BYTES = {
    "mldsa44": 2420,
    "mldsa65": 3309,
    "mldsa87": 4627,
    "falcon512": 752,
    "falcon1024": 1462,
    "sphincs128s": 7856,
    "sphincs192s": 16224,
    "sphincs256s": 29792,
    "sphincs128f": 17088,
    "sphincs192f": 35664,
    "sphincs256f": 49856,
}
# A rekey takes on a thin link (test_thin_link of pqc_tunnel counts it) a message of the
# ciphertext and 128 bytes, in parts, each with its frame and its share of an acknowledgement, and
# the short frames behind it. The prekey comes in such parts, too.
_MESSAGE_BYTES, _PART_BYTES, _FRAME_BYTES, _SHORT_FRAMES_BYTES = 128, 288, 50, 116

_ALL_KEMS = (*_KEMS.items(), *_PRESENT_KEMS.items())
_ALL_SIGNATURES = (*_SIGNATURES.items(), *_PRESENT_SIGNATURES.items())
KEMS = tuple(kem for _, kems in _ALL_KEMS for kem in kems)
SIGNATURES = tuple(s for _, signatures in _ALL_SIGNATURES for s in signatures if s is not None)
# The lightest family comes first.
FAMILIES_BY_WEIGHT = tuple(sorted(KemFamily, key=lambda family: _KEM_WEIGHT[family]))


def _size(name: str) -> str:
    """Return the part of an algorithm's name that tells its size."""
    found = re.search(r"\d.*", name)
    assert found is not None
    return found[0]


def _stream_bytes(message: int) -> int:
    parts = -(-message // _PART_BYTES)
    return message + _FRAME_BYTES * parts + _SHORT_FRAMES_BYTES


@dataclass(frozen=True, slots=True)
class Suite:
    """One cipher suite: KEM and signature of one security level, and an AEAD."""

    id: str
    kem: str
    family: KemFamily
    aead: str
    signature: str
    signature_family: SignatureFamily
    level: int  # NIST category 1, 3 or 5 of the KEM; ML-DSA-44 has category 2
    tier: int  # a lower tier is lighter

    def __hash__(self) -> int:
        """Return the hash of the id, which all else follows from."""
        return hash(self.id)

    @property
    def ids(self) -> tuple[str, ...]:
        """The id and, with SPHINCS+, the other spelling that earlier papers use."""
        sphincs = (SignatureFamily.SPHINCS_S, SignatureFamily.SPHINCS_F)
        return (self.id, f"{self.id}sha2") if self.signature_family in sphincs else (self.id,)

    @property
    def protection(self) -> str:
        """What protects the data, as the end of a sentence."""
        problem = _FAMILY_NAMES[self.family][1]
        signature = f"{_SIGNATURE_NAMES[self.signature_family]}{_size(self.signature)}"
        return (
            f"{self.kem_name} ({problem}), {signature} and {AEADS[self.aead].name}: "
            f"level {self.level}"
        )

    @property
    def kem_name(self) -> str:
        return f"{_FAMILY_NAMES[self.family][0]}{_size(self.kem).removesuffix('aes')}"

    @property
    def wire_id(self) -> bytes:
        """The five bytes that name it on the wire."""
        signature_family = _REPLACED.get(self.signature_family, self.signature_family)
        tables = ((_KEMS, self.family), (_SIGNATURES, signature_family), (AEADS, self.aead))
        kem, signature, aead = (1 + [*table].index(key) for table, key in tables)
        level = 1 + LEVELS.index(self.level)
        of_kem, of_signature = (
            level + (0x10 if name in FORMER else 0) for name in (self.kem, self.signature)
        )
        return bytes((kem, of_kem, signature, of_signature, aead))

    @property
    def ciphertext_bytes(self) -> int:
        return _KEM_BYTES[self.kem][1]

    @property
    def rekey_bytes(self) -> int:
        """Bytes on the air of a full rekey, both directions, with the fetch of its prekey."""
        return _stream_bytes(self.finish_size) + self.prekey_bytes

    @property
    def finish_size(self) -> int:
        """Bytes of the message with which the drone begins a full rekey."""
        return self.ciphertext_bytes + _MESSAGE_BYTES

    @property
    def prekey_size(self) -> int:
        """Bytes of a prekey with its signature."""
        signature = FORMER.get(self.signature, self.signature)  # of the same size
        return _KEM_BYTES[self.kem][0] + _SIGNATURE_BYTES[signature]

    @property
    def prekey_bytes(self) -> int:
        """Bytes on the air of a prekey with its signature."""
        return _stream_bytes(self.prekey_size)

    @property
    def published(self) -> bool:
        """Whether FIPS publishes KEM and signature as implemented here (203, 204 and 205)."""
        published = (SignatureFamily.ML_DSA, *_REPLACED)
        return self.family is KemFamily.ML_KEM and self.signature_family in published

    @property
    def experimental(self) -> bool:
        """Whether the specification is outdated or no standard yet; chosen only if allowed."""
        return self.family is KemFamily.HQC


def _fit(*names: str) -> bool:
    """Return whether no name is that of a former revision beside one of a present revision."""
    former = any(name in FORMER.values() or name == "ascon128a" for name in names)
    return not (former and any(name in FORMER for name in names))


def _all_suites() -> tuple[Suite, ...]:
    return tuple(
        Suite(
            id=f"cs-{kem}-{aead}-{signature}",
            kem=kem,
            family=family,
            aead=aead,
            signature=signature,
            signature_family=signature_family,
            level=level,
            tier=_LEVEL_WEIGHT[level] + _KEM_WEIGHT[family] + AEADS[aead].weight,
        )
        for family, kems in _ALL_KEMS
        for level, kem in zip(LEVELS, kems, strict=True)
        for signature_family, signatures in _ALL_SIGNATURES
        if (signature := signatures[LEVELS.index(level)]) is not None
        for aead in AEADS
        if _fit(kem, signature, aead)
    )


SUITES = _all_suites()
_BY_ID = {name: suite for suite in SUITES for name in suite.ids}


def find_suite(suite_id: str) -> Suite | None:
    """Return the suite of this id, in either spelling; None if there is no such suite."""
    return _BY_ID.get(suite_id)


def canonical_id(suite_id: str) -> str:
    """Return the id of a suite that may be named by its other spelling, else the text itself."""
    suite = find_suite(suite_id)
    return suite_id if suite is None else suite.id
