# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What another package adds by an entry point: strategies, detectors, and readers of models.

What learns is in the package pqc_learning, which a drone does without.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from pqc_policy.foreign_fault import sentence
from pqc_policy.shown_text import Fault

LEARNED_STRATEGIES = ("rl", "hybrid")
_LEARNED = (*LEARNED_STRATEGIES, "transformer")


def load_plugin(group: str, what: str, name: str, fault: type[Fault]) -> Any:
    """Return what the entry point `name` of a group refers to; raise `fault` with one sentence."""
    found = tuple(entry_points(group=group, name=name))
    if not found and name in _LEARNED:
        raise fault(f"The {what} {name} is in the package pqc_learning: install it.")
    if not found:
        raise fault(f"There is no {what} {name}.")
    try:
        return found[0].load()
    except Exception as error:  # whatever a foreign package raises
        raise fault(f"The {what} {name} can't be loaded: {sentence(error)}") from error
