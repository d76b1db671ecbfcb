# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A trained agent: a table of weights, as a text file that is checked before it is used.

The file is JSON of format 1: `columns` (what the agent sees, view.py, with the names of its
bins), `weights` (of each choice, a number for each bin of each column), `card` (what it was trained
with, and how well it does), and `sha256` of all this. The value of a choice is the sum of the
weights of the bins that are seen. Nothing but numbers is read: no library for training is needed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from operator import getitem
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from pqc_policy.named_files import FileFault, from_json, read_text
from pqc_policy.shown_text import Fault

from pqc_learning.agent.choice import Choice
from pqc_learning.agent.view import COLUMNS, View

FORMAT = 1
SHIPPED = Path(__file__).with_name("flight_agent.json")
_FIELDS = {"format", "card", "columns", "weights", "sha256"}


class AgentFault(Fault):
    """A table that can't be used; the message is one sentence."""


class Agent(Protocol):
    """Prefers one choice to another; it never acts by itself."""

    def values(self, view: View) -> Mapping[str, float]:
        """Return the value of each choice."""

    def because(self, view: View, one: str, other: str) -> tuple[tuple[str, float], ...]:
        """Return what speaks most for one choice against another: the bin, and by how much."""


@dataclass(frozen=True)
class AgentTable:
    """A table that has passed its checks."""

    card: Mapping[str, Any]
    weights: Mapping[str, tuple[tuple[float, ...], ...]]  # by choice, then column, then bin

    def values(self, view: View) -> Mapping[str, float]:
        return {
            choice: sum(map(getitem, columns, view)) for choice, columns in self.weights.items()
        }

    def because(self, view: View, one: str, other: str) -> tuple[tuple[str, float], ...]:
        """Return the two bins that speak most for one choice against another."""
        found = [
            (f"{column.name} {column.bins[number]}", first[number] - second[number])
            for column, number, first, second in zip(
                COLUMNS, view, self.weights[one], self.weights[other], strict=True
            )
        ]
        return tuple(sorted(found, key=lambda each: -each[1])[:2])


def digest_of(document: Mapping[str, Any]) -> str:
    """Return the hash of a document, but for its own."""
    hashed = {name: value for name, value in document.items() if name != "sha256"}
    text = json.dumps(hashed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


def table_text(card: Mapping[str, Any], weights: Mapping[str, Any]) -> str:
    """Return the file of a table: one line of text for each column of each choice."""
    columns = {column.name: list(column.bins) for column in COLUMNS}
    document: dict[str, Any] = {
        "format": FORMAT,
        "card": card,
        "columns": columns,
        "weights": {
            choice: {
                column.name: [float(number) for number in numbers]
                for column, numbers in zip(COLUMNS, weights[choice], strict=True)
            }
            for choice in Choice
        },
    }
    document["sha256"] = digest_of(document)

    def listed(table: Mapping[str, Any]) -> str:
        rows = (
            f"   {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in table.items()
        )
        return "{\n" + ",\n".join(rows) + "\n  }"

    by_choice = ",\n".join(
        f"  {json.dumps(choice)}: {listed(table)}" for choice, table in document["weights"].items()
    )
    card_text = json.dumps(card, indent=1, ensure_ascii=False).replace("\n", "\n ")
    return (
        f'{{\n "format": {FORMAT},\n "card": {card_text},\n "columns": {listed(columns)},\n'
        f' "weights": {{\n{by_choice}\n }},\n "sha256": "{document["sha256"]}"\n}}\n'
    )


def parse_agent(text: str) -> AgentTable:
    """Return the agent of a file's text; raise AgentFault with one sentence for an unfit one."""
    try:
        document = from_json(text)
    except FileFault as fault:
        raise AgentFault(f"The agent's table {fault}: it is damaged or incomplete.") from fault
    if not isinstance(document, dict) or set(document) != _FIELDS:
        raise AgentFault(f"The agent's table must have {', '.join(sorted(_FIELDS))}.")
    if document["format"] != FORMAT:
        raise AgentFault(f"The agent's table has format {document['format']!r}, but must have 1.")
    if document["sha256"] != digest_of(document):
        raise AgentFault("The agent's table was altered: it does not have the hash that it names.")
    if document["columns"] != {column.name: list(column.bins) for column in COLUMNS}:
        raise AgentFault("The agent's table was made for other inputs than this policy has.")
    weights = {choice: document["weights"].get(choice, {}) for choice in Choice}
    read = {str(choice): _columns(table) for choice, table in weights.items()}
    return AgentTable(document["card"], read)


def _columns(table: Mapping[str, Any]) -> tuple[tuple[float, ...], ...]:
    """Return the weights of a choice by column; raise AgentFault if they are not those of all."""
    found = tuple(tuple(table.get(column.name, ())) for column in COLUMNS)
    sizes = [len(column.bins) for column in COLUMNS]
    if [len(numbers) for numbers in found] != sizes or not np.isfinite(sum(found, ())).all():
        raise AgentFault("The agent's table has not a finite weight for each bin of each choice.")
    return found


def load_agent(path: Path) -> AgentTable:
    """Read an agent from a file; raise AgentFault with one sentence for an unfit one."""
    try:
        return parse_agent(read_text(path, trusted=True))
    except FileFault as fault:
        raise AgentFault(f"The agent's table {path} {fault}.") from fault
