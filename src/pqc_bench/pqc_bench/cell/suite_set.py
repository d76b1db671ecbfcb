# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The set of suites, paper or extended, that a suite belongs to."""

from __future__ import annotations

from pqc_policy.policy.suites import KemFamily, SignatureFamily, Suite

PAPER = "paper"
EXTENDED = "extended"


def set_of(suite: Suite) -> str:
    """Return the set that a suite belongs to: the seeds' 72 are "paper"."""
    beyond = (
        suite.family is KemFamily.FRODOKEM
        or suite.signature_family is SignatureFamily.SPHINCS_F
        or suite.aead == "asconaead128"
    )
    return EXTENDED if beyond else PAPER
