# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`sensing_node`: battery, vehicle, temperature, power and load as topics of the policy."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import cycle

from diagnostic_updater import Updater

from pqc_policy.nodes.computer_publisher import ComputerPublisher
from pqc_policy.nodes.node_parameters import declare, watch
from pqc_policy.nodes.power_publisher import PowerPublisher
from pqc_policy.nodes.process.steady_node import BEATS_PER_S, SteadyNode
from pqc_policy.nodes.thermal_publisher import ThermalPublisher
from pqc_policy.nodes.vehicle_publisher import VehiclePublisher
from pqc_policy.sensing.computer.patient_reads import PatientReads
from pqc_policy.sensing.sensing_settings import SensingSettings


class SensingNode(SteadyNode):
    """Runs the publishers; what may hang is read in another thread."""

    def __init__(self) -> None:
        super().__init__("sensing")
        # rclpy also destroys a node whose constructor has failed: only what was opened is closed.
        self._opened = ExitStack()
        settings = declare(self, SensingSettings)
        self._vehicle = VehiclePublisher(self, settings)
        self._opened.callback(self._vehicle.close)
        reads = PatientReads()
        self._opened.callback(reads.close)
        self._thermal = ThermalPublisher(self, settings, reads)
        self._power = PowerPublisher(self, settings, reads)
        self._opened.callback(self._power.close)
        self._computer = ComputerPublisher(self, settings, reads)
        self._beats = cycle(range(BEATS_PER_S))
        self._updater = Updater(self)
        self._updater.setHardwareID("none")
        for name, task in (
            ("battery", self._vehicle.diagnose_battery),
            ("vehicle", self._vehicle.diagnose_vehicle),
            ("thermal", self._thermal.diagnose),
            ("power", self._power.diagnose),
            ("computer", self._computer.diagnose),
        ):
            self._updater.add(name, task)
        watch(self, settings, self._changed)

    def pulse(self) -> None:
        """Read the sources, those of the computer once a second."""
        self._vehicle.drain()
        self._power.tick()
        beat = next(self._beats)
        if beat == 0:
            self._vehicle.tick()
            self._computer.tick()
            self._thermal.begin()
        elif beat == 1:
            self._thermal.tick()

    def destroy_node(self) -> None:
        self._opened.close()
        super().destroy_node()

    def _changed(self, settings: SensingSettings) -> None:
        self._vehicle.apply(settings)
        self._power.capture_dir = settings.capture_dir
