# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The canonical bytes of metrics, and their hash."""

from __future__ import annotations

import hashlib
import json
from typing import Any

_VALIDATION = "r_validation"
_HASH = "sha256"


def canonical_json(value: Any) -> bytes:
    """Return JSON with sorted names, without spaces, in UTF-8; ValueError for NaN and infinity."""
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return text.encode()


def digest(metrics: dict[str, Any]) -> str:
    """Return the SHA-256, in hexadecimal, of the metrics without their own hash."""
    validation = {
        name: value for name, value in metrics.get(_VALIDATION, {}).items() if name != _HASH
    }
    return hashlib.sha256(canonical_json({**metrics, _VALIDATION: validation})).hexdigest()


def seal(metrics: dict[str, Any]) -> dict[str, Any]:
    """Return the metrics with their hash."""
    return {**metrics, _VALIDATION: {**metrics.get(_VALIDATION, {}), _HASH: digest(metrics)}}
