# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The reference peer's own suite table, and that of the policy and the bench, are the same."""

from __future__ import annotations

from pqc_policy.policy.suites import SUITES
from pqc_reference.crypto.suites import all_suites, suite_named, suite_of


def test_both_tables_have_the_same_suites_at_the_same_levels() -> None:
    ours = {suite.name: (suite.level, suite.kem.experimental) for suite in all_suites()}
    assert ours == {suite.id: (suite.level, suite.experimental) for suite in SUITES}


def test_both_tables_split_names_alike() -> None:
    for theirs in SUITES:
        ours = suite_named(theirs.id)
        tokens = (ours.kem.token, ours.cipher.token, ours.signature.token)
        assert tokens == (theirs.kem, theirs.aead, theirs.signature)


def test_no_two_suites_have_the_same_wire_id() -> None:
    assert all(suite_of(suite.wire_id) is suite for suite in all_suites())
