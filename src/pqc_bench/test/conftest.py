# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The time of an example depends on the load of the machine.
settings.register_profile("here", deadline=None, database=None)
settings.load_profile("here")

PACKAGE = Path(__file__).parents[1]
sys.path.insert(0, str(Path(__file__).parent))
# Programs started by tests run from this source tree, too.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])]
)

from pqc_bench.bench_command import main  # noqa: E402
from pqc_bench.report.build import Report, run_report  # noqa: E402
from pqc_bench.report.run_data import read_run_folder  # noqa: E402
from pqc_testing.ros_graph import isolate_graph  # noqa: E402
from report_run import make_run, raw_cells  # noqa: E402

# Tests that run side by side don't share a ROS graph.
isolate_graph()


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with all scenarios, which no test changes."""
    return make_run(tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture(scope="session")
def whole_cells(whole_run: Path) -> list[dict[str, Any]]:
    """The metrics of its cells, read without the report's help."""
    return raw_cells(whole_run)


@pytest.fixture(scope="session")
def whole_report(whole_run: Path) -> Report:
    return run_report(read_run_folder(whole_run), whole_run)


@pytest.fixture(scope="session")
def whole_page(whole_run: Path) -> str:
    """Its page, as the command writes it beside the tables."""
    assert main(["report", str(whole_run)]) == 0
    return (whole_run / "report.html").read_text(encoding="utf-8")
