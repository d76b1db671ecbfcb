# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameter file that users start from says what the defaults of sensing and advisor are."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

pytest.importorskip("rclpy")
from pqc_policy.nodes import advisor_parameters, sensing_parameters

FILE = Path(__file__).parents[3] / "config" / "policy.yaml"
# The file has an address, the program has none.
SET_THERE = {"mirror_address": "127.0.0.1"}


@pytest.mark.parametrize(
    ("name", "table", "set_there"),
    [
        ("sensing", sensing_parameters.PARAMETERS, SET_THERE),
        ("advisor", advisor_parameters.PARAMETERS, {}),
    ],
)
def test_it_has_every_parameter_with_its_default(
    name: str, table: tuple[sensing_parameters.Parameter, ...], set_there: dict[str, str]
) -> None:
    document = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    section = dict(document[f"/**/{name}"]["ros__parameters"])
    assert section.pop("diagnostic_updater.period") == 1.0
    defaults = {entry.name: entry.default for entry in table} | set_there
    assert section == defaults
    kinds = {key: type(value) for key, value in defaults.items()}
    assert {key: type(value) for key, value in section.items()} == kinds
