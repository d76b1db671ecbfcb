# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Lint's check of the documents, on a small site with one mistake each."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[4] / "setup" / "documents.py"
if not CHECK.is_file():
    pytest.skip("needs the source tree", allow_module_level=True)
spec = spec_from_file_location("documents", CHECK)
assert spec is not None and spec.loader is not None
documents = module_from_spec(spec)
spec.loader.exec_module(documents)

SITE = {
    "docs/site/index.md": "[first](docs/a.md)\n",
    "docs/a.md": "# A title\n## `Code` & more: *a*\n[b](deep/../b.md#two) [here](#a-title)\n",
    "docs/b.md": "# One\n## Two\n## Two\n`[no](link.md)`\n```\n# Three\n[no](link.md)\n```\n",
}


def findings(root: Path, pages: dict[str, str]) -> list[str]:
    for name, text in pages.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "docs" / "deep").mkdir(exist_ok=True)
    names = sorted(pages)
    return list(documents.link_findings(root, names))


def test_a_site_without_mistakes_has_no_findings(tmp_path: Path) -> None:
    assert findings(tmp_path, SITE) == []


@pytest.mark.parametrize(
    ("link", "finding"),
    [
        ("gone.md", "leads to no file"),
        ("b.md#three", "leads to no heading"),
        ("b.md#two-2", "leads to no heading"),
        ("#nowhere", "leads to no heading"),
    ],
)
def test_a_dead_link_is_found(tmp_path: Path, link: str, finding: str) -> None:
    pages = SITE | {"docs/a.md": f"# A title\n[dead]({link})\n"}
    assert findings(tmp_path, pages) == [f"docs/a.md: the link to {link} {finding}"]


@pytest.mark.parametrize("anchor", ["b.md#two-1", "a.md#code--more-a"])
def test_anchors_are_those_of_the_site(tmp_path: Path, anchor: str) -> None:
    pages = SITE | {"docs/c.md": f"[good]({anchor})\n"}
    assert findings(tmp_path, pages) == []
