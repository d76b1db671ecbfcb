# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""./dev starts the demo."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]

# The function of ./dev, without the set-up before it.
SCRIPT = """
exec {STDERR}>&2
described() { :; }
wants_help() { false; }
built() { :; }
eval "$(sed -n '/^demo()/,/^}/p' "$1")"
demo --seconds nonsense
"""


def test_the_demo_reports_to_a_pipe() -> None:
    run = subprocess.run(
        ["bash", "-c", SCRIPT, "dev", str(ROOT / "dev")],
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert "--seconds" in run.stdout, run.stdout
    assert run.returncode == 2
