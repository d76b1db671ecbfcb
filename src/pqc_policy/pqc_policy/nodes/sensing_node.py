# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`sensing_node`: battery, vehicle, temperature and power as topics of the policy."""

from __future__ import annotations

import sys
from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper, Updater
from rclpy.node import Node

from pqc_policy.nodes.absence import signed
from pqc_policy.nodes.node_parameters import declare, watch
from pqc_policy.nodes.run import run
from pqc_policy.nodes.sensing_power import PowerPart
from pqc_policy.nodes.sensing_sampler import Sampler
from pqc_policy.nodes.sensing_thermal import ThermalPart
from pqc_policy.nodes.sensing_vehicle import VehiclePart
from pqc_policy.sensing.sensing_settings import SensingSettings

_Task = Callable[[DiagnosticStatusWrapper], DiagnosticStatusWrapper]
_DRAIN_S = 0.1  # between looks at the mirror


class SensingNode(Node):
    """Each part reads one kind of thing; hardware is read in a thread beside the executor."""

    def __init__(self) -> None:
        super().__init__("sensing")
        settings = declare(self, SensingSettings)
        self._vehicle = VehiclePart(self, settings)
        self._thermal = ThermalPart(self, settings)
        self._power = PowerPart(self, settings)
        self._updater = Updater(self)
        self._updater.setHardwareID("none")
        for name, task in (
            ("battery", self._vehicle.diagnose_battery),
            ("vehicle", self._vehicle.diagnose_vehicle),
            ("thermal", self._thermal.diagnose),
            ("power", self._power.diagnose),
        ):
            self._updater.add(name, self._signed(task))
        self._updater.add("sampling", self._diagnose)
        watch(self, settings, self._changed)
        self._sampler = Sampler(
            self,
            (
                (_DRAIN_S, self._vehicle.drain),
                (1.0, self._vehicle.tick),
                (settings.thermal_period_s, self._thermal.tick),
                (settings.power_period_s, self._power.tick),
            ),
        )

    def destroy_node(self) -> None:
        """End what runs beside the executor, too."""
        self._sampler.stop()
        self._power.close()
        self._vehicle.close()
        super().destroy_node()

    def _signed(self, task: _Task) -> _Task:
        return lambda status: signed(task(status), self.get_fully_qualified_name())

    def _diagnose(self, status: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        if self._sampler.alive:
            status.summary(DiagnosticStatus.OK, "Running")
        else:
            status.summary(DiagnosticStatus.ERROR, "Ended by a fault: see the log")
        return status

    def _changed(self, settings: SensingSettings) -> None:
        self._vehicle.begin_anew(settings)
        self._power.capture_dir = settings.capture_dir
        self._power.capture_longest_s = settings.capture_longest_s


def main(arguments: list[str] | None = None) -> int:
    """Run the node until it is stopped."""
    return run(SensingNode, arguments)


if __name__ == "__main__":
    sys.exit(main())
