# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""./dev finds out what a machine lacks (setup/setup.bash)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[4]
pytestmark = [
    pytest.mark.skipif(not (TOP / "dev").is_file(), reason="not in the source tree"),
    pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="needs Debian's dpkg-query"),
]

# The checkout's functions with a package database of the test's own, on a machine of amd64.
PRELUDE = """
set -euo pipefail
ROOT=$1 DEV=$PWD
source "$ROOT/setup/setup.bash"
dpkg() { echo amd64; }
dpkg-query() { command dpkg-query --admindir="$DEV" "$@"; }
entries() { printf '%s\\n' libyaml-cpp-dev ca-certificates; }
has_recent_cargo() { true; }
install_missing() { echo "installs $*"; }
alone() { "$@"; }
"""
PACKAGE = """Package: {}
Status: {} ok {}
Maintainer: nobody
Architecture: {}
Multi-Arch: {}
Version: 1
Description: a package

"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    for folder in ("updates", "info", "triggers"):
        (tmp_path / folder).mkdir()
    (tmp_path / "arch").write_text("amd64\narm64\n")
    return tmp_path


def run(machine: Path, packages: list[tuple[str, ...]], command: str) -> str:
    (machine / "status").write_text("".join(PACKAGE.format(*package) for package in packages))
    script = ["bash", "-c", PRELUDE + command, "bash", str(TOP)]
    return subprocess.run(
        script, cwd=machine, check=True, stdout=subprocess.PIPE, text=True
    ).stdout  # fmt: skip


CERTIFICATES = ("ca-certificates", "install", "installed", "all", "foreign")


@pytest.mark.parametrize(
    ("status", "architecture", "missing"),
    [
        (("install", "installed"), "amd64", ""),
        (("install", "installed"), "arm64", "libyaml-cpp-dev\n"),
        (("deinstall", "config-files"), "amd64", "libyaml-cpp-dev\n"),
    ],
)
def test_a_library_counts_as_installed_only_for_the_machines_own_architecture(
    machine: Path, status: tuple[str, str], architecture: str, missing: str
) -> None:
    library = ("libyaml-cpp-dev", *status, architecture, "same")
    assert run(machine, [CERTIFICATES, library], "missing_debian_packages apt.txt") == missing


def test_a_machine_without_python_gets_it_before_a_command_is_described(machine: Path) -> None:
    # Stands in for the test of the file.
    command = "eval \"$(declare -f with_python | sed 's,/usr/bin/python3 ],/nowhere ],')\"\n"
    assert run(machine, [], command + "with_python echo described") == (
        "installs python3\ndescribed\n"
    )
    assert run(machine, [], "with_python echo described") == "described\n"
