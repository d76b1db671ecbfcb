# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of the real tunnel over the link emulator (`./dev bench record`): JSON, read whole."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from pqc_policy.named_files import FileFault, read_document
from pqc_policy.sensing.model_card import CLASSES
from pqc_policy.shown_text import Fault

from pqc_learning.data.episodes import Episode
from pqc_learning.data.message_rows import Row, message
from pqc_learning.data.recording import Recorded, replayed

FORMAT = 1
MOST_BYTES = 16 * 1024 * 1024
_PACKAGE = "pqc_learning"
_ABOUT = {"format": int, "link": str, "seconds": float, "episodes": list, "messages": list}


class RecordingFault(Fault):
    """A file that is no recording; the message is a sentence."""


def write_recording(
    file: Path,
    link: str,
    seconds: float,
    episodes: Sequence[Episode],
    messages: Sequence[Row],
    about: dict[str, Any],
) -> None:
    """Write a recording, a message a line; `about` is what else a reader may want to know."""
    head = {
        "format": FORMAT,
        "link": link,
        "seconds": round(seconds, 3),
        **about,
        "episodes": [list(astuple(one))[:4] for one in episodes],
    }
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in messages)
    text = json.dumps(head, indent=1)[:-2] + f',\n "messages": [\n{lines}\n]}}\n'
    new = file.with_name(f".{file.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(file)


def read_recording(file: Path) -> Recorded:
    """Return the flight of a recording; raise RecordingFault if it is none."""
    try:
        document = read_document(file, MOST_BYTES)
    except FileFault as fault:
        raise RecordingFault(f"The recording {file.name} {fault}.") from fault
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise RecordingFault(f"The recording {file.name} is not of format {FORMAT}.")
    for member, kind in _ABOUT.items():
        if not isinstance(document.get(member), (int, float) if kind is float else kind):
            raise RecordingFault(f"The recording {file.name} has no {member}.")
    try:
        episodes = tuple(_episode(*one) for one in document["episodes"])
        messages = [(row[0], message(row)) for row in document["messages"]]
        # Two topics may arrive in another order than they were published in.
        messages.sort(key=lambda each: (each[1].stamp.sec, each[1].stamp.nanosec))
    except (TypeError, ValueError, IndexError) as error:
        raise RecordingFault(f"The recording {file.name} is damaged: {error}.") from error
    return replayed(f"live {document['link']}", float(document["seconds"]), episodes, messages)


def shipped_recordings() -> tuple[Path, ...]:
    """Return the recordings of this package, of its sources or as installed."""
    places = [Path(__file__).resolve().parents[2] / "recordings"]
    # No such package, or no environment of ROS.
    with suppress(PackageNotFoundError, OSError):
        places.append(Path(get_package_share_directory(_PACKAGE)) / "recordings")
    for place in places:
        if found := tuple(sorted(place.glob("*.json"))):
            return found
    return ()


def _episode(label: str, kind: str, start_s: float, end_s: float) -> Episode:
    if label not in CLASSES:
        raise ValueError(f"{label} is no class")
    return Episode(label, kind, float(start_s), float(end_s))
