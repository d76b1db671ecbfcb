# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the sensing node, and what the pure parts make of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from pqc_policy.nodes.parameters import Parameter, ParameterFault
from pqc_policy.sensing.battery_monitor import BatteryMonitor
from pqc_policy.sensing.battery_predictor import BatteryPredictor, Pack, Trust
from pqc_policy.sensing.power_meter import SOURCES, PowerPlaces

# Field of Pack: description and range.
_PACK: dict[str, tuple[str, float, float]] = {
    "cells": ("cells in series", 1, 24),
    "capacity_ah": ("Ah, of the label or as measured", 0.05, 1000.0),
    "rated_current_a": ("A, at which that capacity was measured", 0.01, 1000.0),
    "peukert": ("Peukert's exponent", 1.0, 1.5),
    "cell_resistance_ohm": ("ohm, of a cell at 25 °C under a lasting load", 1e-5, 1.0),
    "capacity_per_c": ("share of the capacity lost per °C below 25 °C", 0.0, 0.05),
    "resistance_per_c": ("share of the resistance gained per °C below 25 °C", 0.0, 0.1),
    "empty_cell_v": ("V of a cell under load at which the time left ends", 1.0, 4.0),
    "resistance_rise": ("what the resistance gains towards empty, as a multiple", 0.0, 50.0),
    "resistance_rise_charge": ("charge over which that falls by e", 0.001, 1.0),
}
_TRUST: dict[str, tuple[str, float, float]] = {
    "charge_at_start": ("standard deviation of the charge read at the start", 0.001, 1.0),
    "wear": ("standard deviation of the capacity, relative", 0.0, 1.0),
    "resistance": ("standard deviation of the resistance, relative", 0.0, 10.0),
    "cell_at_rest_v": ("V, error of the open-circuit voltage at rest", 0.0001, 1.0),
    "cell_under_load_v": ("V, error of the open-circuit voltage under load", 0.0001, 1.0),
    "independent_s": ("s for which these errors stay alike", 0.1, 10000.0),
    "rest_current_a": ("A below which the pack rests", 0.0, 100.0),
    "rest_s": ("s until the voltage has recovered from a load", 0.0, 10000.0),
    "current_s": ("s over which the current is averaged to look ahead", 1.0, 10000.0),
    "change_s": ("s over which a change of load shows", 0.1, 1000.0),
    "change": ("share by which the load changes for the average to begin anew", 0.01, 10.0),
}


def _of(prefix: str, kind: type[Pack] | type[Trust], table: Mapping[str, Any]) -> list[Parameter]:
    defaults = kind()
    return [
        Parameter(f"{prefix}.{item.name}", getattr(defaults, item.name), *table[item.name])
        for item in fields(kind)
    ]


PARAMETERS: tuple[Parameter, ...] = (
    Parameter("mavros_namespace", "/mavros", "where MAVROS publishes", read_only=True),
    Parameter("mavros_silence_s", 2.0, "s without MAVROS after which the mirror counts", 0.1, 60.0),
    Parameter(
        "mirror_address",
        "",
        "local address that the tunnel's mirror sends to; needed with mirror_port",
        read_only=True,
    ),
    Parameter("mirror_port", 0, "its UDP port; 0: no mirror", 0, 65535, read_only=True),
    Parameter(
        "autopilot_system_id", 0, "in the mirror; 0: the first one heard", 0, 255, read_only=True
    ),
    *_of("battery", Pack, _PACK),
    *_of("battery.trust", Trust, _TRUST),
    Parameter(
        "battery.rate_window_s", 30.0, "s over which the voltage's rate is taken", 5.0, 600.0
    ),
    Parameter("sys_root", "/sys", "where the kernel shows its devices", read_only=True),
    Parameter("thermal.period_s", 1.0, "s between readings", 0.1, 60.0, read_only=True),
    Parameter(
        "thermal.rate_window_s", 30.0, "s over which the rate is taken", 5.0, 600.0, read_only=True
    ),
    Parameter(
        "power_source",
        "auto",
        "the power sensor; auto: the first there is",
        choices=("auto", *SOURCES, "none"),
        read_only=True,
    ),
    Parameter("power.period_s", 0.1, "s between messages", 0.02, 10.0, read_only=True),
    Parameter("power.hwmon_name", "ina219", "the driver's name for the sensor", read_only=True),
    Parameter("power.i2c_bus", "/dev/i2c-1", "the sensor's bus", read_only=True),
    Parameter("power.i2c_address", 0x40, "the sensor's address", 3, 119, read_only=True),
    Parameter("power.shunt_ohm", 0.1, "ohm, of the sensor's shunt", 1e-5, 100.0, read_only=True),
    Parameter("capture_dir", "~/.ros/pqc_captures", "folder of the files of capture_power"),
    Parameter("capture_longest_s", 3600.0, "s, longest capture", 0.1, 86400.0),
    Parameter(
        "retry_s", 5.0, "s until absent hardware is looked for again", 0.1, 600.0, read_only=True
    ),
)


def battery_monitor(values: Mapping[str, Any]) -> BatteryMonitor:
    """Return a monitor that has seen nothing yet."""
    pack = Pack(**{item.name: values[f"battery.{item.name}"] for item in fields(Pack)})
    trust = Trust(**{item.name: values[f"battery.trust.{item.name}"] for item in fields(Trust)})
    return BatteryMonitor(BatteryPredictor(pack, trust), values["battery.rate_window_s"])


def power_places(values: Mapping[str, Any]) -> PowerPlaces:
    """Return where to look for a power sensor."""
    return PowerPlaces(
        source=values["power_source"],
        sys_root=Path(values["sys_root"]),
        hwmon_name=values["power.hwmon_name"],
        i2c_bus=Path(values["power.i2c_bus"]),
        i2c_address=values["power.i2c_address"],
        shunt_ohm=values["power.shunt_ohm"],
    )


def check(values: Mapping[str, Any]) -> None:
    """Raise ParameterFault for values that don't go together."""
    if values["mirror_port"] and not values["mirror_address"]:
        raise ParameterFault("mirror_address is needed where mirror_port is set.")
    if not values["capture_dir"]:
        raise ParameterFault("capture_dir is empty, but must name a folder.")
