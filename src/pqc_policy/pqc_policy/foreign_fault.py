# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Puts into words what another package's detector or strategy has raised."""

from pqc_policy.shown_text import shown


def sentence(fault: Exception) -> str:
    text = " ".join(str(fault).split()) or type(fault).__name__
    return f"{shown(text).rstrip('.')}."
