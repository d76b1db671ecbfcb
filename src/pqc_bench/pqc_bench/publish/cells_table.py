# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""All cells of a run as one table: a row for each, a column for each metric of the schema."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from pqc_bench.cell.short_code import code_of
from pqc_bench.metrics.schema import resolve, schema
from pqc_bench.report.run_data import Sample

_SCALARS = {"string", "number", "integer", "boolean"}
_CODE = ("code", "Short code of the suite, as in the earlier papers.")


def cells_table(samples: Sequence[Sample]) -> tuple[str, dict[str, str]]:
    """Return the table as CSV, and what each column means; an empty field was not measured.

    Lists and counts by name stand in the cells' metrics.json alone.
    """
    columns = dict(_leaves("", schema()))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_CODE[0], *columns])
    for one in samples:
        values = [_shown(one.get(path)) for path in columns]
        writer.writerow([code_of(one.get("a_run_context.suite")), *values])
    return text.getvalue(), dict([_CODE]) | columns


def _leaves(path: str, part: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, inner in part.get("properties", {}).items():
        below, found = f"{path}.{name}".lstrip("."), resolve(inner)
        kinds = found.get("type", "string")
        if "properties" in found:
            yield from _leaves(below, found)
        elif _SCALARS & set([kinds] if isinstance(kinds, str) else kinds):
            yield below, found.get("description", "")


def _shown(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else value
