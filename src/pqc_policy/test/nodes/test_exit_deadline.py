# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
import sys

import pytest

# ctypes.PyDLL holds the interpreter's lock while it sleeps, as a library that hangs does.
HANGS = """
import ctypes
from pqc_policy.nodes.process.exit_deadline import exit_within
with exit_within(0.2, {code}):
    ctypes.PyDLL(None).sleep({seconds})
print("over")
"""


@pytest.mark.parametrize("code", [0, 1])
def test_a_process_that_hangs_ends_with_the_given_code(code: int) -> None:
    program = HANGS.format(code=code, seconds=3600)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (code, b"")


def test_a_process_that_does_not_hang_continues() -> None:
    program = HANGS.format(code=3, seconds=0) + "import time; time.sleep(0.4)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (0, b"over\n")
