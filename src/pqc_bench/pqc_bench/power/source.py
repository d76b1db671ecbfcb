# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The values of --power."""

from __future__ import annotations

import argparse
import shlex

AUTO, NONE, METER = "auto", "none", "meter"


def power_source(text: str) -> str:
    """Return a value of --power; argparse's error if it is none."""
    if text not in (AUTO, NONE, METER) and not text.startswith("--"):
        raise argparse.ArgumentTypeError(
            f"'{text}' is none of {AUTO}, {NONE}, {METER}, and no option of pqc_power_capture"
        )
    try:
        shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' has an open quotation mark") from error
    return text
