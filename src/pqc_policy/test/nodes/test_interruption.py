# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A node that is interrupted while its modules are imported ends without a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# Replaces a module that every node imports; the import never returns.
SLOW_IMPORT = "import time\nprint('importing', flush=True)\ntime.sleep(600)\n"


@pytest.mark.parametrize("node", ["advisor_node", "policy_node", "sensing_node"])
def test_a_signal_during_the_imports_ends_a_node_without_a_traceback(
    node: str, tmp_path: Path
) -> None:
    (tmp_path / "diagnostic_updater.py").write_text(SLOW_IMPORT)
    path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
    program = f"from pqc_policy.nodes.entry_points import {node}; raise SystemExit({node}())"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "importing\n"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (0, "", "")
