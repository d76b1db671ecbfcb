# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The file of an agent is checked before it is used, and refused with one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pqc_learning.agent.choice import Choice
from pqc_learning.agent.table import (
    SHIPPED,
    AgentFault,
    digest_of,
    load_agent,
    parse_agent,
    table_text,
)
from pqc_learning.agent.view import COLUMNS

CARD = {"name": "test", "data": "none", "seed": 1, "commit": "none", "metrics": {}}
ZEROS = {choice: [[0.0] * len(column.bins) for column in COLUMNS] for choice in Choice}


def altered(change: Callable[[dict[str, Any]], object]) -> str:
    """Return a table that was changed by somebody who knows how to compute its hash."""
    document = json.loads(table_text(CARD, ZEROS))
    change(document)
    document["sha256"] = digest_of(document)
    return json.dumps(document)


def test_a_value_is_the_sum_of_the_weights_of_the_bins_that_are_seen() -> None:
    table = {choice: [list(column) for column in columns] for choice, columns in ZEROS.items()}
    table[Choice.UP][0][2], table[Choice.UP][3][1] = 0.5, 0.25
    agent = parse_agent(table_text(CARD, table))
    seen = tuple({0: 2, 3: 1}.get(number, 0) for number in range(len(COLUMNS)))
    assert agent.values(seen) == {**dict.fromkeys(Choice, 0.0), Choice.UP: 0.75}
    first = f"{COLUMNS[0].name} {COLUMNS[0].bins[2]}"
    assert agent.because(seen, Choice.UP, Choice.HOLD)[0] == (first, 0.5)


def test_the_shipped_table_names_its_data_its_commit_and_its_figures() -> None:
    agent = load_agent(SHIPPED)
    assert agent.card["name"] == "flight_agent" and agent.card["commit"]
    compared = {"rl", "hybrid", "telemetry_aware"}
    assert agent.card["metrics"]["tunnel"]["reward_per_s"].keys() == compared
    # Flights for reporting begin with the seed 1,000,000.
    assert agent.card["seed"] + 50_000 < 1_000_000
    assert agent.card["metrics"]["first_seed"] + agent.card["metrics"]["flights"] < 1_000_000


def test_a_truncated_table_is_refused() -> None:
    with pytest.raises(AgentFault, match=r"not JSON .*: it is damaged or incomplete\.$"):
        parse_agent(table_text(CARD, ZEROS)[:-9])


@pytest.mark.parametrize(("old", "new"), [('"seed": 1', '"seed": 2'), ("0.0", "0.5")])
def test_an_altered_table_is_refused(old: str, new: str) -> None:
    with pytest.raises(AgentFault, match=r"was altered: .* hash that it names\.$"):
        parse_agent(table_text(CARD, ZEROS).replace(old, new, 1))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda d: d.update(format=2), "has format 2, but must have 1"),
        (lambda d: d.pop("card"), "must have card, columns, format, sha256, weights"),
        (lambda d: d["columns"].pop("loss"), "was made for other inputs"),
        (lambda d: d["columns"]["loss"].append("all"), "was made for other inputs"),
        (lambda d: d["weights"].pop("up"), "has not a finite weight for each bin"),
        (lambda d: d["weights"]["hold"].pop("loss"), "has not a finite weight for each bin"),
        (lambda d: d["weights"]["hold"]["loss"].append(0.0), "has not a finite weight"),
        (lambda d: d["weights"]["up"]["loss"].insert(0, float("nan")), "has not a finite weight"),
    ],
)
def test_a_table_of_another_form_is_refused_with_one_sentence(
    change: Callable[[dict[str, Any]], object], sentence: str
) -> None:
    with pytest.raises(AgentFault) as refused:
        parse_agent(altered(change))
    text = str(refused.value)
    assert sentence in text and text.endswith(".") and text.count(". ") == 0


@pytest.mark.parametrize("text", ["[]", "7", "{}", "[" * 100_000])
def test_what_is_no_table_at_all_is_refused(text: str) -> None:
    with pytest.raises(AgentFault):
        parse_agent(text)
