# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Pages that list what the code has list all of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pqc_bench.harness.measured_nodes import DROPS
from pqc_policy.policy.suites import AEADS

DOCS = Path(__file__).parents[4] / "docs"
if not DOCS.is_dir():
    pytest.skip("needs the source tree", allow_module_level=True)


def lines(page: str, start: str) -> str:
    """Return the lines of a page that begin like this."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if line.startswith(start))


@pytest.mark.parametrize("drop", DROPS)
def test_operations_and_protocol_explain_every_drop(drop: str) -> None:
    assert f"`{drop}`" in lines("operations.md", "| `")
    assert f" {drop}" in lines("protocol.md", "- **Drops**")


def test_the_protocol_has_the_wire_code_of_every_cipher() -> None:
    codes = ", ".join(f"{code} {aead.name}" for code, aead in enumerate(AEADS.values(), 1))
    assert f"| {codes} |" in lines("protocol.md", "| AEAD |")
