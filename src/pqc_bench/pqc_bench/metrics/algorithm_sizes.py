# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Sizes of keys, ciphertexts and signatures, as liboqs states them."""

from __future__ import annotations

import re
from functools import cache

from pqc_policy.policy.suites import Suite
from pqc_reference.crypto import liboqs

# Parts of the names in liboqs that the tokens of the suite table omit.
_NOT_IN_TOKENS = re.compile(r"sha2|simple|pure|[^a-z0-9]")


@cache
def sizes_of(suite: Suite) -> dict[str, int]:
    """Return sizes in bytes by their names in metrics.json; empty without liboqs or the algorithm.

    The size of a signature is the largest possible.
    """
    try:
        oqs = liboqs.load()
    except liboqs.Unavailable:
        return {}
    kems = {_token(name): name for name in oqs.get_enabled_kem_mechanisms()}
    signatures = {_token(name): name for name in oqs.get_enabled_sig_mechanisms()}
    if suite.kem not in kems or suite.signature not in signatures:
        return {}
    with (
        oqs.KeyEncapsulation(kems[suite.kem]) as kem,
        oqs.Signature(signatures[suite.signature]) as signature,
    ):
        return {
            "kem_public_key_bytes": kem.length_public_key,
            "kem_ciphertext_bytes": kem.length_ciphertext,
            "signature_bytes": signature.length_signature,
            "signature_public_key_bytes": signature.length_public_key,
        }


def _token(name: str) -> str:
    return _NOT_IN_TOKENS.sub("", name.lower())
