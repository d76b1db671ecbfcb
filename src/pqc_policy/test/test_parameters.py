# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from pqc_policy.parameter_tables import TABLES
from pqc_policy.parameters import ParameterFault, from_values, to_values
from pqc_policy.plugins import LEARNED_STRATEGIES
from pqc_policy.policy.config import STRATEGY_NAMES, PolicyConfig
from pqc_policy.policy.settings import PolicySettings
from pqc_policy.policy.strategies.registry import STRATEGIES
from pqc_policy.policy.suites import KemFamily
from pqc_policy.replay.parameter_file import read_settings
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.sensing_settings import SensingSettings

FILE = Path(__file__).parents[3] / "config" / "policy.yaml"
SETTINGS = {"policy": PolicySettings, "sensing": SensingSettings, "advisor": AdvisorSettings}
# Parameters that the file sets to a value other than the default.
SHIPPED: dict[str, dict[str, Any]] = {
    "policy": {},
    "sensing": {"mirror_address": "127.0.0.1", "mirror_port": 14595},
    "advisor": {},
}

every_node = pytest.mark.parametrize("node", TABLES)


@every_node
def test_without_values_every_setting_has_its_default(node: str) -> None:
    kind = SETTINGS[node]
    defaults = {entry.name: entry.default for entry in TABLES[node]}
    assert to_values(kind()) == defaults
    assert from_values(kind, {}) == from_values(kind, defaults) == kind()


@every_node
def test_every_parameter_is_described_and_every_number_has_a_range(node: str) -> None:
    for entry in TABLES[node]:
        assert entry.description.endswith(".") and ". " not in entry.description, entry.name
        assert entry.section, entry.name
        if entry.type in ("int", "double") and not entry.choices:
            assert entry.low is not None and entry.high is not None, entry.name
            assert entry.low <= entry.default <= entry.high, entry.name  # type: ignore[operator]
        else:
            assert entry.low is entry.high is None, entry.name


@every_node
def test_a_name_with_a_unit_at_its_end_has_that_unit(node: str) -> None:
    units = {"_s": "s", "_v": "V", "_c": "°C", "_a": "A", "_ah": "Ah", "_ohm": "Ω"}
    for entry in TABLES[node]:
        ending = "_" + entry.name.rpartition("_")[2]
        if ending in units and not entry.name.endswith(("per_c", "m_s")):
            assert entry.unit == units[ending], entry.name


@every_node
def test_the_parameter_file_has_every_parameter_with_its_default(node: str) -> None:
    document = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    section = dict(document[f"/**/{node}"]["ros__parameters"])
    # ROS has no empty list.
    defaults = {entry.name: entry.default for entry in TABLES[node]}
    expected = {n: [""] if v == [] else v for n, v in (defaults | SHIPPED[node]).items()}
    assert section == expected
    assert {n: type(v) for n, v in section.items()} == {n: type(v) for n, v in expected.items()}


def test_sensing_listens_where_the_shipped_tunnel_sends_its_mirror() -> None:
    def section(file: Path, node: str) -> dict[str, Any]:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        return dict(document[f"/**/{node}"]["ros__parameters"])

    tunnel = section(FILE.with_name("drone.yaml"), "tunnel")
    sensing = section(FILE, "sensing")
    for name in ("mirror_address", "mirror_port"):
        assert tunnel[name] == sensing[name]


def test_replay_reads_the_parameter_file() -> None:
    assert read_settings(FILE) == PolicySettings()


def test_every_strategy_can_be_chosen() -> None:
    assert set(STRATEGY_NAMES) == {*STRATEGIES, *LEARNED_STRATEGIES}


def test_values_survive_the_conversion_to_a_configuration_and_back() -> None:
    values: dict[str, Any] = {
        "strategy": "expert",
        "rekey_limit": 6,
        "cooldown_s": 7,
        "required_inputs": ["link", "session"],
        "allowed.min_level": 3,
        "allowed.families": ["ml_kem"],
        "allowed.suites": ["cs-mlkem768-aesgcm-mldsa65"],
        "ceiling": "cs-mlkem1024-aesgcm-sphincs256f",
        "rekey_interval_s.mceliece": 900.0,
        "expert.rtt_high_s": 0.6,
    }
    config = from_values(PolicyConfig, values)
    assert (config.rekey_limit, config.cooldown_s, config.expert.rtt_high_s) == (6, 7.0, 0.6)
    assert [type(family) for family in config.allowed.families] == [KemFamily]
    assert config.rekey_interval_s.of(KemFamily.MCELIECE) == 900.0
    assert PolicyConfig().rekey_interval_s.of(KemFamily.MCELIECE) is None
    assert {name: to_values(config)[name] for name in values} == values
    other = {name: f"{value}sha2" for name, value in values.items() if name == "ceiling"}
    assert from_values(PolicyConfig, values | other) == config


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"colour": 1}, "There is no parameter colour."),
        ({"rekey_limit": "four"}, "rekey_limit is 'four', but must be a whole number."),
        ({"rekey_limit": True}, "rekey_limit is True, but must be a whole number."),
        ({"stale_s": "2"}, "stale_s is the text '2', but must be a number: remove the quotes."),
        ({"stale_s": 61}, "stale_s is 61.0, but must be from 0.1 to 60."),
        ({"stale_s": -1.0}, "stale_s is -1.0, but must be from 0.1 to 60."),
        ({"stale_s": float("nan")}, "stale_s is nan, but must be a finite number."),
        ({"strategy": 1}, "strategy is 1, but must be a text."),
        ({"allowed.experimental": 1}, "allowed.experimental is 1, but must be true or false."),
        ({"allowed.suites": "all"}, "allowed.suites is 'all', but must be a list of texts."),
        ({"allowed.suites": [1]}, "allowed.suites is [1], but must be a list of texts."),
        ({"allowed.families": ["rsa"]}, "allowed.families names 'rsa', which does not exist."),
        ({"allowed.suites": ["cs-x"]}, "allowed.suites names 'cs-x', which does not exist."),
        (
            {"rekey_interval_s.mceliece": -1.0},
            "rekey_interval_s.mceliece is -1.0, but must be from 0 to 86400.",
        ),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterFault) as fault:
        from_values(PolicyConfig, values)
    assert str(fault.value) == sentence


@pytest.mark.parametrize(
    ("kind", "values", "sentence"),
    [
        (SensingSettings, {"battery.cells": 0}, "battery.cells is 0, but must be from 1 to 24."),
        (SensingSettings, {"power_source": "sun"}, "power_source is 'sun', but must be one of "),
        (SensingSettings, {"mirror_port": 14600}, "mirror_address is needed where mirror_port is"),
        (AdvisorSettings, {"attack_score": 0.4}, "attack_score is 0.4, but must be from 0.5 to 1."),
    ],
)
def test_a_mistake_of_sensing_or_advisor_is_reported_too(
    kind: type, values: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ParameterFault) as fault:
        from_values(kind, values)
    assert str(fault.value).startswith(sentence)


def test_empty_texts_in_a_list_are_ignored() -> None:
    assert from_values(PolicyConfig, {"allowed.suites": [""]}) == PolicyConfig()
