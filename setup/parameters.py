# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Write the parameter files of config/ and docs/parameters.md from the tables of the nodes.

A node's table is a list of records: name, type, default, low, high, unit, description, section and
live, or the end that has it. Those of the policy's nodes are in Python
(`pqc_policy.parameter_tables`); the tunnel's program prints its own (`pqc parameters --json`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src" / "pqc_policy"))

from pqc_policy.parameter_tables import TABLES  # noqa: E402
from pqc_policy.parameters import Parameter  # noqa: E402
from pqc_policy.policy.suites import DEFAULT_SUITE  # noqa: E402

REFERENCE = "docs/parameters.md"
SHIPPED = ROOT / "setup" / "shipped_parameters.yaml"
Table = Sequence[Parameter]
Tables = Mapping[str, Table]

_LINK = "link.NAME."  # parameters of each of several links
_WIDTH = 120  # of a line of a parameter file
_COLUMN = 40  # last column in which a comment may begin


@dataclass(frozen=True)
class TunnelParameter(Parameter):
    """A parameter of the tunnel's program, whose role is drone or gcs."""

    end: str = "both"


@dataclass(frozen=True)
class Shipped:
    """The entry of a parameter file in place of a default."""

    value: Any = None  # None: the default
    note: str = ""  # follows the description
    example: bool = False  # commented out


@dataclass(frozen=True)
class Node:
    """A node: its name in the graph and of its table, and its values in the parameter file."""

    name: str
    end: str  # of the tunnel
    shipped: Mapping[str, Shipped]


@dataclass(frozen=True)
class ParameterFile:
    """A parameter file that users start from."""

    path: str
    header: str
    nodes: tuple[Node, ...]


def parameter_files() -> list[ParameterFile]:
    """Return the parameter files to write, as setup/shipped_parameters.yaml describes them."""
    text = SHIPPED.read_text(encoding="utf-8").replace("DEFAULT_SUITE", DEFAULT_SUITE)
    return [
        ParameterFile(entry["file"], entry["header"], tuple(_node(**n) for n in entry["nodes"]))
        for entry in yaml.safe_load(text)
    ]


def _node(name: str, end: str = "", shipped: Mapping[str, Any] | None = None) -> Node:
    values = {
        key: Shipped(**value) if isinstance(value, dict) else Shipped(value)
        for key, value in (shipped or {}).items()
    }
    return Node(name, end, values)


