# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recorded import MESSAGE_TYPES, STORE

CONFIG = Path(__file__).parents[3] / "config"
if not CONFIG.is_dir():
    pytest.skip("needs the source tree", allow_module_level=True)
SERVICES = ("/pqc/explain", "/gcs/pqc/hold_suite")
# What the ground station publishes under a name that has another type on the drone.
GROUND_TYPES = {"decision": "DroneDecision", "drone_computer": "DroneComputer"}
OTHER_TOPICS = ("/diagnostics",)


def layout() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((CONFIG / "foxglove" / "pqc.json").read_text("utf-8"))
    return document


def panels_in(part: Any) -> Iterator[str]:
    """Yield the panels that a part of the layout places."""
    if isinstance(part, str):
        yield part
    else:
        yield from panels_in(part["first"])
        yield from panels_in(part["second"])


def paths(value: Any) -> Iterator[str]:
    """Yield every text in a document that looks like a topic or a path into one."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from paths(item)
    elif isinstance(value, str) and value.startswith("/"):
        yield value


def perspective_topics() -> Iterator[str]:
    def representations(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if value.get("type") == "repr":
                yield value["repr"]
            else:
                for item in value.values():
                    yield from representations(item)

    document = json.loads((CONFIG / "rqt" / "pqc.perspective").read_text("utf-8"))
    for text in representations(document):
        yield from paths(ast.literal_eval(text))


def exists(topic: str, fields: list[str]) -> bool:
    name = topic.removeprefix("/gcs").removeprefix("/pqc/")
    types = MESSAGE_TYPES if name == topic.removeprefix("/pqc/") else MESSAGE_TYPES | GROUND_TYPES
    kind = f"pqc_msgs/msg/{types.get(name, name)}"
    for field in fields:
        definition = dict(STORE.fielddefs.get(kind, ("", []))[1])
        if field not in definition:
            return False
        node, detail = definition[field]
        kind = detail if node.name == "NAME" else ""
    return name in types


FOXGLOVE = sorted({path for path in paths(layout()) if path not in (*SERVICES, *OTHER_TOPICS)})
RQT = sorted({path for path in perspective_topics() if path not in SERVICES})


@pytest.mark.parametrize("path", FOXGLOVE)
def test_every_path_of_the_foxglove_layout_exists(path: str) -> None:
    topic, *fields = path.split(".")
    assert exists(topic, fields), path


@pytest.mark.parametrize("path", RQT)
def test_every_path_of_the_rqt_perspective_exists(path: str) -> None:
    _, namespace, topic, *fields = path.split("/")
    assert exists(f"/{namespace}/{topic}", fields), path


def test_a_misspelt_field_would_be_found() -> None:
    assert exists("/pqc/link", ["remote", "loss"])
    assert not exists("/pqc/link", ["remote", "lost_share"])
    assert not exists("/pqc/links", [])
    assert exists("/gcs/pqc/decision", ["temperature_c"])
    assert not exists("/pqc/decision", ["temperature_c"])


def test_the_foxglove_layout_places_every_panel_once() -> None:
    document = layout()
    panels = document["configById"]
    tabs = [tab["layout"] for name, one in panels.items() for tab in one.get("tabs", [])]
    placed = [panel for part in [document["layout"], *tabs] for panel in panels_in(part)]
    assert sorted(placed) == sorted(panels)


def test_the_plotted_thresholds_are_the_defaults() -> None:
    from flight import policy_with

    # Beside the defaults the layout shows what only the paper's table knows.
    config = policy_with(strategy="paper_2025").config
    drawn = {
        float(path["value"])
        for panel in layout()["configById"].values()
        for path in panel.get("paths", [])
        if not path["value"].startswith("/")
    }
    assert drawn == {
        config.emergency_temperature_c,
        config.stress_c_per_min,
        config.emergency_voltage_v,
        config.stress_mv_per_min,
        config.link_gap_s,
    }
