# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pqc_bench.rekey.order import Suite, across_families, infos_of
from pqc_sim.processes.run_fault import RunFault

KEMS = ("mlkem768", "hqc192", "classicmceliece460896")
AEADS = ("aesgcm", "chacha20poly1305", "ascon128a")
SIGNATURES = ("mldsa65", "sphincs192s")
GRID = [Suite(f"cs-{kem}-{aead}-{sig}", 3) for kem in KEMS for aead in AEADS for sig in SIGNATURES]


def test_the_families_of_a_suite_are_its_names_without_parameters() -> None:
    assert Suite("cs-classicmceliece348864-ascon128a-falcon512").families == (
        "classicmceliece",
        "ascon128a",
        "falcon",
    )
    assert Suite("cs-frodokem640aes-aesgcm-sphincs128s").families[0] == "frodokem"


@given(st.permutations(GRID))
def test_every_suite_comes_once(suites: list[Suite]) -> None:
    assert sorted(across_families(suites), key=lambda suite: suite.id) == sorted(
        suites, key=lambda suite: suite.id
    )


@given(st.permutations(GRID))
def test_most_steps_change_the_family_of_the_kem(suites: list[Suite]) -> None:
    ordered = across_families(suites)
    changes = sum(a.families[0] != b.families[0] for a, b in pairwise(ordered))
    assert changes >= len(ordered) // 2


def test_what_the_tunnel_tells_of_suites_comes_in_the_order_asked_for() -> None:
    infos = [SimpleNamespace(id=suite) for suite in ("cs-a", "cs-b", "cs-c")]
    assert [info.id for info in infos_of(["cs-c", "cs-a"], infos)] == ["cs-c", "cs-a"]
    with pytest.raises(RunFault, match="the tunnel doesn't know the suite 'cs-x'"):
        infos_of(["cs-x"], infos)
