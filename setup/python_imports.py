# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that packages declare the Python code that they use, and that what flies uses no lab."""

from __future__ import annotations

import ast
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

LAB_LIST = "setup/lab_packages.txt"
TESTING = "pqc_testing"  # the tests of every package may use it
# The Python module of a dependency, unless it is the name without "python3-".
_MODULES = {
    "cyclonedx-python-lib": "cyclonedx",
    "liboqs-python": "oqs",
    "python3-yaml": "yaml",
    "vl-convert-python": "vl_convert",
}
# These are installed with the build tools.
_ALWAYS = frozenset({*sys.stdlib_module_names, "setuptools"})
# Functions that import a module by its name in a string.
_IMPORTING = frozenset({"import_module", "importorskip"})


@dataclass
class Package:
    """A package of the workspace: what its package.xml declares, and its Python files."""

    name: str
    folder: PurePosixPath
    depends: frozenset[str]  # by any tag
    modules: frozenset[str]  # that its programs may import
    test_modules: frozenset[str]  # that its tests may import, too
    optional: frozenset[str]  # packages that it uses where they are installed: <export><optional>
    files: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Use:
    """An import, or a string that is the name of a package of the workspace."""

    name: str  # dotted
    line: int
    imported: bool

    @property
    def root(self) -> str:
        """The package or module that must be installed."""
        return self.name.partition(".")[0]


def import_findings(root: Path, files: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each violation; `files` are the tracked ones, relative to the root."""
    packages = _read_packages(root, list(files))
    lab = set(lab_packages(root))
    for name, package in packages.items():
        if name not in lab:
            for other in sorted(package.depends & lab - {TESTING}):
                yield f"{package.folder}/package.xml: {name} flies, {other} is of the lab"
        helpers = _helpers(package, packages)
        for file in package.files:
            yield from _undeclared(package, file, list(_uses(root / file, packages)), lab, helpers)


def lab_packages(root: Path) -> list[str]:
    """Return the lab packages."""
    lines = (root / LAB_LIST).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _read_packages(root: Path, files: list[str]) -> dict[str, Package]:
    packages = {}
    for name in files:
        if re.fullmatch(r"src/[^/]+/package\.xml", name):
            package = _read_package(root / name, PurePosixPath(name).parent)
            packages[package.name] = package
            package.files = [
                file
                for file in files
                if file.endswith(".py") and file.startswith(f"{package.folder}/")
            ]
    return packages


def _read_package(file: Path, folder: PurePosixPath) -> Package:
    tree = ElementTree.parse(file).getroot()
    declared = {
        (tag.tag, (tag.text or "").strip()) for tag in tree if tag.tag.endswith("depend")
    }
    pip = {(tag.text or "").strip() for tag in tree.iterfind("export/pip")}
    optional = frozenset((tag.text or "").strip() for tag in tree.iterfind("export/optional"))
    name = tree.findtext("name", "")

    def modules(test: bool) -> frozenset[str]:
        known = {dep for tag, dep in declared if test or tag != "test_depend"} | optional
        return frozenset(
            {_MODULES.get(dep, dep.removeprefix("python3-")) for dep in known | pip} | {name}
        )

    depends = frozenset(dependency for _, dependency in declared)
    return Package(name, folder, depends, modules(False), modules(True), optional)


def _uses(file: Path, packages: dict[str, Package]) -> Iterator[Use]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Use(alias.name, node.lineno, True)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            for alias in node.names:
                yield Use(f"{node.module}.{alias.name}", node.lineno, True)
        elif isinstance(node, ast.Call) and _imports(node):
            argument = node.args[0]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield Use(argument.value, node.lineno, True)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch(r"\w+(\.\w+)*", node.value)
            and node.value.partition(".")[0] in packages
        ):
            yield Use(node.value, node.lineno, False)


def _imports(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in _IMPORTING and bool(call.args)


def _undeclared(
    package: Package, file: str, uses: list[Use], lab: set[str], helpers: frozenset[str]
) -> Iterator[str]:
    path = PurePosixPath(file)
    allowed = package.modules | _ALWAYS
    if "test" in path.parts:
        # Tests import their helpers by name alone, those of the folders above too, and strings in
        # tests may name any package.
        beside = {
            PurePosixPath(one).stem
            for one in package.files
            if path.parent in _parents(one) or PurePosixPath(one).parent in path.parents
        }
        allowed |= package.test_modules | beside | helpers
        allowed |= {use.root for use in uses if not use.imported}
    reported: set[tuple[int, str]] = set()
    for use in uses:
        place = (use.line, use.root)
        if place in reported:
            continue
        tested = use.root == TESTING and "test" in path.parts
        if use.root in lab and package.name not in lab and not tested:
            reported.add(place)
            yield f"{file}:{use.line}: {package.name} flies, {use.root} is of the lab"
        elif use.root not in allowed:
            reported.add(place)
            yield f"{file}:{use.line}: {package.folder}/package.xml doesn't declare {use.root}"


def _helpers(package: Package, packages: dict[str, Package]) -> frozenset[str]:
    """Return the modules in the test folders of the packages that a package depends on."""
    files = (file for name in package.depends & packages.keys() for file in packages[name].files)
    return frozenset(PurePosixPath(file).stem for file in files if "/test/" in file)


def _parents(file: str) -> tuple[PurePosixPath, ...]:
    return tuple(PurePosixPath(file).parents)
