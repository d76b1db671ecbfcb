# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the sensing node."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pqc_policy.parameters import ParameterFault, group, parameter
from pqc_policy.sensing.battery.monitor import BatteryMonitor
from pqc_policy.sensing.battery.predictor import BatteryPredictor, Pack
from pqc_policy.sensing.computer.power_meter import PowerPlaces
from pqc_policy.sensing.computer.thermal_zones import PROCESSOR


@dataclass(frozen=True)
class SensingSettings:
    mavros_namespace: str = parameter(
        "/mavros",
        "Namespace of the topics of MAVROS.",
        live=False,
        section="Sources of battery and vehicle state",
    )
    mavros_silence_s: float = parameter(
        2.0,
        "Time without a message of MAVROS after which the tunnel's mirror is used.",
        "s",
        0.1,
        60.0,
    )
    mirror_address: str = parameter(
        "", "Local address that the tunnel's mirror sends to; needed with mirror_port.", live=False
    )
    mirror_port: int = parameter(
        0, "UDP port that the tunnel's mirror sends to; 0: none.", "", 0, 65535, live=False
    )
    autopilot_system_id: int = parameter(
        0,
        "System id of the autopilot in the mirror; 0: the one that looks most like a vehicle.",
        "",
        0,
        255,
        live=False,
    )
    pack: Pack = group(Pack, "battery.")
    power: PowerPlaces = group(PowerPlaces)
    thermal_zones: tuple[str, ...] = parameter(
        PROCESSOR,
        "Types of the processor's thermal zones, the preferred first; * is any text, | is between "
        "types of one rank.",
        live=False,
        name="thermal.zones",
    )
    proc_root: Path = parameter(
        Path("/proc"), "Folder with stat and meminfo of the kernel.", live=False, section="Computer"
    )
    retry_s: float = parameter(
        5.0,
        "Time between searches for hardware that is absent.",
        "s",
        0.1,
        600.0,
        live=False,
        section="Hardware",
    )
    capture_dir: str = parameter(
        "~/.ros/pqc_captures",
        "Folder for the files of the service capture_power.",
        section="Captures of power",
    )

    def __post_init__(self) -> None:
        """Raise ParameterFault for values that don't fit together."""
        if self.mirror_port and not self.mirror_address:
            raise ParameterFault("mirror_address is needed where mirror_port is set.")
        if not self.capture_dir:
            raise ParameterFault("capture_dir is empty, but must name a folder.")

    def make_battery_monitor(self) -> BatteryMonitor:
        """Return a monitor that has taken no measurement yet."""
        return BatteryMonitor(BatteryPredictor(self.pack))