def all_tables(pqc: Path) -> dict[str, Table]:
    """Return the table of every node; the built program `pqc` prints that of the tunnel."""
    command = [str(pqc), "parameters", "--json"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {"tunnel": parse_records(printed), **TABLES}


def parse_records(text: str) -> Table:
    """Return the table that a program printed as JSON."""
    table = []
    for record in json.loads(text):
        if record.pop("type") == "double":
            record["default"] = float(record["default"])
        table.append(TunnelParameter(live=False, **record))
    return table


def generated(tables: Tables) -> dict[str, str]:
    """Return the text of every generated file, by its path from the root."""
    texts = {file.path: _parameter_file(file, tables) for file in parameter_files()}
    return {**texts, REFERENCE: _reference(tables)}


def stale(root: Path, texts: Mapping[str, str]) -> list[str]:
    """Return the paths of the files that are not as generated."""
    return [
        path
        for path, text in texts.items()
        if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text
    ]


def findings(root: Path, tables: Tables, *, fix: bool) -> Iterator[str]:
    """Yield a sentence for every stale file, or write them."""
    texts = generated(tables)
    for path in stale(root, texts):
        if fix:
            (root / path).write_text(texts[path], encoding="utf-8")
        else:
            yield f"{path}: differs from the parameter tables: run ./dev lint --fix"


def _parameter_file(file: ParameterFile, tables: Tables) -> str:
    lines = [f"# {line}".rstrip() for line in file.header.splitlines()]
    for index, node in enumerate(file.nodes):
        table = [
            entry
            for entry in tables[node.name]
            if not entry.name.startswith(_LINK)  # the files configure one link
            if not isinstance(entry, TunnelParameter) or entry.end in ("both", node.end)
        ]
        _check_shipped(file.path, node.shipped, {entry.name: entry for entry in table})
        lines += [""] * (index > 0) + [f"/**/{node.name}:", "  ros__parameters:"]
        lines += _section_lines(table, node.shipped)
    return "\n".join(lines) + "\n"


def _check_shipped(
    path: str, shipped: Mapping[str, Shipped], table: Mapping[str, Parameter]
) -> None:
    """Raise ValueError for a shipped value without its parameter, or one that is not allowed."""
    for name, setting in shipped.items():
        if name not in table:
            raise ValueError(f"{SHIPPED.name}: {path} has no parameter {name}")
        if setting.value is not None:
            table[name].checked(setting.value)


def _section_lines(table: Table, shipped: Mapping[str, Shipped]) -> Iterator[str]:
    mark_fixed = any(entry.live for entry in table)
    settings = {entry.name: _setting(entry, shipped.get(entry.name, Shipped())) for entry in table}
    column = min(_COLUMN, max(map(len, settings.values())) + 2)
    for number, section in enumerate(dict.fromkeys(entry.section for entry in table)):
        if number:
            yield ""
        yield f"    # --- {section} ---"
        for entry in table:
            if entry.section == section:
                note = shipped.get(entry.name, Shipped())
                comment = _comment(entry, note, mark_fixed)
                yield from _commented(settings[entry.name], comment, column)


def _setting(entry: Parameter, shipped: Shipped) -> str:
    value = entry.default if shipped.value is None else shipped.value
    return f"    {'# ' if shipped.example else ''}{entry.name}: {_yaml(value)}"


def _comment(entry: Parameter, shipped: Shipped, mark_fixed: bool) -> str:
    differs = shipped.value not in (None, entry.default) and not shipped.example
    marks = (entry.unit, "fixed" * (mark_fixed and not entry.live), "set here" * differs)
    in_brackets = ", ".join(mark for mark in marks if mark)
    prefix = f"[{in_brackets}] " if in_brackets else ""
    return f"{prefix}{entry.description} {shipped.note}".strip()


def _commented(setting: str, comment: str, column: int) -> Iterator[str]:
    # The comment precedes the setting if both are long.
    at = max(column, len(setting) + 2)
    if at > column and at + 2 + len(comment) > _WIDTH:
        for line in textwrap.wrap(comment, _WIDTH - 6):
            yield f"    # {line}"
        yield setting
        return
    first, *others = textwrap.wrap(comment, _WIDTH - at - 2)
    yield f"{setting:<{at}}# {first}"
    for line in others:
        yield f"{'':<{at}}# {line}"


def _yaml(value: Any) -> str:
    # ROS has no empty list; the nodes ignore empty texts in lists.
    listed = [""] if value == [] else value
    return yaml.safe_dump([listed], default_flow_style=True, width=10**6).strip()[1:-1]


def _reference(tables: Tables) -> str:
    lines = [
        "# Parameters",
        "",
        "Every parameter of the nodes, with its default. `./dev lint --fix` generates this page",
        "and the files in `config/` from the tables in the code. *Live* parameters can be changed",
        "while the node runs; those of the tunnel are of one *end*, its `role`, or of both. A node",
        "also has `diagnostic_updater.period` of its library, the seconds between messages on",
        "`/diagnostics`.",
    ]
    for name, table in tables.items():
        last = "End" if name == "tunnel" else "Live"
        lines += [
            "",
            f"## {name.capitalize()}",
            "",
            f"| Name | Default | Range | Unit | Description | {last} |",
            "|---|---|---|---|---|---|",
            *(_row(entry) for entry in table),
        ]
    return "\n".join(lines) + "\n"


def _row(entry: Parameter) -> str:
    default = json.dumps(entry.default, ensure_ascii=False)
    cells = (
        f"`{entry.name}`",
        f"`{default}`",
        entry.constraint,
        entry.unit,
        entry.description,
        entry.end if isinstance(entry, TunnelParameter) else "yes" * entry.live,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
