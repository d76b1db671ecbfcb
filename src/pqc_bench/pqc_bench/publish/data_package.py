# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The description of a published folder as a Frictionless data package, and its check."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

DESCRIPTION = "datapackage.json"
_PROFILE = "data-package"


def describe(
    folder: Path, head: Mapping[str, Any], fields: Mapping[str, Mapping[str, str]]
) -> None:
    """Write datapackage.json; `fields` has what the columns of each table mean, by its name."""
    tables = [*sorted(folder.glob("tables/*.csv")), *sorted(folder.glob("cells/**/*.csv*"))]
    resources = [
        _resource(file, folder, fields.get(file.stem, {}))
        for file in tables
        if _content(file).count(b"\n") > 1
    ]
    package = {"profile": _PROFILE, **head, "resources": resources}
    text = json.dumps(package, indent=1, ensure_ascii=False)
    (folder / DESCRIPTION).write_text(f"{text}\n", encoding="utf-8")


def faults_of(folder: Path) -> list[str]:
    """Return what Frictionless finds wrong with a folder's description or data."""
    # It takes a second to import, and only publishing needs it.
    from frictionless import Package

    report = Package(str(folder / DESCRIPTION)).validate()
    found = [(DESCRIPTION, error) for error in report.errors]
    found += [(task.place, error) for task in report.tasks for error in task.errors]
    return [f"{place}: {error.message}" for place, error in found]


def column_type(values: list[str]) -> str:
    """Return the type of a column of a CSV table; a column without values is one of text."""
    known = [value for value in values if value]
    tests: list[tuple[str, Callable[[str], object]]] = [
        ("boolean", lambda text: {"true": True, "false": True}[text]),
        ("integer", int),
        ("number", float),
    ]
    for name, read in tests:
        if known and all(_reads(read, value) for value in known):
            return name
    return "string"


def _reads(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except (ValueError, KeyError):
        return False
    return True


def _resource(file: Path, folder: Path, meanings: Mapping[str, str]) -> dict[str, Any]:
    content = file.read_bytes()
    head, *rows = csv.reader(io.StringIO(_content(file).decode("utf-8")))
    columns = zip(head, zip(*rows, strict=True), strict=True)
    return {
        "name": _name(file.relative_to(folder)),
        "type": "table",
        "path": str(file.relative_to(folder)),
        "scheme": "file",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        **_identity(file, content),
        "schema": {
            "fields": [_field(name, list(values), meanings) for name, values in columns],
            "missingValues": [""],
        },
    }


def _name(path: Path) -> str:
    stem = str(path).removesuffix(".gz").removesuffix(".csv")
    return re.sub(r"[^a-z0-9._/-]+", "-", stem.lower())


def _content(file: Path) -> bytes:
    content = file.read_bytes()
    return gzip.decompress(content) if file.suffix == ".gz" else content


def _identity(file: Path, content: bytes) -> dict[str, Any]:
    # Frictionless counts the bytes of a compressed file after it has opened it.
    if file.suffix == ".gz":
        return {"compression": "gz"}
    return {"bytes": len(content), "hash": f"sha256:{hashlib.sha256(content).hexdigest()}"}


def _field(name: str, values: list[str], meanings: Mapping[str, str]) -> dict[str, str]:
    field = {"name": name, "type": column_type(values)}
    return field | ({"description": meanings[name]} if meanings.get(name) else {})
