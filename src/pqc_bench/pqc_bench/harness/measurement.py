# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The course of a measurement on real nodes: measure, judge, print, write."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pqc_sim.processes.output_path import require_folder
from pqc_sim.processes.summary_file import write_summary
from pqc_testing.ros_graph import isolate_graph

from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.harness.text import conclusion

Result = dict[str, Any]


def run_measurement(
    out: Path | None,
    measure: Callable[[Path], Result],
    judge: Callable[[Result], list[str]],
    text: Callable[[Result], list[str]],
) -> int:
    """Measure and write the result to `out`, if given; 0 if the judge finds no fault."""
    require_folder(out)
    result = measured(measure, judge, text)
    if out is not None:
        write_summary(out, result)
    return 1 if result["faults"] else 0


def measured(
    measure: Callable[[Path], Result],
    judge: Callable[[Result], list[str]],
    text: Callable[[Result], list[str]],
) -> Result:
    """Measure in a folder of its own and on a ROS graph of its own.

    Prints the result by `text` and with its conclusion, and returns it with machine, commit and the
    faults that the judge finds.
    """
    isolate_graph()
    with tempfile.TemporaryDirectory(prefix="pqc-bench-") as folder:
        result = measure(Path(folder)) | {"machine": machine_kind(), "commit": commit()}
    result["faults"] = judge(result)
    print("\n".join([*text(result), *conclusion(result, result["faults"])]))
    return result
