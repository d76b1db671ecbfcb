# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The short codes of suites in the earlier papers, such as ML-768-AG-MD-65.

KEM, AEAD and signature; parts of the codes that no paper has are made in the same way.
"""

from __future__ import annotations

import re

from pqc_policy.policy.suites import KemFamily, SignatureFamily, Suite, find_suite

_KEMS = {
    KemFamily.ML_KEM: "ML",
    KemFamily.FRODOKEM: "FR",
    KemFamily.HQC: "HQC",
    KemFamily.MCELIECE: "MC",
}
_AEADS = {"aesgcm": "AG", "chacha20poly1305": "CP", "ascon128a": "AS", "asconaead128": "AE"}
_SIGNATURES = {
    SignatureFamily.ML_DSA: "MD",
    SignatureFamily.FALCON: "FA",
    SignatureFamily.SPHINCS_S: "SP",
    SignatureFamily.SPHINCS_F: "SP",
    SignatureFamily.SLH_DSA_S: "SL",
    SignatureFamily.SLH_DSA_F: "SL",
}
# 348864, 460896 and 8192128 are length and errors of a code; the papers have the length.
_MCELIECE_ERRORS = 3


def short_code(suite: Suite) -> str:
    """Return the short code of a suite."""
    kem = _size(suite.kem).replace("aes", "A")
    if suite.family is KemFamily.MCELIECE:
        kem = kem[:-_MCELIECE_ERRORS]
    signature = f"{_SIGNATURES[suite.signature_family]}-{_size(suite.signature)}"
    return f"{_KEMS[suite.family]}-{kem}-{_AEADS[suite.aead]}-{signature}"


def code_of(suite_id: str) -> str:
    """Return the short code of the suite of this id; the id itself if there is no such suite."""
    suite = find_suite(suite_id)
    return suite_id if suite is None else short_code(suite)


def _size(name: str) -> str:
    return re.sub(r"^\D+", "", name)
