# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pqc_policy.sensing.computer.patient_reads import PatientReads
from pqc_policy.sensing.computer.thermal_zones import ThermalZones, Zone
from test_patient_reads import end_reads

# Types and temperatures at one time; the processor's get warmer in the tests, the others stay.
BOARDS: dict[str, tuple[tuple[str, float], ...]] = {
    "Raspberry Pi 4": (("cpu-thermal", 63.7),),
    "Raspberry Pi 3, older kernel": (("bcm2835_thermal", 58.0),),
    "Jetson Nano": (
        *(("AO-therm", 45.5), ("CPU-therm", 41.0), ("GPU-therm", 90.0), ("PLL-therm", 39.5)),
        *(("PMIC-Die", 100.0), ("thermal-fan-est", 40.0)),
    ),
    "Jetson TX2": (
        *(("BCPU-therm", 40.5), ("MCPU-therm", 40.5), ("GPU-therm", 38.0), ("PLL-therm", 40.5)),
        *(("Tboard_tegra", 34.0), ("Tdiode_tegra", 36.5), ("PMIC-Die", 100.0)),
        *(("thermal-fan-est", 39.6),),
    ),
    "Jetson Orin": (
        *(("cpu-thermal", 48.2), ("gpu-thermal", 90.1), ("cv0-thermal", -256.0)),
        *(("soc0-thermal", 46.0), ("soc1-thermal", 46.1), ("soc2-thermal", 45.8)),
        *(("tj-thermal", 90.1),),
    ),
    "RK3588": (
        *(("soc-thermal", 44.3), ("bigcore0-thermal", 45.0), ("bigcore1-thermal", 44.3)),
        *(("littlecore-thermal", 44.3), ("center-thermal", 43.4), ("gpu-thermal", 85.0)),
        *(("npu-thermal", 43.4),),
    ),
    "i.MX6": (("imx_thermal_zone", 52.0),),
    "i.MX8M Plus": (("cpu-thermal", 51.0), ("soc-thermal", 52.0)),
    "x86": (
        *(("acpitz", 27.8), ("INT3400 Thermal", 20.0), ("SEN1", 38.0), ("pch_cannonlake", 95.0)),
        *(("iwlwifi_1", 41.0), ("x86_pkg_temp", 47.0), ("B0D4", 47.0)),
    ),
    "Alder Lake": (("INT3400 Thermal", 20.0), ("TCPU", 47.0), ("TMEM", 88.0), ("acpitz", 16.8)),
}
CHANGING = {
    "Jetson Nano": {"CPU-therm"},
    "Jetson TX2": {"BCPU-therm", "MCPU-therm"},
    "Jetson Orin": {"cpu-thermal"},
    "RK3588": {"soc-thermal", "bigcore0-thermal", "bigcore1-thermal", "littlecore-thermal"},
    "i.MX8M Plus": {"cpu-thermal", "soc-thermal"},
    "x86": {"x86_pkg_temp"},
    "Alder Lake": {"TCPU"},
}


class Board:
    """Zones below a folder like /sys, numbered as they are given."""

    def __init__(self, root: Path, *zones: tuple[str, float]) -> None:
        self.root = root
        self.folders: dict[str, Path] = {}
        for number, (name, celsius) in enumerate(zones):
            folder = self.folders[name] = root / "class" / "thermal" / f"thermal_zone{number}"
            folder.mkdir(parents=True)
            (folder / "type").write_text(f"{name}\n", encoding="ascii")
            self.show(name, celsius)

    def show(self, name: str, celsius: float | None) -> None:
        file = self.folders[name] / "temp"
        if celsius is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(f"{round(celsius * 1000)}\n", encoding="ascii")

    @contextmanager
    def hanging(self, name: str) -> Iterator[None]:
        """Let reads of a zone block for a while; they end with nothing."""
        file = self.folders[name] / "temp"
        file.unlink()
        os.mkfifo(file)
        try:
            yield
        finally:
            os.close(os.open(file, os.O_RDWR))  # reads that wait get their end


def warm(board: Board, zones: ThermalZones, name: str, *temperatures: float) -> list[Zone | None]:
    """Show one temperature after another, a reading of each."""
    seen = []
    for celsius in temperatures:
        board.show(name, celsius)
        seen.append(zones.hottest())
    return seen


class PatientZones(ThermalZones):
    def hottest(self) -> Zone | None:
        self.begin()
        end_reads(self._reads)
        return super().hottest()


@pytest.mark.parametrize("name", BOARDS)
def test_the_processor_of_every_board_is_found_and_nothing_else(name: str, tmp_path: Path) -> None:
    board, wanted = Board(tmp_path, *BOARDS[name]), CHANGING.get(name, {BOARDS[name][0][0]})
    zones, zone = ThermalZones(tmp_path), None
    for step in range(4):
        for of, celsius in BOARDS[name]:
            board.show(of, celsius + step / 10.0 if of in wanted else celsius)
        zone = zones.hottest()
    assert set(zones.counting) == wanted
    warmest = max(celsius for of, celsius in BOARDS[name] if of in wanted)
    assert zone.temperature_c == pytest.approx(warmest + 0.2)


