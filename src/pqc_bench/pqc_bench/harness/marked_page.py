# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables in a page that a command writes anew, between two marks."""

from __future__ import annotations

from pathlib import Path


def replace_marked(page: Path, begin: str, end: str, lines: list[str]) -> None:
    """Replace what stands between the marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    page.write_text("\n".join([f"{before}{begin}", "", *lines, f"{end}{after}"]), encoding="utf-8")
