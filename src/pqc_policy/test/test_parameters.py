# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The configuration as a flat table."""

from __future__ import annotations

from typing import Any

import pytest
from pqc_policy.policy.config import ConfigFault, PolicyConfig
from pqc_policy.policy.parameters import defaults, from_parameters, settings, to_parameters
from pqc_policy.policy.suites import KemFamily


def test_nothing_said_is_the_default() -> None:
    assert from_parameters({}) == PolicyConfig()
    assert from_parameters(defaults()) == PolicyConfig()


def test_every_threshold_has_a_name() -> None:
    table = defaults()
    assert table["emergency_voltage_v"] == 14.0
    assert table["stress_mv_per_min"] == -500.0
    assert table["rekey_interval_s.hqc"] == 300.0
    assert table["rekey_interval_s.mceliece"] == 0.0
    assert table["allowed.families"] == ["frodokem", "hqc", "mceliece", "ml_kem"]
    assert table["expert.rtt_high_s"] == 0.1


def test_what_is_said_counts_and_comes_back() -> None:
    said: dict[str, Any] = {
        "strategy": "expert",
        "cells": 6,
        "cooldown_s": 7,
        "required_inputs": ["link", "session"],
        "allowed.min_level": 3,
        "allowed.suites": ["cs-mlkem768-aesgcm-mldsa65"],
        "rekey_interval_s.mceliece": 900.0,
        "expert.warm_c": 60.0,
    }
    config = from_parameters(said)
    assert (config.cells, config.cooldown_s, config.expert.warm_c) == (6, 7.0, 60.0)
    assert config.rekey_interval_s[KemFamily.MCELIECE] == 900.0
    assert {name: to_parameters(config)[name] for name in said} == said
    assert from_parameters({"cells": 3}, config).strategy == "expert"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"colour": 1}, "There is no parameter colour."),
        ({"cells": "four"}, "cells is 'four', but must be a whole number."),
        ({"cells": True}, "cells is True, but must be a whole number."),
        ({"stale_s": "2"}, "stale_s is '2', but must be a number."),
        ({"allowed.experimental": 1}, "allowed.experimental is 1, but must be true or false."),
        ({"allowed.suites": "all"}, "allowed.suites is 'all', but must be a list of texts."),
        ({"allowed.aeads": ["rot13"]}, "allowed.aeads names 'rot13', which does not exist."),
        ({"allowed.families": ["rsa"]}, "allowed.families names 'rsa', which does not exist."),
        ({"allowed.suites": ["cs-x"]}, "allowed.suites names 'cs-x', which does not exist."),
        ({"stale_s": -1.0}, "stale_s is -1.0, but can't be below zero."),
        (
            {"rekey_interval_s.hqc": -1.0},
            "rekey_interval_s of hqc is -1.0, not above zero.",
        ),
    ],
)
def test_a_mistake_is_told_in_one_sentence(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigFault) as fault:
        from_parameters(said)
    assert str(fault.value) == sentence


def test_every_parameter_is_described_and_every_number_has_a_range() -> None:
    described = settings()
    assert {name: entry.default for name, entry in described.items()} == defaults()
    for name, entry in described.items():
        assert entry.description, name
        if isinstance(entry.default, int | float) and not isinstance(entry.default, bool):
            assert entry.low is not None and entry.high is not None, name
            assert entry.low <= entry.default <= entry.high, name
        else:
            assert entry.low is entry.high is None, name


def test_a_number_out_of_its_range_is_told_in_one_sentence() -> None:
    with pytest.raises(ConfigFault, match=r"^stale_s is 61, but must be from 0.1 to 60\.$"):
        from_parameters({"stale_s": 61})


def test_empty_texts_in_a_list_count_for_nothing() -> None:
    assert from_parameters({"allowed.suites": [""]}).allowed.suites is None