def test_a_zone_that_never_changes_does_not_count_even_if_it_is_named(tmp_path: Path) -> None:
    board = Board(tmp_path, ("PMIC-Die", 100.0), ("CPU-therm", 41.0))
    zones = ThermalZones(tmp_path, ("*",))
    assert [zones.hottest() for _ in range(20)] == [None] * 20
    assert "PMIC-Die has not changed from 100.0 °C" in zones.problem
    assert not zones.settling
    assert warm(board, zones, "CPU-therm", *(42.0,) * 3)[-1] == Zone("CPU-therm", 42.0)
    assert zones.counting == ("CPU-therm",)


def test_a_zone_counts_after_a_few_readings_and_is_awaited_until_then(tmp_path: Path) -> None:
    board, zones = Board(tmp_path, ("cpu-thermal", 41.0)), ThermalZones(tmp_path)
    assert warm(board, zones, "cpu-thermal", 41.0, 41.1, 41.2) == [None] * 3
    assert zones.settling
    assert warm(board, zones, "cpu-thermal", 41.3) == [Zone("cpu-thermal", 41.2)]


@pytest.mark.parametrize("value", [-256.0, 127.0, 0.0, 1000.0, None])
def test_a_value_that_appears_once_changes_nothing(value: float | None, tmp_path: Path) -> None:
    board, zones = Board(tmp_path, ("cpu-thermal", 50.0)), ThermalZones(tmp_path)
    warm(board, zones, "cpu-thermal", 50.0, 50.0, 50.0, 50.2, 50.2)
    board.show("cpu-thermal", value)
    seen = [zones.hottest(), *warm(board, zones, "cpu-thermal", 50.2, 50.2, 50.2)]
    assert [zone.temperature_c for zone in seen if zone] == [50.2] * 4


def test_a_single_false_value_is_no_change_of_a_zone_that_never_changes(tmp_path: Path) -> None:
    board, zones = Board(tmp_path, ("acpitz", 27.8)), ThermalZones(tmp_path)
    assert warm(board, zones, "acpitz", *(27.8,) * 5, 99.0, *(27.8,) * 5) == [None] * 11


def test_a_zone_that_fails_gives_way_to_the_next_and_returns(tmp_path: Path) -> None:
    board = Board(tmp_path, ("acpitz", 40.0), ("x86_pkg_temp", 60.0))
    zones = ThermalZones(tmp_path)
    for step in range(5):
        board.show("acpitz", 40.0 + step)
        warm(board, zones, "x86_pkg_temp", 60.0 + step)
    assert zones.counting == ("x86_pkg_temp",)
    board.show("x86_pkg_temp", None)
    names = [zone.name for _ in range(4) if (zone := zones.hottest())]
    assert names == ["x86_pkg_temp", "x86_pkg_temp", "acpitz", "acpitz"]
    assert warm(board, zones, "x86_pkg_temp", 62.0, 62.0, 62.0)[-1] == Zone("x86_pkg_temp", 62.0)


def test_a_zone_whose_read_hangs_stops_no_other(tmp_path: Path) -> None:
    board = Board(tmp_path, ("cpu0-thermal", 70.0), ("cpu1-thermal", 50.0))
    reads = PatientReads(wait_s=0.2)
    zones = PatientZones(tmp_path, reads=reads)
    for step in range(4):
        board.show("cpu0-thermal", 70.0 + step)
        warm(board, zones, "cpu1-thermal", 50.0 + step)
    assert zones.counting == ("cpu0-thermal", "cpu1-thermal")
    with board.hanging("cpu0-thermal"):
        seen = warm(board, zones, "cpu1-thermal", *(54.0,) * 3)
        assert seen[-1] == Zone("cpu1-thermal", 54.0)
        with board.hanging("cpu1-thermal"):
            assert [zones.hottest() for _ in range(3)][-1] is None
            assert "cpu0-thermal does not answer, cpu1-thermal does not answer" in zones.problem
    reads.close()


def test_zones_of_another_kind_are_named_with_the_parameter_that_chooses(tmp_path: Path) -> None:
    zones = ThermalZones(tmp_path)
    assert zones.hottest() is None
    assert zones.problem == f"no thermal zone below {tmp_path}"
    board = Board(tmp_path, ("gpu-thermal", 50.0), ("PMIC-Die", 100.0))
    assert zones.hottest() is None
    assert zones.problem == (
        f"no thermal zone below {tmp_path} is of a type in thermal.zones: gpu-thermal, PMIC-Die"
    )
    assert warm(board, ThermalZones(tmp_path, ("gpu*",)), "gpu-thermal", 50, 50, 50, 51, 51)[-1]


def test_a_zone_without_a_type_has_the_name_of_its_folder(tmp_path: Path) -> None:
    board = Board(tmp_path, ("?", 50.0))
    (board.folders["?"] / "type").unlink()
    zones = ThermalZones(tmp_path, ("thermal_zone0",))
    assert warm(board, zones, "?", 50, 50, 50, 51, 51)[-1] == Zone("thermal_zone0", 51.0)
