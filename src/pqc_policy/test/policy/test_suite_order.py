# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import pairwise

import pytest
from flight import LIGHTEST, MCELIECE5, MLKEM512, MLKEM768, MLKEM1024, suite
from pqc_policy.policy.config import Allowed
from pqc_policy.policy.profile import SHIPPED, shipped_profile
from pqc_policy.policy.suite_order import SuiteOrder
from pqc_policy.policy.suites import KemFamily

NOTHING: frozenset[str] = frozenset()


def order(profile: str = SHIPPED[0], **allowed: object) -> SuiteOrder:
    every = Allowed(**{"experimental": True, **allowed})
    return SuiteOrder(every, shipped_profile(profile), 5.0)


def way_down(start: str, order: SuiteOrder) -> list[str]:
    way, at = [], order.down(suite(start), NOTHING)
    while at is not None:
        way.append(at.id)
        at = order.down(at, NOTHING)
    return way


def test_steps_down_try_every_family_before_a_lower_level() -> None:
    three = frozenset({KemFamily.MCELIECE, KemFamily.HQC, KemFamily.ML_KEM})
    assert way_down(MCELIECE5, order(families=three)) == [
        "cs-hqc256-aesgcm-mldsa87",
        "cs-mlkem1024-aesgcm-mldsa87",
        "cs-mlkem768-aesgcm-mldsa65",
        "cs-mlkem512-aesgcm-mldsa44",
        LIGHTEST,
    ]


def test_a_level_down_leads_to_a_heavier_family_only_if_nothing_else_is_left() -> None:
    suites = frozenset({MLKEM768, "cs-classicmceliece348864-aesgcm-mldsa44"})
    assert way_down(MLKEM768, order(suites=suites)) == ["cs-classicmceliece348864-aesgcm-mldsa44"]
    assert way_down(MLKEM768, order(suites=suites | {MLKEM512}))[0] == MLKEM512


def test_frodokem_lies_between_hqc_and_ml_kem() -> None:
    assert way_down("cs-hqc256-aesgcm-mldsa87", order())[:2] == [
        "cs-frodokem1344aes-aesgcm-mldsa87",
        MLKEM1024,
    ]


def test_experimental_families_are_skipped_unless_allowed() -> None:
    way = way_down(MCELIECE5, order(experimental=False))
    assert way[0] == "cs-frodokem1344aes-aesgcm-mldsa87"
    assert not any("hqc" in suite_id for suite_id in way)


def test_every_step_down_is_lighter_and_ends_at_the_lightest() -> None:
    steps = order()
    for start in steps.allowed:
        way = [start, *map(suite, way_down(start.id, steps))]
        assert all(steps.lighter(b, a) for a, b in pairwise(way))
        assert way[-1] == steps.lightest(NOTHING)


def test_a_step_down_keeps_the_cipher_and_the_signature_family() -> None:
    down = order().down(suite("cs-hqc256-ascon128a-falcon1024"), NOTHING)
    assert down == suite("cs-frodokem1344aes-ascon128a-falcon1024")


def test_excluded_suites_are_skipped() -> None:
    families = frozenset({KemFamily.ML_KEM})
    down = order(families=families).down(suite(MLKEM1024), frozenset({MLKEM768}))
    assert down.id == "cs-mlkem768-chacha20poly1305-mldsa65"


def test_an_upgrade_skips_families_of_neither_start_nor_ceiling() -> None:
    assert order().up(suite(LIGHTEST), suite(MLKEM768), NOTHING) == suite(MLKEM768)
    assert order().up(suite(MLKEM768), suite(MLKEM768), NOTHING) is None
    to_mceliece = order().up(suite(MLKEM512), suite(MCELIECE5), NOTHING)
    assert to_mceliece == suite("cs-frodokem640aes-aesgcm-mldsa44")


@pytest.mark.parametrize("level", [1, 3, 5])
def test_no_suite_below_the_floor_is_in_the_order(level: int) -> None:
    assert min(s.level for s in order(min_level=level).usable) == level


def test_a_suite_that_would_interrupt_the_link_for_too_long_is_never_chosen() -> None:
    assert order().usable == order().allowed
    steps = order("raspberry_pi_5")
    assert not any(s.kem == "classicmceliece8192128" for s in steps.usable)
    assert any(s.kem == "classicmceliece8192128" for s in steps.allowed)
