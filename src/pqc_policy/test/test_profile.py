# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of predicted costs from the shipped profile and from files."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from pqc_policy.policy.profile import ProfileFault, load_profile, parse_profile, shipped_profile
from pqc_policy.policy.suites import SUITES, find_suite


def document() -> dict[str, Any]:
    folder = resources.files("pqc_policy.policy.profiles")
    return json.loads(folder.joinpath("raspberry_pi.json").read_text(encoding="utf-8"))


def handshake_ms(suite_id: str) -> float:
    suite = find_suite(suite_id)
    assert suite is not None
    return shipped_profile().cost(suite).handshake_s * 1000


def test_the_shipped_profile_covers_every_suite() -> None:
    profile = shipped_profile()
    assert all(profile.cost(suite).handshake_s > 0 for suite in SUITES)


def test_a_measured_handshake_takes_precedence_over_the_sum_of_its_parts() -> None:
    assert handshake_ms("cs-mlkem1024-chacha20poly1305-mldsa87") == pytest.approx(10.79)
    parts = 12.1 + 0.14 + 0.12 + 0.14 + 1.77 + 0.61
    assert handshake_ms("cs-mlkem1024-ascon128a-mldsa87") == pytest.approx(parts)


def test_only_mceliece_8192128_is_predicted_to_interrupt_for_more_than_5_s() -> None:
    profile = shipped_profile()
    too_long = {suite.kem for suite in SUITES if profile.cost(suite).interruption_s > 5.0}
    assert too_long == {"classicmceliece8192128"}


def test_power_that_was_never_measured_is_unknown_and_not_zero() -> None:
    suite = find_suite("cs-mlkem768-ascon128a-mldsa65")
    assert suite is not None
    assert shipped_profile().cost(suite).power_w is None


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_a_profile_is_read_from_json_or_yaml(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"mine{suffix}"
    file.write_text(json.dumps({**document(), "name": "mine"}))
    profile = load_profile(file)
    assert profile.name == "mine"
    assert profile.costs == shipped_profile().costs


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda d: d.update(format=2), "The profile's format is 2, but must be 1."),
        (lambda d: d.pop("name"), "The profile must have a name."),
        (lambda d: d.update(colour="red"), "The profile has an unknown 'colour'."),
        (lambda d: d["kems"].pop("hqc128"), "The profile's kems lack hqc128."),
        (
            lambda d: d["kems"]["hqc128"].pop("keygen_ms"),
            "The profile's kems.hqc128 must have keygen_ms, encapsulate_ms, decapsulate_ms.",
        ),
        (
            lambda d: d["signatures"].update(rsa={}),
            "The profile's signatures name 'rsa', an unknown algorithm.",
        ),
        (
            lambda d: d["kems"]["hqc128"].update(keygen_ms="fast"),
            "The profile's kems.hqc128.keygen_ms is 'fast', but must be a number.",
        ),
        (
            lambda d: d.update(fixed_ms=-1),
            "The profile's fixed_ms is -1, but can't be below zero.",
        ),
        (
            lambda d: d["suites"].update({"cs-none": {}}),
            "The profile's suites name 'cs-none', which is no suite.",
        ),
    ],
)
def test_a_bad_profile_is_reported_in_one_sentence(
    spoil: Callable[[dict[str, Any]], Any], sentence: str
) -> None:
    data = document()
    spoil(data)
    with pytest.raises(ProfileFault) as fault:
        parse_profile(data)
    assert str(fault.value) == sentence


def test_a_file_that_is_not_a_profile_is_reported_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(ProfileFault, match=r"is not JSON \(line 1\)\.$"):
        load_profile(tmp_path / "a.json")
    (tmp_path / "a.yaml").write_text("[")
    with pytest.raises(ProfileFault, match=r"is not YAML\.$"):
        load_profile(tmp_path / "a.yaml")
    with pytest.raises(ProfileFault, match="can't be read"):
        load_profile(tmp_path / "none.json")
