# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import yaml

GENERATOR = Path(__file__).parents[3] / "setup" / "parameters.py"
if not GENERATOR.is_file():
    pytest.skip("needs the source tree", allow_module_level=True)
spec = spec_from_file_location("parameter_generator", GENERATOR)
assert spec is not None and spec.loader is not None
generator = module_from_spec(spec)
# dataclasses look modules up in sys.modules.
sys.modules[spec.name] = generator
spec.loader.exec_module(generator)

# As `pqc parameters --json` prints them.
RECORDS = [
    {"name": "role", "type": "string", "default": "", "section": "Node", "end": "both",
     "description": "End of the tunnel."},
    {"name": "allowed_suites", "type": "string_array", "default": [], "section": "Suites",
     "end": "both", "description": "Suites that may be used."},
    {"name": "peer_timeout_s", "type": "double", "default": 3, "low": 0.5, "high": 3600,
     "unit": "s", "section": "Times", "end": "drone", "description": "Longest silence."},
]  # fmt: skip
TUNNEL = generator.parse_records(json.dumps(RECORDS))
TABLES = {"tunnel": TUNNEL, **generator.TABLES}


@pytest.fixture(autouse=True)
def shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Keep of the shipped values of the tunnel those of the parameters above."""
    files = yaml.safe_load(generator.SHIPPED.read_text())
    for file in files[:2]:
        node = file["nodes"][0]
        names = {entry.name for entry in TUNNEL} & node["shipped"].keys()
        node["shipped"] = {name: node["shipped"][name] for name in names}
    kept = tmp_path / "shipped.yaml"
    kept.write_text(yaml.safe_dump(files))
    monkeypatch.setattr(generator, "SHIPPED", kept)
    return kept


@pytest.fixture
def texts() -> dict[str, str]:
    written: dict[str, str] = generator.generated(TABLES)
    return written


def section(text: str, node: str) -> dict[str, Any]:
    values: dict[str, Any] = yaml.safe_load(text)[f"/**/{node}"]["ros__parameters"]
    return values


def test_a_table_from_a_program_becomes_a_parameter_file(texts: dict[str, str]) -> None:
    drone = texts["config/drone.yaml"]
    assert section(drone, "tunnel") == {
        "role": "drone",
        "peer_timeout_s": 3.0,
    }
    assert section(texts["config/gcs.yaml"], "tunnel") == {"role": "gcs"}
    assert "# allowed_suites: [cs-mlkem768-aesgcm-mldsa65]" in drone
    assert "[set here] End of the tunnel." in drone
    assert "[s] Longest silence." in drone


def test_the_page_has_every_parameter_with_range_and_unit(texts: dict[str, str]) -> None:
    page = texts["docs/parameters.md"]
    row = "| `peer_timeout_s` | `3.0` | from 0.5 to 3600 | s | Longest silence. | drone |"
    assert row in page.splitlines()
    for table in TABLES.values():
        for entry in table:
            assert f"| `{entry.name}` |" in page


def test_a_changed_file_is_reported_and_written_again(tmp_path: Path) -> None:
    for folder in ("config", "docs"):
        (tmp_path / folder).mkdir()
    assert list(generator.findings(tmp_path, TABLES, fix=True)) == []
    assert list(generator.findings(tmp_path, TABLES, fix=False)) == []
    file = tmp_path / "config" / "policy.yaml"
    file.write_text(file.read_text().replace("stale_s: 2.0", "stale_s: 3.0"))
    (finding,) = generator.findings(tmp_path, TABLES, fix=False)
    assert finding.startswith("config/policy.yaml: ") and "./dev lint --fix" in finding


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("role: drone", "rule: drone", "config/drone.yaml has no parameter rule"),
        ("role: drone", "role: 3", "role is 3"),
    ],
)
def test_a_shipped_value_needs_a_parameter_that_allows_it(
    shipped: Path, before: str, after: str, sentence: str
) -> None:
    text = shipped.read_text()
    assert before in text
    shipped.write_text(text.replace(before, after))
    with pytest.raises(ValueError, match=sentence):
        generator.generated(TABLES)
