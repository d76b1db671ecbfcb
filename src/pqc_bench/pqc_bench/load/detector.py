# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m pqc_bench.load.detector NAME`: a real detector as the load of a scenario.

It is the drone's `advisor_node` with that detector, on the drone's topics. It has a name of its own
and publishes its verdicts on a topic of its own, so that a policy beside it has only one advisor.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

from pqc_policy.nodes.advisor_node import AdvisorNode
from pqc_policy.nodes.run_node import run
from pqc_policy.parameters import ParameterFault
from pqc_sim.processes.command_line import Parser
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.harness.process_use import resident_kib, waited_seconds
from pqc_bench.load.summary_option import parse_with_summary

_REPORT_S = 1.0
_NODE = "scenario_detector"
# A shorter run may end before the first bin is complete.
_JUDGED_AFTER_S = 10.0


class DetectorLoad(AdvisorNode):
    """The advisor node, which also reports its use of the machine."""

    def __init__(self, detector: str, summary: Path | None) -> None:
        """Raise ParameterFault if the detector is missing or refused: no other takes its place."""
        super().__init__()
        if self.missing:
            raise ParameterFault(self.missing[0])
        self._detector = detector
        self._summary = summary
        self._cores = len(os.sched_getaffinity(0))
        self._began_s = time.monotonic()
        self._cpu_s, self._waited_s = time.process_time(), waited_seconds(os.getpid())
        self._report = self.create_timer(_REPORT_S, self.report)
        # The session waits for this line.
        print(f"load: the detector {detector} is at work", flush=True)

    def report(self) -> None:
        """Write what has been used since the start, if there is a file for it."""
        if self._summary is not None:
            write_summary(self._summary, self.use())

    def use(self) -> dict[str, Any]:
        """Return the members of a load's report; CPU in percent of the whole machine."""
        seconds = time.monotonic() - self._began_s
        cpu_s = time.process_time() - self._cpu_s
        # The wait of a thread that has ended is no longer known.
        waited_s = max(waited_seconds(os.getpid()) - self._waited_s, 0.0)
        scale = 100.0 / max(seconds, 1e-9) / self._cores
        idle = seconds > _JUDGED_AFTER_S and not self.judged
        return {
            "kind": self._detector,
            "seconds": round(seconds, 3),
            "reached_cpu_percent": round(scale * cpu_s, 3),
            "waited_cpu_percent": round(scale * waited_s, 3),
            "reached_memory_mib": round(resident_kib(os.getpid()) / 1024, 1),
            "judged_bins": self.judged,
            "faults": ["it has not judged any traffic"] if idle else [],
        }


def _parser() -> Parser:
    parser = Parser(
        prog="load.detector",
        description="Run the advisor node with a detector on a drone's topics until SIGTERM, and "
        "report its use of the machine.",
    )
    parser.add_argument("detector", help="trees, transformer, or any detector of the advisor node")
    parser.add_argument("--namespace", default="/pqc", help="of the drone (/pqc)")
    parser.add_argument("--model-dir", help="learned.model_dir of the node")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run until a signal; 2 if the detector can't be used."""
    options = parse_with_summary(_parser(), arguments)
    node: list[DetectorLoad] = []

    def make() -> DetectorLoad:
        node.append(DetectorLoad(options.detector, options.summary))
        return node[0]

    code = run(make, arguments=_ros_arguments(options))
    if node and code == 0:
        node[0].report()
    return code


def _ros_arguments(options: argparse.Namespace) -> list[str]:
    given = {"detector": options.detector}
    if options.model_dir:
        given["learned.model_dir"] = options.model_dir
    return [
        "load.detector",
        "--ros-args",
        *("-r", f"__ns:={options.namespace}", "-r", f"__node:={_NODE}"),
        *("-r", f"advisor:={_NODE}/verdict"),
        *(word for name, value in given.items() for word in ("-p", f"{name}:={value}")),
    ]


if __name__ == "__main__":
    sys.exit(main())
