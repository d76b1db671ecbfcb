# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from observed_cell import example_metrics
from pqc_bench.metrics import MetricsFault, read_metrics, write_metrics
from pqc_bench.metrics.canonical import canonical_json, digest, seal
from pqc_bench.metrics.schema import problems, schema


@pytest.fixture
def example() -> dict[str, Any]:
    return example_metrics()


def test_the_schema_has_the_eighteen_categories_and_the_reasons() -> None:
    categories = [name for name in schema()["properties"] if name[1] == "_"]
    assert [name[0] for name in categories] == list("abcdefghijklmnopqr")
    assert schema()["required"] == ["schema_version", *categories, "metric_status"]


def test_every_part_of_the_schema_is_described() -> None:
    def undescribed(path: str, part: dict[str, Any]) -> list[str]:
        found = [] if "description" in part or "$ref" in part else [path]
        for name, inner in part.get("properties", {}).items():
            found += undescribed(f"{path}.{name}", inner)
        return found

    parts = schema()["properties"] | schema()["$defs"]
    names = [path for name, part in parts.items() for path in undescribed(name, part)]
    # The names of a flag's members describe them.
    assert names == []


def test_a_written_file_reads_back_as_it_was(tmp_path: Path, example: dict[str, Any]) -> None:
    written = write_metrics(tmp_path / "metrics.json", example)
    assert read_metrics(tmp_path / "metrics.json") == written
    assert [file.name for file in tmp_path.iterdir()] == ["metrics.json"]


def test_an_altered_file_is_rejected_with_a_sentence(
    tmp_path: Path, example: dict[str, Any]
) -> None:
    file = tmp_path / "metrics.json"
    example["d_handshake"]["total_ms"] += 0.001
    file.write_text(json.dumps(example), encoding="utf-8")
    with pytest.raises(MetricsFault, match="was altered after it was written"):
        read_metrics(file)


def test_a_file_without_its_hash_is_rejected(tmp_path: Path, example: dict[str, Any]) -> None:
    file = tmp_path / "metrics.json"
    del example["r_validation"]["sha256"]
    file.write_text(json.dumps(example), encoding="utf-8")
    with pytest.raises(MetricsFault, match="has no hash"):
        read_metrics(file)


@pytest.mark.parametrize("content", ["", "[]", "{", '{"r_validation": 1}'])
def test_a_file_of_something_else_is_rejected(tmp_path: Path, content: str) -> None:
    file = tmp_path / "metrics.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(MetricsFault):
        read_metrics(file)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_file_with_a_number_that_json_lacks_is_rejected(
    tmp_path: Path, example: dict[str, Any], number: str
) -> None:
    file = tmp_path / "metrics.json"
    example["d_handshake"]["total_ms"] = "here"
    file.write_text(json.dumps(example).replace('"here"', number), encoding="utf-8")
    with pytest.raises(MetricsFault, match="contains an invalid value"):
        read_metrics(file)


def test_an_invalid_document_is_not_written(tmp_path: Path, example: dict[str, Any]) -> None:
    example["g_data_plane"]["loss_ratio"] = "none"
    with pytest.raises(MetricsFault, match=r"g_data_plane\.loss_ratio"):
        write_metrics(tmp_path / "metrics.json", example)
    example["g_data_plane"]["loss_ratio"] = float("nan")
    with pytest.raises(MetricsFault):
        write_metrics(tmp_path / "metrics.json", example)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [None, 0, 0.0])
def test_a_null_or_zero_without_a_reason_is_a_problem(
    example: dict[str, Any], value: float | None
) -> None:
    example["d_handshake"]["total_ms"] = value
    assert ["d_handshake.total_ms" in problem for problem in problems(seal(example))] == [True]


def test_a_reason_for_something_that_is_not_there_is_a_problem(example: dict[str, Any]) -> None:
    example["metric_status"]["d_handshake.colour"] = {"status": "zero", "reason": "None."}
    assert ["d_handshake.colour" in problem for problem in problems(seal(example))] == [True]


def test_unknown_members_are_problems(example: dict[str, Any]) -> None:
    example["d_handshake"]["colour"] = "red"
    assert len(problems(seal(example))) == 1


def test_the_hash_is_of_the_canonical_form_without_itself(example: dict[str, Any]) -> None:
    shuffled = dict(reversed(list(copy.deepcopy(example).items())))
    shuffled["r_validation"]["sha256"] = "anything"
    assert digest(shuffled) == digest(example) == example["r_validation"]["sha256"]
    assert canonical_json({"b": 1, "a": [1.5, "°"]}) == '{"a":[1.5,"°"],"b":1}'.encode()
