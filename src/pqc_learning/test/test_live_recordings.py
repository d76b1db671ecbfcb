# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of the real tunnel: what is kept of its messages, and files that are none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from pqc_learning.data.conditions import Conditions, Direction, slot_count
from pqc_learning.data.episodes import Episode
from pqc_learning.data.live import (
    RecordingFault,
    read_recording,
    shipped_recordings,
    write_recording,
)
from pqc_learning.data.message_rows import link_row, message, status_row
from pqc_learning.data.recording import messages, record

SECONDS = 40.0
ROWS = {"link": link_row, "status": status_row}


def conditions() -> Conditions:
    ways = (Direction.calm(slot_count(SECONDS), 50.0, 0.02, 0.002) for _ in range(2))
    flight = Conditions.calm("lte", SECONDS, *ways)
    flight.drops["malformed"][flight.span(20.0, 30.0)] = 40.0
    flight.up.loss[flight.span(20.0, 30.0)] = 0.5
    return flight


def recorded(file: Path) -> None:
    """Write what a generated flight publishes as if it were a real one from 1,000 s on."""
    rows = []
    for topic, one in messages(conditions(), np.random.default_rng(3)):
        one.stamp.sec += 1000
        rows.append(ROWS[topic](one, 1000.0))
    episodes = [Episode("jamming", "losses", 20.0, 30.0)]
    write_recording(file, "lte", SECONDS, episodes, rows[::-1], {"commit": "none"})


def test_a_recording_has_the_bins_of_the_messages_it_was_made_of(tmp_path: Path) -> None:
    recorded(tmp_path / "one.json")
    again = read_recording(tmp_path / "one.json")
    first = record(conditions(), np.random.default_rng(3))
    np.testing.assert_allclose(again.features(), first.features(), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(again.start_s, first.start_s)
    assert (again.profile, again.seconds) == ("live lte", SECONDS)
    assert again.labels().max() == 2


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda text: text[:-20], "is not JSON"),
        (lambda text: text.replace('"format": 1', '"format": 9'), "is not of format 1"),
        (lambda text: text.replace('"messages"', '"letters"'), "has no messages"),
        (lambda text: text.replace('"jamming"', '"magic"'), "magic is no class"),
        (lambda text: text.replace('["status",', '["rumour",', 1), "a row is no message"),
        (lambda text: text.replace("true,", "", 1), "a row is no message"),
    ],
)
def test_a_file_that_is_none_is_refused_with_a_sentence(
    tmp_path: Path, spoil: object, why: str
) -> None:
    file = tmp_path / "one.json"
    recorded(file)
    file.write_text(spoil(file.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(RecordingFault, match=why) as caught:
        read_recording(file)
    assert str(caught.value).startswith("The recording one.json ")
    assert "\n" not in str(caught.value)


def test_a_row_that_is_no_list_is_no_message() -> None:
    with pytest.raises(ValueError, match="a row is no message"):
        message(7)


@pytest.mark.parametrize("file", shipped_recordings(), ids=lambda file: file.stem)
def test_a_shipped_recording_is_small_and_has_attacks_and_look_alikes(file: Path) -> None:
    assert file.stat().st_size < 300_000
    flight = read_recording(file)
    kinds = {one.label for one in flight.episodes}
    assert {"normal", "volumetric", "jamming", "protocol", "timing"} <= kinds
    known = ~np.isnan(flight.features()).all(axis=1)
    assert known.mean() > 0.9
    assert {"commit", "machine"} <= set(json.loads(file.read_text(encoding="utf-8")))
