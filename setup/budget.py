# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Compare the size of the project with the ceilings of setup/budget.toml."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

SOURCE = (".cpp", ".hpp", ".py")
# Shell scripts count where they are the product.
SCRIPTS = re.compile(r"setup/[^/]+\.bash|dev|\.ci/run")
TEST = {"test", "fuzz"}
TUNNEL = "src/pqc_tunnel/src/protocol/tunnel/tunnel.hpp"
PARAMETERS = "docs/parameters.md"
_GENERATED = re.compile(r"<!-- (\w+) -->.*?<!-- end of \1 -->", re.S)


def budget_findings(root: Path, files: list[str]) -> Iterator[str]:
    """Findings on what is larger than its ceiling, and on ceilings of what is gone."""
    budget = tomllib.loads((root / "setup/budget.toml").read_text())
    yield from _compare("lines", budget["lines"], _lines(root, files))
    folders = Counter(str(PurePosixPath(name).parent) for name in files if _is_source(name))
    ceilings = {folder: budget["files_per_folder"]["any"] for folder in folders}
    yield from _compare("files", ceilings | budget["files_per_folder"]["larger"], folders)
    measured = {
        "tunnel_methods": len(public_methods((root / TUNNEL).read_text(), "Tunnel")),
        "parameters": len(re.findall(r"^\| `", (root / PARAMETERS).read_text(), re.M)),
        "words_of_documents": _words(root, files),
    }
    yield from _compare("in total", budget["totals"], measured)


def _compare(unit: str, ceilings: dict[str, int], measured: dict[str, int]) -> Iterator[str]:
    for name in sorted(ceilings.keys() | measured.keys()):
        if name not in measured:
            yield f"setup/budget.toml has a ceiling for {name}, which does not exist"
        elif name not in ceilings:
            yield f"setup/budget.toml has no ceiling for {name} ({measured[name]} {unit})"
        elif measured[name] > ceilings[name]:
            yield f"{name}: {measured[name]} {unit}, more than the ceiling of {ceilings[name]}"


def _is_source(name: str) -> bool:
    return name.endswith(SOURCE) or SCRIPTS.fullmatch(name) is not None


def _lines(root: Path, files: list[str]) -> Counter[str]:
    """Lines of each package, as 'pqc_tunnel' and 'pqc_tunnel/test'."""
    lines: Counter[str] = Counter()
    for name in filter(_is_source, files):
        path = PurePosixPath(name)
        package = path.parts[1] if path.parts[0] == "src" else path.parts[0]
        if package not in ("underlay", "docs") and path.parts[0] != "src":
            package = "setup"
        tested = "/test" if TEST & set(path.parts) else ""
        lines[package + tested] += len((root / name).read_text().splitlines())
    return lines


def public_methods(text: str, name: str) -> list[str]:
    """Names of a C++ class's public methods, without those that make, move and end it."""
    found = re.search(rf"^class {name}\n{{\npublic:\n(.*?)^(?:private:|}};)", text, re.M | re.S)
    if found is None:
        raise ValueError(f"there is no class {name}")
    public = re.sub(r"//.*", "", found.group(1))
    public = re.sub(r"\{[^{}]*\}", ";", public)
    declared = re.findall(r"(\w+) *\([^;]*;", public)
    return [method for method in declared if method != name]


def _words(root: Path, files: list[str]) -> int:
    """Words of the documents that are written by hand, without tables and what commands write."""
    return sum(
        len(line.split())
        for name in files
        if name.endswith(".md") and name != PARAMETERS
        for line in _GENERATED.sub("", (root / name).read_text()).splitlines()
        if not line.startswith("|")
    )
