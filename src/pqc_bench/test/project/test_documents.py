# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Lint's check of the documents, on a small site with one mistake each; pages that list code."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from pqc_bench.harness.measured_nodes import DROPS
from pqc_policy.policy.suites import AEADS

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


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("`test_wire`, `test_wire.cpp`, model `one`, planted\nmistakes `early` and `late`", None),
        ("`test_gone`", "there is no test test_gone"),
        ("planted mistakes `early`, `never`", "there is no planted mistake never"),
        ("models `one` and `two`", "there is no model two"),
    ],
)
def test_evidence_that_a_document_names_exists(
    tmp_path: Path, text: str, finding: str | None
) -> None:
    files = {
        documents.MISTAKES: '{"early"}, {"late"}',
        "src/a/test/test_wire.cpp": "",
        "formal/b/one.vp.in": "",
        "docs/a.md": text,
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    found = list(documents.evidence_findings(tmp_path, sorted(files)))
    assert found == ([f"docs/a.md: {finding}"] if finding else [])


@pytest.mark.parametrize("anchor", ["b.md#two-1", "a.md#code--more-a"])
def test_anchors_are_those_of_the_site(tmp_path: Path, anchor: str) -> None:
    pages = SITE | {"docs/c.md": f"[good]({anchor})\n"}
    assert findings(tmp_path, pages) == []


def test_pages_have_every_drop_and_the_wire_code_of_every_cipher() -> None:
    docs = CHECK.parents[1] / "docs"
    protocol = (docs / "protocol.md").read_text(encoding="utf-8")
    (drops,) = (line for line in protocol.splitlines() if line.startswith("- **Drops**"))
    assert [name for name in DROPS if f" {name}" not in drops] == []
    counters = (docs / "operations.md").read_text(encoding="utf-8").split("`status.drops`:")[1]
    assert [name for name in DROPS if f"`{name}`" not in counters] == []
    codes = ", ".join(f"{code} {aead.name}" for code, aead in enumerate(AEADS.values(), 1))
    assert f"| AEAD | {codes} |" in protocol
