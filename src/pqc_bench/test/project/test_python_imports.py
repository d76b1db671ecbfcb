# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Lint's rules of who may import whom, on small workspaces with one mistake each."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

RULES = Path(__file__).parents[4] / "setup" / "python_imports.py"
if not RULES.is_file():
    pytest.skip("needs the source tree", allow_module_level=True)
spec = spec_from_file_location("python_imports", RULES)
assert spec is not None and spec.loader is not None
rules = module_from_spec(spec)
# Where dataclasses look for it.
sys.modules[spec.name] = rules
spec.loader.exec_module(rules)

FLIES, LAB = "wings", "tunnel_of_wind"


class Workspace:
    """A package that flies and one of the lab, which uses it, with nothing wrong."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("setup/lab_packages.txt", f"# Of the lab.\n{LAB}\n")
        self.package(FLIES)
        self.package(LAB, f"<exec_depend>{FLIES}</exec_depend>")
        self.write(f"src/{FLIES}/{FLIES}/lift.py", "import math\n")
        self.write(f"src/{LAB}/{LAB}/fan.py", f"from {FLIES}.lift import lift\n")

    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def package(self, name: str, declared: str = "") -> None:
        self.write(f"src/{name}/package.xml", f"<package><name>{name}</name>{declared}</package>\n")

    def findings(self) -> list[str]:
        files = sorted(file for file in self.root.rglob("*") if file.is_file())
        return list(
            rules.import_findings(self.root, [str(f.relative_to(self.root)) for f in files])
        )


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def test_a_workspace_in_order_has_no_finding(workspace: Workspace) -> None:
    assert workspace.findings() == []


def test_what_flies_may_not_import_the_lab(workspace: Workspace) -> None:
    workspace.write(f"src/{FLIES}/{FLIES}/drag.py", f"import os\nfrom {LAB} import fan\n")
    (finding,) = workspace.findings()
    assert finding == f"src/{FLIES}/{FLIES}/drag.py:2: {FLIES} flies, {LAB} is of the lab"


@pytest.mark.parametrize(
    "line", [f'importorskip("{LAB}.fan")', f'Node(package="{LAB}")', f'share("{LAB}") / "x"']
)
def test_a_name_in_a_string_counts_as_an_import(workspace: Workspace, line: str) -> None:
    workspace.write(f"src/{FLIES}/test/test_lift.py", f"{line}\n")
    assert workspace.findings()[0].endswith(f"{FLIES} flies, {LAB} is of the lab")


def test_what_flies_may_not_depend_on_the_lab_even_for_its_tests(workspace: Workspace) -> None:
    workspace.package(FLIES, f"<test_depend>{LAB}</test_depend>")
    (finding,) = workspace.findings()
    assert finding == f"src/{FLIES}/package.xml: {FLIES} flies, {LAB} is of the lab"


def test_packages_of_the_lab_may_use_each_other(workspace: Workspace) -> None:
    workspace.write("setup/lab_packages.txt", f"{LAB}\nscale\n")
    workspace.package("scale", f"<exec_depend>{LAB}</exec_depend>")
    assert workspace.findings() == []


def test_tests_may_use_helpers_of_the_tests_of_what_their_package_depends_on(
    workspace: Workspace,
) -> None:
    workspace.write(f"src/{FLIES}/test/airflow.py", "")
    workspace.write(f"src/{LAB}/test/test_fan.py", "import airflow\n")
    assert workspace.findings() == []
    workspace.package(LAB)
    workspace.write(f"src/{LAB}/{LAB}/fan.py", "")
    (finding,) = workspace.findings()
    assert finding.endswith("doesn't declare airflow")


def test_an_import_has_to_be_declared_and_tests_may_need_more(workspace: Workspace) -> None:
    workspace.write(f"src/{FLIES}/{FLIES}/table.py", "import yaml\nimport numpy as np\n")
    workspace.write(f"src/{FLIES}/test/helper.py", "import pytest\n")
    workspace.write(f"src/{FLIES}/test/test_table.py", "import helper\nimport serial\n")
    workspace.write(f"src/{FLIES}/test/room/test_chair.py", "import helper\n")
    undeclared = f"src/{FLIES}/package.xml doesn't declare"
    assert workspace.findings() == [
        f"src/{FLIES}/test/helper.py:1: {undeclared} pytest",
        f"src/{FLIES}/test/test_table.py:2: {undeclared} serial",
        f"src/{FLIES}/{FLIES}/table.py:1: {undeclared} yaml",
        f"src/{FLIES}/{FLIES}/table.py:2: {undeclared} numpy",
    ]
    workspace.package(
        FLIES,
        "<exec_depend>python3-yaml</exec_depend><depend>python3-numpy</depend>"
        "<test_depend>python3-pytest</test_depend><export><pip>serial</pip></export>",
    )
    assert workspace.findings() == []
    workspace.write(f"src/{FLIES}/{FLIES}/table.py", "import pytest\n")
    assert workspace.findings() == [f"src/{FLIES}/{FLIES}/table.py:1: {undeclared} pytest"]
