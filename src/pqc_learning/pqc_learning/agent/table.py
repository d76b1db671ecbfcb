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
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from pqc_policy.named_files import FileFault, from_json, read_text
from pqc_policy.shown_text import Fault

from pqc_learning.agent.choice import Choice
from pqc_learning.agent.view import COLUMNS, View

FORMAT = 1
SHIPPED = Path(__file__).with_name("flight_agent.json")
# Values are sums of rewards, none of which is above 1 in a second: no training gives a larger one.
MOST_WEIGHT = 10_000.0
_FIELDS = {"format", "card", "columns", "weights", "sha256"}
_CARD = ("name", "data", "seed", "commit", "metrics")


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
    digest: str = field(default="")

    @property
    def name(self) -> str:
        """The name on the card."""
        return str(self.card["name"])

    def values(self, view: View) -> Mapping[str, float]:
        """Return the value of each choice."""
        return {
            choice: sum(column[number] for column, number in zip(columns, view, strict=True))
            for choice, columns in self.weights.items()
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
    card = document["card"]
    if not isinstance(card, dict) or (lacking := [name for name in _CARD if name not in card]):
        what = lacking[0] if isinstance(card, dict) else "everything"
        raise AgentFault(f"The card of the agent's table lacks {what}.")
    if document["columns"] != {column.name: list(column.bins) for column in COLUMNS}:
        raise AgentFault("The agent's table was made for other inputs than this policy has.")
    weights = document["weights"]
    if not isinstance(weights, dict) or set(weights) != set(Choice):
        raise AgentFault(f"The agent's table must have weights for {', '.join(Choice)}.")
    read = {str(choice): _columns(choice, weights[choice]) for choice in Choice}
    return AgentTable(card, read, document["sha256"])


def _columns(choice: str, table: Any) -> tuple[tuple[float, ...], ...]:
    if not isinstance(table, dict) or set(table) != {column.name for column in COLUMNS}:
        raise AgentFault(f"The agent's weights of {choice} are not those of its inputs.")
    for column in COLUMNS:
        numbers = table[column.name]
        if not isinstance(numbers, list) or len(numbers) != len(column.bins):
            count = len(column.bins)
            raise AgentFault(f"The agent's weights of {choice}, {column.name}, are not {count}.")
        if not all(map(_fit, numbers)):
            raise AgentFault(
                f"A weight of {choice}, {column.name}, is no number from {-MOST_WEIGHT:g} to "
                f"{MOST_WEIGHT:g}."
            )
    return tuple(tuple(map(float, table[column.name])) for column in COLUMNS)


def _fit(number: Any) -> bool:
    if isinstance(number, bool) or not isinstance(number, int | float):
        return False
    return abs(number) <= MOST_WEIGHT  # NaN is not


def load_agent(path: Path) -> AgentTable:
    """Read an agent from a file; raise AgentFault with one sentence for an unfit one."""
    try:
        return parse_agent(read_text(path, trusted=True))
    except FileFault as fault:
        raise AgentFault(f"The agent's table {path} {fault}.") from fault
