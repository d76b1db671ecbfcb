# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""metrics.json on disk: written atomically, rejected if it was altered."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from pqc_policy.named_files import FileFault, read_document
from pqc_policy.shown_text import Fault

from pqc_bench.metrics.canonical import digest, seal
from pqc_bench.metrics.schema import problems

NAME = "metrics.json"
_MOST_BYTES = 64 << 20


class MetricsFault(Fault):
    """An invalid or altered metrics file; the message is one sentence."""


def write_metrics(path: Path, metrics: dict[str, Any]) -> dict[str, Any]:
    """Seal, check and write metrics, atomically; return what was written, or raise MetricsFault."""
    try:
        sealed = seal(metrics)
    except ValueError as error:
        raise MetricsFault(f"{path.name} can't be written: {error}") from error
    _reject_if(path, problems(sealed), "doesn't follow the schema")
    new = path.with_name(f".{path.name}.{os.getpid()}")
    with new.open("w", encoding="utf-8") as file:
        json.dump(sealed, file, indent=1, ensure_ascii=False, allow_nan=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    return sealed


def read_metrics(path: Path) -> dict[str, Any]:
    """Return the metrics of a file, or raise MetricsFault: unreadable, altered or not valid."""
    try:
        metrics = read_document(path, _MOST_BYTES)
    except FileFault as fault:
        raise MetricsFault(f"{path} {fault}") from fault
    validation = metrics.get("r_validation", {}) if isinstance(metrics, dict) else {}
    if not isinstance(validation, dict) or "sha256" not in validation:
        raise MetricsFault(f"{path} has no hash, so an alteration cannot be excluded")
    try:
        right = digest(metrics)
    except ValueError as error:
        raise MetricsFault(f"{path} contains an invalid value: {error}") from error
    if validation["sha256"] != right:
        raise MetricsFault(f"{path} was altered after it was written: its hash doesn't match")
    _reject_if(path, problems(metrics), "doesn't follow the schema")
    return metrics


def _reject_if(path: Path, found: list[str], fault: str) -> None:
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise MetricsFault(f"{path} {fault}: {found[0]}{more}")
