# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Check the documents without building them: where links lead, and which pages the site lists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath

FENCED = re.compile(r"^(```|:::|~~~).*?^\1[`:~]*[ ]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
SITE = "docs/site/"


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


def page_findings(root: Path, files: list[str]) -> Iterator[str]:
    """Findings on the pages of the site that no table of contents lists."""
    tree = ast.parse((root / SITE / "conf.py").read_text())
    settings = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    included, excluded = (
        [_pattern(text) for text in ast.literal_eval(settings[name])]
        for name in ("include_patterns", "exclude_patterns")
    )
    listed = [
        _pattern(line)
        for entries in TOCTREE.findall((root / SITE / "index.md").read_text())
        for line in entries.splitlines()
        if line and not line.startswith(":")
    ]
    for name in files:
        page = name.rpartition(".")[0]
        on_site = any(pattern.fullmatch(name) for pattern in included)
        if any(pattern.match(name) for pattern in excluded) or not on_site:
            continue
        if not any(pattern.fullmatch(page) for pattern in listed):
            yield f"{name}: no table of contents in {SITE}index.md lists it"


def _pattern(glob: str) -> re.Pattern[str]:
    """Return Sphinx's pattern as an expression: one star stays within a folder, two do not."""
    parts = re.split(r"(\*\*/?|\*|\?|\[[^]]*\])", glob)
    meaning = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    for part in set(parts) - meaning.keys():
        meaning[part] = part if part.startswith("[") else re.escape(part)
    return re.compile("".join(meaning[part] for part in parts))


def _anchors(text: str) -> Iterator[str]:
    """Yield the anchors of a page's headings, as GitHub and MyST make them."""
    seen: dict[str, int] = {}
    for title in HEADING.findall(FENCED.sub("", text)):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = seen[slug] = seen.get(slug, -1) + 1
        yield f"{slug}-{count}" if count else slug
