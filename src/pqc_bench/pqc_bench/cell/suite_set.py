# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The sets of suites, and the choice of suites on a command line."""

from __future__ import annotations

import fnmatch

from pqc_policy.policy.suites import FORMER, SUITES, KemFamily, SignatureFamily, Suite, find_suite

from pqc_bench.cell.short_code import short_code
from pqc_bench.harness.usage import unknown

PAPER = "paper"
EXTENDED = "extended"
ALL = "all"
_PAPER_KEMS = (KemFamily.ML_KEM, KemFamily.HQC, KemFamily.MCELIECE)
_PAPER_SIGNATURES = (SignatureFamily.ML_DSA, SignatureFamily.FALCON, SignatureFamily.SPHINCS_S)
_PAPER_AEADS = ("aesgcm", "chacha20poly1305", "ascon128a")
# KEM and signature of the suites that a seed measured.
_SEED_003_CHACHA = (
    ("mlkem512", "mldsa44"),
    ("mlkem512", "falcon512"),
    ("mlkem1024", "mldsa87"),
    ("mlkem1024", "falcon1024"),
    ("hqc128", "falcon512"),
    ("hqc192", "mldsa65"),
    ("frodokem640aes", "mldsa44"),
)
_SEED_003 = (
    *_SEED_003_CHACHA,
    ("mlkem768", "mldsa65"),
    ("mlkem1024", "sphincs256f"),
    ("hqc256", "mldsa87"),
    ("frodokem976aes", "mldsa65"),
    ("classicmceliece348864", "sphincs128f"),
    ("classicmceliece460896", "mldsa65"),
    ("classicmceliece8192128", "sphincs256f"),
)
_SEED_002 = (*_SEED_003, ("mlkem512", "sphincs128f"))
_OF_SEEDS = {
    "seed002": {"aesgcm": _SEED_002, "chacha20poly1305": _SEED_002},  # 30, its section 3.2
    "seed003": {"aesgcm": _SEED_003, "chacha20poly1305": _SEED_003_CHACHA},  # 21, its tables
}
SETS = (PAPER, EXTENDED, ALL, *_OF_SEEDS)


def set_of(suite: Suite) -> str:
    """Return the set that a suite belongs to: the 72 of the earlier papers are "paper"."""
    of_papers = (
        suite.family in _PAPER_KEMS
        and suite.kem not in FORMER
        and suite.signature_family in _PAPER_SIGNATURES
        and suite.aead in _PAPER_AEADS
    )
    return PAPER if of_papers else EXTENDED


def choose_suites(wanted: str) -> list[str]:
    """Return the ids of sets, or of all suites that patterns with * ? [] match, without repetition.

    A pattern matches an id or a short code. UsageFault if it matches none.
    """
    chosen: list[str] = []
    for pattern in wanted.split(","):
        found = [suite.id for suite in SUITES if _is_meant(suite, pattern)]
        if not found:
            raise unknown("suite", pattern, [*SETS, *_easily_usable()])
        chosen += [suite for suite in found if suite not in chosen]
    return chosen


def one_suite(text: str) -> str:
    """Return the id of a suite, given by an id or its short code; UsageFault if there is none."""
    suite = find_suite(text) or next((one for one in SUITES if short_code(one) == text), None)
    if suite is None:
        raise unknown("suite", text, _easily_usable())
    return suite.id


def _is_meant(suite: Suite, pattern: str) -> bool:
    if pattern in _OF_SEEDS:
        return (suite.kem, suite.signature) in _OF_SEEDS[pattern].get(suite.aead, ())
    if pattern in SETS:
        return pattern in (ALL, set_of(suite))
    return any(fnmatch.fnmatchcase(name, pattern) for name in (*suite.ids, short_code(suite)))


def _easily_usable() -> list[str]:
    """Return the names that a wrong one may have meant: an experimental one needs a permission."""
    usable = [suite for suite in SUITES if not suite.experimental]
    return [suite.id for suite in usable] + [short_code(suite) for suite in usable]
