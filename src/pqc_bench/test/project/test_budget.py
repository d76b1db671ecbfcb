# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Lint's ceilings of size (setup/budget.toml), on a small project."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[4] / "setup" / "budget.py"
if not CHECK.is_file():
    pytest.skip("needs the source tree", allow_module_level=True)
spec = spec_from_file_location("budget", CHECK)
assert spec is not None and spec.loader is not None
budget = module_from_spec(spec)
spec.loader.exec_module(budget)

TUNNEL = """\
class Tunnel
{
public:
  struct Config
  {
    int mtu = 0;
  };
  Tunnel(Tunnel &&) noexcept;
  ~Tunnel();
  // Opens a datagram: see is_hello().
  Opened open(
    Bytes datagram, Instant now);
  bool has_keys() const { return keys_; }

private:
  void hidden();
};
"""
FILES = {
    budget.TUNNEL: TUNNEL,
    budget.PARAMETERS: "Words of a generated page.\n\n| Name |\n|---|\n| `role` |\n",
    "src/pqc_tunnel/test/test_tunnel.cpp": "int main() {}\n",
    "README.md": "Three words here\n\n| in | a | table |\n"
    "<!-- run -->\nof a run\n<!-- end of run -->\n",
    "setup/setup.bash": "true\n",
    "setup/apt.txt": "not a source\n",
}
BUDGET = """\
[lines]
pqc_tunnel = 17
"pqc_tunnel/test" = 1
setup = 1
[files_per_folder]
any = 1
larger = {}
[totals]
tunnel_methods = 2
parameters = 1
words_of_documents = 3
"""


def findings(root: Path, ceilings: str = BUDGET) -> list[str]:
    for name, text in {**FILES, "setup/budget.toml": ceilings}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return list(budget.budget_findings(root, list(FILES)))


def test_a_project_at_its_ceilings_has_no_finding(tmp_path: Path) -> None:
    assert findings(tmp_path) == []


@pytest.mark.parametrize(
    ("ceiling", "lower", "told"),
    [
        ("pqc_tunnel = 17", "pqc_tunnel = 16", "pqc_tunnel: 17 lines, more than"),
        ('test" = 1', 'test" = 0', "pqc_tunnel/test: 1 lines, more than"),
        ("any = 1", "any = 0", "setup: 1 files, more than"),
        ("methods = 2", "methods = 1", "tunnel_methods: 2 in total, more than"),
        ("parameters = 1", "parameters = 0", "parameters: 1 in total, more than"),
        ("documents = 3", "documents = 2", "words_of_documents: 3 in total, more than"),
        ("setup = 1", "", "no ceiling for setup"),
        ("setup = 1", "setup = 1\ngone = 1", "a ceiling for gone, which does not exist"),
    ],
)
def test_every_ceiling_is_compared(tmp_path: Path, ceiling: str, lower: str, told: str) -> None:
    assert any(told in finding for finding in findings(tmp_path, BUDGET.replace(ceiling, lower)))


def test_a_larger_folder_has_its_own_ceiling(tmp_path: Path) -> None:
    larger = '{"setup" = 1, "src/pqc_tunnel/test" = 1, "src/pqc_tunnel/src/protocol/tunnel" = 1}'
    ceilings = BUDGET.replace("any = 1", "any = 0").replace("larger = {}", f"larger = {larger}")
    assert findings(tmp_path, ceilings) == []
