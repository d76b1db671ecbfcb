# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Check the documents without building them: where links lead, and that named evidence exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath

FENCED = re.compile(r"^(```|:::|~~~).*?^\1[`:~]*[ ]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
SITE = "docs/site/"
_NAMES = r"((?:`\w+`(?:,\s+and\s+|,\s+|\s+and\s+)?)+)"
TEST = re.compile(r"`(test_(?!depend`)\w+)(?:\.(?:py|cpp))?`")
PLANTED = re.compile(rf"planted\s+mistakes?\s+{_NAMES}")
MODEL = re.compile(rf"models?\s+{_NAMES}")
MISTAKES = "src/pqc_tunnel/test/simulator/planted_mistakes.hpp"


def link_findings(root: Path, files: list[str]) -> Iterator[str]:
    """Findings on the links of all Markdown files; those of the site's page are from the root."""
    pages = {name: (root / name).read_text() for name in files if name.endswith(".md")}
    anchors = {name: set(_anchors(text)) for name, text in pages.items()}
    for name, text in pages.items():
        folder = PurePosixPath() if name.startswith(SITE) else PurePosixPath(name).parent
        for target in LINK.findall(CODE.sub("", FENCED.sub("", text))):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            place = normpath(folder / path) if path else name
            if not (root / place).exists():
                yield f"{name}: the link to {target} leads to no file"
            elif anchor and anchor not in anchors.get(place, ()):
                yield f"{name}: the link to {target} leads to no heading"


def evidence_findings(root: Path, files: list[str]) -> Iterator[str]:
    """Findings on tests, planted mistakes and models that documents name and that are none."""
    tests = {PurePosixPath(name).stem for name in files if not name.endswith(".md")}
    mistakes = set(re.findall(r'"(\w+)"', (root / MISTAKES).read_text()))
    models = {PurePosixPath(name).name.split(".")[0] for name in files if "formal/" in name}
    kinds = (
        ("test", TEST, tests), ("planted mistake", PLANTED, mistakes), ("model", MODEL, models),
    )  # fmt: skip
    for name in (name for name in files if name.endswith(".md")):
        text = FENCED.sub("", (root / name).read_text())
        for kind, pattern, known in kinds:
            named = set(re.findall(r"\w+", " ".join(pattern.findall(text)))) - {"and"}
            yield from (f"{name}: there is no {kind} {one}" for one in sorted(named - known))


def _anchors(text: str) -> Iterator[str]:
    """Yield the anchors of a page's headings, as GitHub and MyST make them."""
    seen: dict[str, int] = {}
    for title in HEADING.findall(FENCED.sub("", text)):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = seen[slug] = seen.get(slug, -1) + 1
        yield f"{slug}-{count}" if count else slug
