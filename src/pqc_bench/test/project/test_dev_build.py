# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""When ./dev takes the built tree for current (setup/build.bash)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from pqc_bench.harness.source_tree import source_tree

# Stand-ins for what ./dev defines elsewhere. `colcon_build` fails while the file `broken` exists.
PRELUDE = """
set -euo pipefail
ROOT=$PWD DEV=$PWD/.dev
source "$1"
enter_ros() { :; }
step() { shift; "$@" || { echo "dev: failed" >&2; exit 1; }; }
colcon_build() { echo built >>"$DEV/log"; [ ! -f broken ]; }
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for folder in ("src", "underlay", "setup", ".dev"):
        (tmp_path / folder).mkdir()
    (tmp_path / "colcon.meta").touch()
    return tmp_path


def dev(checkout: Path, commands: str) -> subprocess.CompletedProcess[str]:
    script = source_tree() / "setup" / "build.bash"
    return subprocess.run(
        ["bash", "-c", PRELUDE + commands, "dev", str(script)],
        cwd=checkout, capture_output=True, text=True,
    )  # fmt: skip


def builds(checkout: Path) -> int:
    log = checkout / ".dev" / "log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_a_failed_build_ends_the_command_and_is_repeated_by_the_next_one(checkout: Path) -> None:
    (checkout / "broken").touch()
    # As `./dev demo` calls it: an && list switches off `set -e`.
    failed = dev(checkout, "true && build_if_needed && echo started")
    assert failed.returncode == 1
    assert "started" not in failed.stdout
    assert not (checkout / ".dev" / "stamp.build").exists()
    (checkout / "broken").unlink()
    assert dev(checkout, "build_if_needed && echo started").stdout == "started\n"
    assert builds(checkout) == 2


def test_a_current_tree_is_not_built_again(checkout: Path) -> None:
    for _ in range(2):
        dev(checkout, "build_if_needed")
    assert builds(checkout) == 1
    (checkout / "src" / "new.py").touch()
    dev(checkout, "build_if_needed")
    assert builds(checkout) == 2


def test_an_interrupted_build_of_the_tests_is_repeated(checkout: Path) -> None:
    dev(checkout, "build")
    (checkout / "broken").touch()
    assert dev(checkout, "build_tests_if_needed").returncode == 1
    (checkout / "broken").unlink()
    assert dev(checkout, "build_tests_if_needed").returncode == 0
    assert builds(checkout) == 3


def test_a_source_changed_during_the_build_asks_for_another(checkout: Path) -> None:
    dev(checkout, "colcon_build() { touch src/late.py; }\nbuild")
    dev(checkout, "build_if_needed")
    assert builds(checkout) == 1
