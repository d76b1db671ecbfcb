# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The sets of suites, and the choice of suites on a command line."""

from __future__ import annotations

import fnmatch

from pqc_policy.policy.suites import SUITES, KemFamily, SignatureFamily, Suite, find_suite

from pqc_bench.harness.usage import unknown

PAPER = "paper"
EXTENDED = "extended"
ALL = "all"


def set_of(suite: Suite) -> str:
    """Return the set that a suite belongs to: the 72 of the earlier papers are "paper"."""
    beyond = (
        suite.family is KemFamily.FRODOKEM
        or suite.signature_family is SignatureFamily.SPHINCS_F
        or suite.aead == "asconaead128"
    )
    return EXTENDED if beyond else PAPER


def choose_suites(wanted: str) -> list[str]:
    """Return the ids of a set (paper, extended, all), or of all that patterns with * ? [] match.

    UsageFault if a pattern matches none.
    """
    if wanted == ALL:
        return [suite.id for suite in SUITES]
    if wanted in (PAPER, EXTENDED):
        return [suite.id for suite in SUITES if set_of(suite) == wanted]
    ids = [suite.id for suite in SUITES]
    chosen: list[str] = []
    for pattern in wanted.split(","):
        found = [suite for suite in ids if fnmatch.fnmatchcase(suite, pattern)]
        if not found:
            raise unknown("suite", pattern, [PAPER, EXTENDED, ALL, *ids])
        chosen += [suite for suite in found if suite not in chosen]
    return chosen


def one_suite(text: str) -> str:
    """Return the id of a suite; UsageFault if there is no such suite."""
    if find_suite(text) is None:
        raise unknown("suite", text, [suite.id for suite in SUITES])
    return text
