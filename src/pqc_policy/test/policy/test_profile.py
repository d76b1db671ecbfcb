# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from pqc_policy.policy.profile import (
    SHIPPED,
    Cost,
    ProfileFault,
    load_profile,
    parse_profile,
    shipped_profile,
)
from pqc_policy.policy.suites import SUITES, find_suite


def document() -> dict[str, Any]:
    folder = resources.files("pqc_policy.policy.profiles")
    return json.loads(folder.joinpath("raspberry_pi_5.json").read_text(encoding="utf-8"))


def of_papers(suite_id: str) -> Cost:
    suite = find_suite(suite_id)
    assert suite is not None
    return shipped_profile("raspberry_pi_4").cost(suite)


def handshake_ms(suite_id: str) -> float:
    return of_papers(suite_id).handshake_s * 1000


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_profiles_cover_every_suite(name: str) -> None:
    profile = shipped_profile(name)
    assert profile.name == name
    assert all(profile.cost(suite).handshake_s > 0 for suite in SUITES)


def test_the_drone_is_charged_with_its_own_work_alone() -> None:
    cost = of_papers("cs-classicmceliece8192128-aesgcm-sphincs256s")
    assert cost.drone_s == pytest.approx((1.99 + 3.12) / 1000)
    assert cost.handshake_s > 8.835 + 2.308


def test_no_switch_of_this_tunnel_is_predicted_to_interrupt_the_data_for_long() -> None:
    profile = shipped_profile()
    assert max(cost.interruption_s for cost in profile.costs.values()) < 0.5


@pytest.mark.parametrize("name", SHIPPED)
def test_the_bytes_of_a_rekey_are_about_those_of_the_arithmetic(name: str) -> None:
    profile = shipped_profile(name)
    far = {
        suite.id: (profile.cost(suite).rekey_bytes, suite.rekey_bytes)
        for suite in SUITES
        if abs(profile.cost(suite).rekey_bytes - suite.rekey_bytes) > 0.1 * suite.rekey_bytes
    }
    assert far == {}


def test_a_profile_takes_what_it_leaves_out_from_its_base() -> None:
    mine = parse_profile({"format": 1, "name": "mine", "base": "raspberry_pi_5"})
    assert mine.costs == shipped_profile("raspberry_pi_5").costs
    with pytest.raises(ProfileFault, match="The profile's base is 'moon', but must be one of"):
        parse_profile({"format": 1, "name": "mine", "base": "moon"})


def test_a_measured_handshake_takes_precedence_over_the_sum_of_its_parts() -> None:
    assert handshake_ms("cs-mlkem1024-chacha20poly1305-mldsa87") == pytest.approx(10.79)
    parts = 12.1 + 0.14 + 0.12 + 0.14 + 1.77 + 0.61
    assert handshake_ms("cs-mlkem1024-ascon128a-mldsa87") == pytest.approx(parts)


def test_only_mceliece_8192128_is_predicted_to_interrupt_for_more_than_5_s() -> None:
    profile = shipped_profile("raspberry_pi_5")
    too_long = {suite.kem for suite in SUITES if profile.cost(suite).interruption_s > 5.0}
    assert too_long == {"classicmceliece8192128"}


def test_power_that_was_never_measured_is_unknown_and_not_zero() -> None:
    assert of_papers("cs-mlkem768-ascon128a-mldsa65").power_w is None


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_a_profile_is_read_from_json_or_yaml(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"mine{suffix}"
    file.write_text(json.dumps({**document(), "name": "mine"}))
    profile = load_profile(file)
    assert profile.name == "mine"
    assert profile.costs == shipped_profile("raspberry_pi_5").costs


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
            lambda d: d.update(suites={"cs-none": {}}),
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
