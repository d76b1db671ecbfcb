# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Each preset of a vehicle, over the shipped parameters as the launch files put it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from flight import MLKEM768, take_off
from pqc_policy.parameters import from_values
from pqc_policy.policy.decision import Action
from pqc_policy.policy.settings import PolicySettings
from pqc_policy.replay.check_command import main
from pqc_policy.replay.parameter_file import read_values
from pqc_policy.sensing.sensing_settings import SensingSettings

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = ROOT / "config" / "policy.yaml"
PRESETS = sorted((ROOT / "config" / "policy_presets").glob("*.yaml"))
each_preset = pytest.mark.parametrize("file", PRESETS, ids=lambda file: file.stem)

if not SHIPPED.is_file():
    pytest.skip("needs the source tree", allow_module_level=True)


def layered(file: Path, node: str) -> dict[str, Any]:
    """Return a node's values where a preset wins over the shipped file."""
    has = f"/**/{node}" in yaml.safe_load(file.read_text(encoding="utf-8"))
    return read_values(SHIPPED, *([file] if has else []), node=node)


def sensing(file: Path) -> SensingSettings:
    return from_values(SensingSettings, layered(file, "sensing"))


def test_there_are_presets() -> None:
    assert len(PRESETS) >= 5


@each_preset
def test_a_preset_has_the_cells_in_its_name_and_keeps_the_mirror(file: Path) -> None:
    settings = sensing(file)
    named = re.search(r"_(\d+)s$", file.stem)
    assert settings.pack.cells == (int(named[1]) if named else 4)
    assert (settings.mirror_address, settings.mirror_port) == ("127.0.0.1", 14595)


@each_preset
def test_three_volts_a_cell_are_an_emergency_wherever_there_is_a_battery(file: Path) -> None:
    settings = from_values(PolicySettings, layered(file, "policy"))
    cells = sensing(file).make_battery_monitor().predictor.pack.cells
    flight = take_off(settings.make_policy(), suite=MLKEM768, cells=cells, voltage_v=4.0 * cells)
    flight.fly(5)
    pressed = flight.fly(10, voltage_v=3.0 * cells)
    assert Action.DOWN_TO_LIGHTEST in [decision.action for decision in pressed]


def test_a_preset_of_a_large_pack_has_its_capacity() -> None:
    pack = sensing(next(file for file in PRESETS if file.stem == "hexarotor_6s")).pack
    assert pack.capacity_ah == pack.rated_current_a > 10.0


@pytest.mark.parametrize(
    "files", [[], *([file] for file in PRESETS)], ids=["shipped", *(file.stem for file in PRESETS)]
)
def test_the_shipped_files_and_every_preset_are_good_with_the_shipped_tunnel(
    files: list[Path],
) -> None:
    tunnel = ROOT / "config" / "drone.yaml"
    assert main([str(SHIPPED), *map(str, files), "--tunnel", str(tunnel)]) == 0
