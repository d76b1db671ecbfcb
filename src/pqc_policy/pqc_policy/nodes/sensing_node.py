# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`sensing_node`: battery, vehicle, temperature and power as topics of the policy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper, Updater
from rclpy.node import Node

from pqc_policy.nodes import sensing_parameters
from pqc_policy.nodes.absence import signed
from pqc_policy.nodes.parameters import declare, watch
from pqc_policy.nodes.run import run
from pqc_policy.nodes.sensing_power import PowerPart
from pqc_policy.nodes.sensing_sampler import Sampler
from pqc_policy.nodes.sensing_thermal import ThermalPart
from pqc_policy.nodes.sensing_vehicle import VehiclePart

_Task = Callable[[DiagnosticStatusWrapper], DiagnosticStatusWrapper]
_DRAIN_S = 0.1  # between looks at the mirror


class SensingNode(Node):
    """Each part reads one kind of thing; hardware is read in a thread beside the executor."""

    def __init__(self) -> None:
        super().__init__("sensing")
        values = declare(self, sensing_parameters.PARAMETERS)
        sensing_parameters.check(values)
        self._vehicle = VehiclePart(self, values)
        self._thermal = ThermalPart(self, values)
        self._power = PowerPart(self, values)
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
        watch(self, sensing_parameters.PARAMETERS, values, self._changed)
        self._sampler = Sampler(
            self,
            (
                (_DRAIN_S, self._vehicle.drain),
                (1.0, self._vehicle.tick),
                (values["thermal.period_s"], self._thermal.tick),
                (values["power.period_s"], self._power.tick),
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

    def _changed(self, values: dict[str, Any]) -> None:
        sensing_parameters.check(values)
        self._vehicle.begin_anew(values)
        self._power.capture_dir = values["capture_dir"]
        self._power.capture_longest_s = values["capture_longest_s"]


def main(arguments: list[str] | None = None) -> int:
    """Run the node until it is stopped."""
    return run(SensingNode, arguments)


if __name__ == "__main__":
    sys.exit(main())
