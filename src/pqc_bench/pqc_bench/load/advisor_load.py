# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's advisor node as a load.

It has a name of its own and publishes its verdicts on a topic of its own, so that a policy beside
it has only one advisor.
"""

from __future__ import annotations

from pathlib import Path

from pqc_policy.nodes.advisor_node import AdvisorNode
from pqc_policy.nodes.run_node import run
from pqc_policy.parameters import ParameterFault

from pqc_bench.load.detector_use import REPORT_S, DetectorUse

_NODE = "scenario_detector"


class AdvisorLoad(AdvisorNode):
    """The advisor node, which also reports its use of the machine."""

    def __init__(self, detector: str, summary: Path | None) -> None:
        """Raise ParameterFault if the detector is missing or refused: no other takes its place."""
        super().__init__()
        if self.missing:
            raise ParameterFault(self.missing[0])
        self._report = self.create_timer(REPORT_S, self.report)
        # At the end: who reads its line may end the process at once, and expects a report.
        self._use = DetectorUse(detector, summary)

    def report(self) -> None:
        self._use.report(self.judged)


def run_advisor(detector: str, summary: Path | None, namespace: str, model_dir: str | None) -> int:
    """Run until a signal; 2 if the detector can't be used."""
    given = {"detector": detector}
    if model_dir:
        given["learned.model_dir"] = model_dir
    arguments = [
        "load.detector",
        "--ros-args",
        *("-r", f"__ns:={namespace}", "-r", f"__node:={_NODE}"),
        *("-r", f"advisor:={_NODE}/verdict"),
        *(word for name, value in given.items() for word in ("-p", f"{name}:={value}")),
    ]
    node: list[AdvisorLoad] = []

    def make() -> AdvisorLoad:
        node.append(AdvisorLoad(detector, summary))
        return node[0]

    code = run(make, arguments=arguments)
    if node and code == 0:
        node[0].report()
    return code
