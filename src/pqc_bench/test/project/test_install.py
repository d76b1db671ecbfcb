# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`./dev install` on a drone or a ground station installs no package of the lab."""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

TOP = Path(__file__).parents[4]
FLYING = {"liboqs_vendor", "pqc_exposure", "pqc_msgs", "pqc_policy", "pqc_tunnel"}
# Stands in for the build, and prints its arguments.
SHOW_BUILD = """
set -euo pipefail
ROOT=$1 DEV=/nowhere
for part in setup build deploy; do source "$ROOT/setup/$part.bash"; done
enter_distribution() { :; }
colcon_into() { printf '%s\\n' "$@"; }
colcon_flying /opt/pqc
"""

pytestmark = pytest.mark.skipif(not (TOP / "dev").is_file(), reason="not in the source tree")


def packages() -> dict[str, set[str]]:
    """Return the dependencies of each package of the workspace, but those of its tests alone."""
    found = {}
    for file in TOP.glob("src/*/package.xml"):
        tree = ElementTree.parse(file).getroot()
        depends = {
            (tag.text or "").strip()
            for tag in tree
            if tag.tag.endswith("depend") and tag.tag != "test_depend"
        }
        found[tree.findtext("name", "")] = depends
    return found


def skipped() -> set[str]:
    """Return the packages that the build for flying leaves out."""
    command = ["bash", "-c", SHOW_BUILD, "bash", str(TOP)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    _, folder, tests, *options = run.stdout.splitlines()
    assert (folder, tests) == ("/opt/pqc", "OFF")
    return set(options[options.index("--packages-skip") + 1 :])


def test_only_packages_for_flying_are_installed() -> None:
    assert packages().keys() - skipped() == FLYING


def test_packages_for_flying_do_not_depend_on_the_lab() -> None:
    needed = {name for package in FLYING for name in packages()[package]}
    assert not needed & skipped()
    assert needed & packages().keys() <= FLYING


def test_the_tunnel_is_installed_without_the_packages_beside_it() -> None:
    assert packages()["pqc_tunnel"] & packages().keys() == {"liboqs_vendor", "pqc_msgs"}
    assert not {name for name in packages()["pqc_tunnel"] if "bag" in name}


def test_the_launch_files_at_the_top_are_those_that_drone_and_ground_start_from() -> None:
    names = {file.name for file in (TOP / "launch").iterdir() if file.is_file()}
    ours = ("drone", "gcs", "policy", "record", "aggregator", "arguments", "environment")
    assert names == {f"{name}.launch.py" for name in ours}


def test_the_policys_package_has_no_simulator() -> None:
    source = TOP / "src" / "pqc_policy"
    rooms = {file.parent.name for file in source.glob("pqc_policy/*/__init__.py")}
    assert rooms == {"messages", "policy", "sensing", "nodes", "replay"}


# Stands in for what builds, and prints what is installed.
SHOW_PLAIN = """
set -euo pipefail
ROOT=$1 DEV=/nowhere
for part in setup build deploy; do source "$ROOT/setup/$part.bash"; done
make_dev_folder() { :; }
setup_packages() { :; }
step() { shift; "$@"; }
cmake() { [ "$1" != --install ] || echo "$*"; }
install_plain "${@:2}"
"""


def installed(*arguments: str) -> list[tuple[str, str]]:
    """Return package and component of each installation into the folder."""
    command = ["bash", "-c", SHOW_PLAIN, "bash", str(TOP), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    words = [line.split() for line in run.stdout.splitlines() if "--component" in line]
    assert all("--strip" in line and line[3] == "/opt/pqc" for line in words)
    return [(line[1].rpartition("/")[2], line[5]) for line in words]


def test_a_machine_without_ros_gets_stripped_programs_and_no_headers() -> None:
    packages = ("liboqs_vendor", "pqc_tunnel", "pqc_exposure")
    flying = [(name, part) for part in ("programs", "files") for name in packages]
    assert installed("/opt/pqc") == flying
    development = [(name, "development") for name in packages]
    assert installed("--dev", "/opt/pqc") == [*flying, *development]
