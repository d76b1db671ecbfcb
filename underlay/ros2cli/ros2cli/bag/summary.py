# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The contents of a bag in the format of `ros2 bag info`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import yaml

from ..cli import CommandError

_INDENT = 19
_NS = 10**9


def read_metadata(path: Path) -> dict[str, Any]:
    """Return the bag's metadata; CommandError if the folder is not a complete bag."""
    file = path / "metadata.yaml"
    if not path.exists():
        raise CommandError(f"Bag path '{path}' does not exist!")
    if not file.is_file():
        raise CommandError(
            f"'{path}' is not a complete bag: it has no metadata.yaml "
            "(a recording ends well when it is stopped with SIGINT or SIGTERM)"
        )
    return yaml.safe_load(file.read_text(encoding="utf-8"))["rosbag2_bagfile_information"]


def _time_point(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, _NS)
    local = time.localtime(seconds)
    return (
        f"{time.strftime('%b', local)} {local.tm_mday:2d} {local.tm_year} "
        f"{time.strftime('%H:%M:%S', local)}.{rest:09d} ({seconds}.{rest:09d})"
    )


def file_size(size: float) -> str:
    """Return a number of bytes with its unit."""
    if size < 1024:
        return f"{size:.0f} B"
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if size < 1024:
            return f"{size:.1f} {unit}"
    return f"{size / 1024:.1f} TiB"


def format_summary(path: Path, metadata: dict[str, Any]) -> str:
    """Return files, times and topics of a bag."""
    files = metadata["relative_file_paths"]
    size = sum((path / name).stat().st_size for name in files if (path / name).exists())
    start = metadata["starting_time"]["nanoseconds_since_epoch"]
    duration = metadata["duration"]["nanoseconds"]
    if metadata["message_count"] == 0:
        start = duration = 0
    topics = [
        f"Topic: {entry['topic_metadata']['name']} | Type: {entry['topic_metadata']['type']} | "
        f"Count: {entry['message_count']} | "
        f"Serialization Format: {entry['topic_metadata']['serialization_format']}"
        for entry in sorted(
            metadata["topics_with_message_count"], key=lambda entry: entry["topic_metadata"]["name"]
        )
    ]
    break_ = "\n" + " " * _INDENT
    rows = {
        "Files:": break_.join(files),
        "Bag size:": file_size(size),
        "Storage id:": metadata["storage_identifier"],
        "ROS Distro:": metadata.get("ros_distro") or "unknown",
        "Duration:": f"{duration // _NS}.{duration % _NS:09d}s",
        "Start:": _time_point(start),
        "End:": _time_point(start + duration),
        "Messages:": str(metadata["message_count"]),
        "Topic information:": break_.join(topics),
        "Service:": "0",
        "Service information:": "",
    }
    return "\n" + "\n".join(f"{name:<{_INDENT}}{text}" for name, text in rows.items())
