# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Check what each package states of itself: licence, version, maintainer, addresses, documents."""

from __future__ import annotations

import re
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

VERSION = r"(\d+\.\d+\.\d+)"
# As REP 132 demands; the tools that make releases find no other.
HEADING = re.compile(rf"^{VERSION} \(\d{{4}}-\d\d-\d\d\)\n-+$", re.MULTILINE)


def package_findings(root: Path, files: list[str], *, fix: bool) -> Iterator[str]:
    """Findings on every package; with `fix`, what project.toml states is written first."""
    project = tomllib.loads((root / "setup" / "project.toml").read_text())
    versions = {}
    for name in (file for file in files if Path(file).name == "package.xml"):
        package = Path(name).parent
        for file, stated in _statements(root, package, project):
            if fix:
                (root / file).write_text(stated)
            if not (root / file).is_file() or (root / file).read_text() != stated:
                yield f"{file}: is not as setup/project.toml and LICENSE say: ./dev lint --fix"
        tree = ElementTree.parse(root / name)
        if tree.findtext("license") != "Apache-2.0":
            yield f"{name}: the licence tag must say Apache-2.0"
        if tree.findtext("name") != package.name:
            yield f"{name}: the package is not named like its folder"
        if name.startswith("src/"):
            versions[name] = tree.findtext("version")
            yield from _document_findings(root, package, versions[name])
    if len(set(versions.values())) > 1:
        yield f"the packages below src/ have several versions: {versions}"


def release_findings(root: Path, files: list[str]) -> Iterator[str]:
    """Findings on what only matters to whoever publishes the packages."""
    project = tomllib.loads((root / "setup" / "project.toml").read_text())
    if project["email"].endswith((".example", ".invalid")):
        yield "setup/project.toml: email is in a reserved domain"
    if not project["repository"]:
        yield "setup/project.toml: repository is empty"
    for name in files:
        if Path(name).name == "CHANGELOG.rst" and re.search(
            r"^Forthcoming$", (root / name).read_text(), re.MULTILINE
        ):
            yield f"{name}: what is under Forthcoming belongs under the version that is released"


def link_findings(root: Path) -> Iterator[str]:
    """Findings on links that lead out of their package; in a release they are dead."""
    for package in sorted(path.parent for path in root.glob("src/*/package.xml")):
        for path in package.rglob("*"):
            if path.is_symlink() and not path.resolve().is_relative_to(package.resolve()):
                yield f"{path.relative_to(root)}: the link leads out of its package"


def _statements(root: Path, package: Path, project: dict[str, str]) -> Iterator[tuple[Path, str]]:
    """Yield the files of a package that repeat the project's data, and their text with it."""
    file = package / "package.xml"
    maintainer = f'<maintainer email="{project["email"]}">{project["maintainer"]}</maintainer>'
    text = re.sub(r"<maintainer .*</maintainer>", maintainer, (root / file).read_text())
    text = re.sub(r"^ *<url .*\n", "", text, flags=re.MULTILINE)
    if address := project["repository"]:
        kinds = {"website": "", "repository": "", "bugtracker": "/issues"}
        urls = "".join(
            f'  <url type="{kind}">{address}{end}</url>\n' for kind, end in kinds.items()
        )
        text = re.sub(
            r"^ *<license.*\n", lambda found: found[0] + urls, text, count=1, flags=re.MULTILINE
        )
    yield file, text
    if package.parts[0] == "src":
        # Packages are released one by one, each with its licence.
        yield package / "LICENSE", (root / "LICENSE").read_text()
    file = package / "setup.py"
    if (root / file).is_file():
        text = (root / file).read_text()
        for key, value in (("maintainer", "maintainer"), ("maintainer_email", "email")):
            text = re.sub(rf'\b{key}="[^"]*"', f'{key}="{project[value]}"', text)
        yield file, text


def _document_findings(root: Path, package: Path, version: str | None) -> Iterator[str]:
    """Findings on one package's README and changelog, and the other places of its version."""
    for name in ("README.md", "CHANGELOG.rst"):
        if not (root / package / name).is_file():
            yield f"{package}: there is no {name}"
            return
    changelog = (root / package / "CHANGELOG.rst").read_text()
    newest = HEADING.search(changelog)
    if newest is None or newest[1] != version or not _all_dated(changelog):
        yield f"{package}/CHANGELOG.rst: does not begin with '{version} (YYYY-MM-DD)'"
    for name in ("setup.py", "CMakeLists.txt"):
        file = root / package / name
        stated = re.search(
            rf"\b(?:version=\"|VERSION ){VERSION}", file.read_text() if file.is_file() else ""
        )
        if stated is not None and stated[1] != version:
            yield f"{package}/{name}: states version {stated[1]} instead of {version}"


def _all_dated(changelog: str) -> bool:
    return len(HEADING.findall(changelog)) == len(
        re.findall(rf"^{VERSION}\b", changelog, re.MULTILINE)
    )
